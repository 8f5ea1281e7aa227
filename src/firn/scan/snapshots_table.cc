#include <set>
#include <utility>

#include "firn/scan/metadata_table_internal.h"

// snapshots, history, refs and metadata_log_entries: the table metadata as rows.

namespace firn {
namespace {

TypePtr Long() { return Type::Primitive(TypeId::kLong); }
TypePtr Int() { return Type::Primitive(TypeId::kInt); }
TypePtr String() { return Type::Primitive(TypeId::kString); }
TypePtr Timestamptz() { return Type::Primitive(TypeId::kTimestamptz); }

Value TextOrNull(const std::string& text) { return text.empty() ? Value() : Value(text); }

Result<TypePtr> SnapshotsType(const MetadataTableRequest&) {
  return Type::Struct(
      {RequiredField(1, "committed_at", Timestamptz()), RequiredField(2, "snapshot_id", Long()),
       OptionalField(3, "parent_id", Long()), OptionalField(4, "operation", String()),
       OptionalField(5, "manifest_list", String()),
       OptionalField(6, "summary", MapType(7, String(), String()))});
}

Status VisitSnapshots(const MetadataTableRequest& request, const RowVisitor& visit) {
  for (const Snapshot& snapshot : request.metadata->snapshots) {
    std::vector<std::pair<Value, Value>> summary;
    for (const auto& [key, value] : snapshot.summary)
      summary.emplace_back(std::string(key), std::string(value));
    FIRN_RETURN_IF_ERROR(
        visit({{ToTimestamptz(snapshot.timestamp), snapshot.snapshot_id,
                ToValue(snapshot.parent_snapshot_id), TextOrNull(snapshot.operation),
                TextOrNull(snapshot.manifest_list), Value::Map(std::move(summary))}}));
  }
  return {};
}

// The current snapshot and its ancestors as far as they are known.
std::set<SnapshotId> CurrentAncestors(const TableMetadata& metadata) {
  std::set<SnapshotId> ancestors;
  for (const Snapshot* snapshot = metadata.current_snapshot(); snapshot != nullptr;) {
    if (!ancestors.insert(snapshot->snapshot_id).second) break;  // A loop in broken metadata.
    snapshot = snapshot->parent_snapshot_id ? metadata.FindSnapshot(*snapshot->parent_snapshot_id)
                                            : nullptr;
  }
  return ancestors;
}

Result<TypePtr> HistoryType(const MetadataTableRequest&) {
  return Type::Struct({RequiredField(1, "made_current_at", Timestamptz()),
                       RequiredField(2, "snapshot_id", Long()),
                       OptionalField(3, "parent_id", Long()),
                       RequiredField(4, "is_current_ancestor", Type::Primitive(TypeId::kBoolean))});
}

Status VisitHistory(const MetadataTableRequest& request, const RowVisitor& visit) {
  const TableMetadata& metadata = *request.metadata;
  const std::set<SnapshotId> ancestors = CurrentAncestors(metadata);
  for (const SnapshotLogEntry& entry : metadata.snapshot_log) {
    const Snapshot* snapshot = metadata.FindSnapshot(entry.snapshot_id);
    Value parent = snapshot == nullptr ? Value() : ToValue(snapshot->parent_snapshot_id);
    FIRN_RETURN_IF_ERROR(visit({{ToTimestamptz(entry.timestamp), entry.snapshot_id,
                                 std::move(parent), ancestors.contains(entry.snapshot_id)}}));
  }
  return {};
}

Result<TypePtr> RefsType(const MetadataTableRequest&) {
  return Type::Struct({RequiredField(1, "name", String()), RequiredField(2, "type", String()),
                       RequiredField(3, "snapshot_id", Long()),
                       OptionalField(4, "max_reference_age_in_ms", Long()),
                       OptionalField(5, "min_snapshots_to_keep", Int()),
                       OptionalField(6, "max_snapshot_age_in_ms", Long())});
}

Status VisitRefs(const MetadataTableRequest& request, const RowVisitor& visit) {
  for (const auto& [name, ref] : request.metadata->refs) {
    const std::string type = ref.type == RefType::kBranch ? "BRANCH" : "TAG";
    FIRN_RETURN_IF_ERROR(
        visit({{name, type, ref.snapshot_id, ToValue(ref.max_ref_age_ms),
                ToValue(ref.min_snapshots_to_keep), ToValue(ref.max_snapshot_age_ms)}}));
  }
  return {};
}

Result<TypePtr> MetadataLogType(const MetadataTableRequest&) {
  return Type::Struct(
      {RequiredField(1, "timestamp", Timestamptz()), RequiredField(2, "file", String()),
       OptionalField(3, "latest_snapshot_id", Long()), OptionalField(4, "latest_schema_id", Int()),
       OptionalField(5, "latest_sequence_number", Long())});
}

// The snapshot that was current at `time` by the snapshot log; none before the first.
std::optional<SnapshotId> SnapshotAt(const TableMetadata& metadata, Timestamp time) {
  std::optional<SnapshotId> found;
  for (const SnapshotLogEntry& entry : metadata.snapshot_log) {
    if (entry.timestamp <= time) found = entry.snapshot_id;
  }
  return found;
}

Status VisitMetadataLog(const MetadataTableRequest& request, const RowVisitor& visit) {
  const TableMetadata& metadata = *request.metadata;
  std::vector<MetadataLogEntry> log = metadata.metadata_log;
  log.push_back({metadata.last_updated, request.metadata_location});
  for (const MetadataLogEntry& entry : log) {
    const auto id = SnapshotAt(metadata, entry.timestamp);
    const Snapshot* snapshot = id ? metadata.FindSnapshot(*id) : nullptr;
    Value schema_id = snapshot == nullptr ? Value() : ToValue(snapshot->schema_id);
    Value sequence = snapshot == nullptr ? Value() : Value(snapshot->sequence_number);
    FIRN_RETURN_IF_ERROR(visit({{ToTimestamptz(entry.timestamp), entry.metadata_file, ToValue(id),
                                 std::move(schema_id), std::move(sequence)}}));
  }
  return {};
}

}  // namespace

MetadataTable DescribeSnapshots() {
  return {"snapshots", "all snapshots that the table knows", SnapshotsType, VisitSnapshots};
}

MetadataTable DescribeHistory() {
  return {"history", "which snapshot was current when", HistoryType, VisitHistory};
}

MetadataTable DescribeRefs() { return {"refs", "branches and tags", RefsType, VisitRefs}; }

MetadataTable DescribeMetadataLogEntries() {
  return {"metadata_log_entries", "former and current metadata files", MetadataLogType,
          VisitMetadataLog};
}

}  // namespace firn
