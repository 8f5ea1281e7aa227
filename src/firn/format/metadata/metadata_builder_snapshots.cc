#include <algorithm>
#include <limits>
#include <utility>

#include "firn/format/metadata/metadata_builder_internal.h"

// The parts of the builder that move through time: snapshots, refs and the logs.

namespace firn {
namespace {

constexpr int kRowLineageVersion = 3;
constexpr std::string_view kPreviousVersionsMax = "write.metadata.previous-versions-max";

}  // namespace

Status MetadataBuilder::CheckRowIds(const Snapshot& snapshot) const {
  if (metadata_.format_version < kRowLineageVersion) return {};
  if (!snapshot.first_row_id || !snapshot.added_rows) {  // As its writer loaded an older version.
    return Stale(
        "snapshot {} has no 'first-row-id' or no 'added-rows', which format version {} "
        "needs",
        snapshot.snapshot_id, metadata_.format_version);
  }
  if (*snapshot.first_row_id < metadata_.next_row_id) {
    return Stale("snapshot {} has the first row id {}, but the next free one is {}",
                 snapshot.snapshot_id, *snapshot.first_row_id, metadata_.next_row_id);
  }
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (*snapshot.added_rows < 0 || *snapshot.added_rows > kMost - *snapshot.first_row_id) {
    return InvalidUpdate("snapshot {} adds {} rows from row id {}, expected 0 or more and 64 bits",
                         snapshot.snapshot_id, *snapshot.added_rows, *snapshot.first_row_id);
  }
  return {};
}

Status MetadataBuilder::AddSnapshot(Snapshot snapshot) {
  const SnapshotId id = snapshot.snapshot_id;
  if (id < 0) return InvalidUpdate("snapshot id {}, expected 0 or more", id);
  if (metadata_.FindSnapshot(id) != nullptr)
    return InvalidUpdate("snapshot {} is in the table", id);
  if (snapshot.schema_id && !metadata_.FindSchema(*snapshot.schema_id)) {
    return InvalidUpdate("snapshot {} has schema {}, which is not in the table", id,
                         *snapshot.schema_id);
  }
  if (metadata_.format_version == 1) {
    snapshot.sequence_number = 0;
  } else if (snapshot.sequence_number == 0) {
    return Stale("snapshot {} has no sequence number, which format version {} needs", id,
                 metadata_.format_version);
  } else if (snapshot.sequence_number <= metadata_.last_sequence_number) {
    return Stale("snapshot {} has the sequence number {}, but the table is at {}", id,
                 snapshot.sequence_number, metadata_.last_sequence_number);
  }
  FIRN_RETURN_IF_ERROR(CheckRowIds(snapshot));
  metadata_.last_sequence_number =
      std::max(metadata_.last_sequence_number, snapshot.sequence_number);
  if (metadata_.format_version >= kRowLineageVersion) {
    metadata_.next_row_id = *snapshot.first_row_id + *snapshot.added_rows;
  }
  added_snapshots_.insert(id);
  last_added_time_ = snapshot.timestamp;
  metadata_.snapshots.push_back(std::move(snapshot));
  has_changes_ = true;
  return {};
}

Status MetadataBuilder::CheckRef(std::string_view name, const SnapshotRef& ref) const {
  if (name.empty()) return InvalidUpdate("the name of a branch or tag is empty");
  if (metadata_.FindSnapshot(ref.snapshot_id) == nullptr) {
    return Stale("ref '{}' is to name snapshot {}, which is not in the table", name,
                 ref.snapshot_id);
  }
  const bool is_tag = ref.type == RefType::kTag;
  if (is_tag && name == kMainBranch) return InvalidUpdate("'main' is a branch and cannot be a tag");
  const auto existing = metadata_.refs.find(name);
  if (existing != metadata_.refs.end() && existing->second.type != ref.type) {
    return InvalidUpdate("'{}' is a {} and cannot become a {}", name, is_tag ? "branch" : "tag",
                         is_tag ? "tag" : "branch");
  }
  if (is_tag && (ref.min_snapshots_to_keep || ref.max_snapshot_age_ms)) {
    return InvalidUpdate(
        "tag '{}' cannot say how many snapshots are kept, or how long; only branches can", name);
  }
  const bool is_positive = ref.min_snapshots_to_keep.value_or(1) > 0 &&
                           ref.max_snapshot_age_ms.value_or(1) > 0 &&
                           ref.max_ref_age_ms.value_or(1) > 0;
  if (!is_positive)
    return InvalidUpdate("ref '{}': retention of 0 or less, expected more than 0", name);
  return {};
}

Status MetadataBuilder::SetSnapshotRef(std::string_view name, SnapshotRef ref) {
  FIRN_RETURN_IF_ERROR(CheckRef(name, ref));
  if (name == kMainBranch) metadata_.current_snapshot_id = ref.snapshot_id;
  const auto [entry, is_new] = metadata_.refs.try_emplace(std::string(name));
  if (!is_new && entry->second == ref) return {};
  entry->second = std::move(ref);
  has_changes_ = true;
  return {};
}

Status MetadataBuilder::RemoveSnapshotRef(std::string_view name) {
  const auto found = metadata_.refs.find(name);
  if (found == metadata_.refs.end()) return {};
  metadata_.refs.erase(found);
  if (name == kMainBranch) metadata_.current_snapshot_id.reset();
  has_changes_ = true;
  return {};
}

Status MetadataBuilder::RemoveSnapshots(const std::vector<SnapshotId>& snapshot_ids) {
  const std::unordered_set<SnapshotId> ids(snapshot_ids.begin(), snapshot_ids.end());
  const auto is_removed = [&](const auto& item) { return ids.contains(item.snapshot_id); };
  if (std::erase_if(metadata_.snapshots, is_removed) == 0) return {};
  std::erase_if(metadata_.statistics, is_removed);
  std::erase_if(metadata_.partition_statistics, is_removed);
  has_removed_snapshots_ = true;
  has_changes_ = true;
  return {};
}

namespace {

using SnapshotIndex = std::unordered_map<SnapshotId, const Snapshot*>;

// A ref that the change does not remove itself was made or moved after the change was planned.
Status CheckRefsStay(const TableMetadata& metadata, const SnapshotIndex& snapshots) {
  if (metadata.current_snapshot_id && !snapshots.contains(*metadata.current_snapshot_id)) {
    return InvalidUpdate("snapshot {} is the current one and cannot be removed",
                         *metadata.current_snapshot_id);
  }
  for (const auto& [name, ref] : metadata.refs) {
    if (snapshots.contains(ref.snapshot_id)) continue;
    return Stale("snapshot {} cannot be removed: {} '{}' names it", ref.snapshot_id,
                 ref.type == RefType::kTag ? "tag" : "branch", name);
  }
  return {};
}

// With a hole, the log would tell that the entry before it was current for longer than it was.
void CutSnapshotLog(TableMetadata& metadata, const SnapshotIndex& snapshots) {
  auto& log = metadata.snapshot_log;
  const auto gone = std::find_if(log.rbegin(), log.rend(), [&](const SnapshotLogEntry& entry) {
    return !snapshots.contains(entry.snapshot_id);
  });
  log.erase(log.begin(), gone.base());
}

Status LogPreviousFile(TableMetadata& metadata, Timestamp time, const std::string& location) {
  constexpr int64_t kDefault = 100;
  FIRN_ASSIGN(const int64_t limit, metadata.IntProperty(kPreviousVersionsMax, kDefault));
  auto& log = metadata.metadata_log;
  log.push_back({time, location, {}});
  const auto kept = static_cast<size_t>(std::max<int64_t>(limit, 1));
  if (log.size() > kept) log.erase(log.begin(), log.end() - static_cast<std::ptrdiff_t>(kept));
  return {};
}

// The latest time in the metadata, at or after which the next one is dated.
template <typename Entry>
Timestamp Latest(Timestamp time, const std::vector<Entry>& log) {
  return log.empty() ? time : std::max(time, log.back().timestamp);
}

}  // namespace

Result<TableMetadata> MetadataBuilder::Build(Timestamp now) && {
  TableMetadata metadata = std::move(metadata_);
  const SnapshotIndex snapshots = IndexSnapshots(metadata);
  if (has_removed_snapshots_) {
    FIRN_RETURN_IF_ERROR(CheckRefsStay(metadata, snapshots));
    CutSnapshotLog(metadata, snapshots);
  }
  const std::optional<SnapshotId> current = metadata.current_snapshot_id;
  const bool has_new_current = current && snapshots.contains(*current) && is_added(*current);
  Timestamp time =
      has_new_current ? snapshots.at(*current)->timestamp : last_added_time_.value_or(now);
  metadata.last_updated = std::max(time, base_last_updated_.value_or(time));
  metadata.last_updated = Latest(metadata.last_updated, metadata.snapshot_log);
  metadata.last_updated = Latest(metadata.last_updated, metadata.metadata_log);
  if (current && current != base_current_snapshot_id_) {
    const Timestamp moved = has_new_current ? time : metadata.last_updated;
    metadata.snapshot_log.push_back({Latest(moved, metadata.snapshot_log), *current, {}});
  }
  if (!base_location_.empty()) {
    FIRN_RETURN_IF_ERROR(LogPreviousFile(metadata, *base_last_updated_, base_location_));
  }
  for (const Snapshot& snapshot : metadata.snapshots) {
    if (snapshot.schema_id && removed_schemas_.contains(*snapshot.schema_id)) {
      return InvalidUpdate("schema {} is that of snapshot {} and cannot be removed",
                           *snapshot.schema_id, snapshot.snapshot_id);
    }
  }
  for (const SchemaPtr& schema : metadata.schemas) {
    if (!added_schemas_.contains(schema->schema_id())) continue;
    const Status added = ValidateSchema(*schema, metadata.format_version, SchemaUse::kAdded);
    if (!added.ok()) return Error(ErrorCode::kInvalidInput, added.error().message());
  }
  const Status valid = ValidateTableMetadata(metadata);
  if (!valid.ok()) return Error(ErrorCode::kInvalidInput, valid.error().message());
  return metadata;
}

}  // namespace firn
