#include <string>

#include "firn/base/civil_time.h"
#include "firn/scan/scan.h"

namespace firn {
namespace {

// Schema of time travel: the one the snapshot was written with; old writers do not tell it.
SchemaPtr SchemaOf(const TableMetadata& metadata, const Snapshot& snapshot) {
  SchemaPtr schema = snapshot.schema_id ? metadata.FindSchema(*snapshot.schema_id) : nullptr;
  return schema ? schema : metadata.current_schema();
}

Result<ResolvedSnapshot> ResolveId(const TableMetadata& metadata, SnapshotId id) {
  const Snapshot* snapshot = metadata.FindSnapshot(id);
  if (snapshot == nullptr) {
    return MakeError(ErrorCode::kNotFound,
                     "snapshot {} not found among {} snapshots of the table; list them with "
                     "`firn inspect TABLE snapshots`",
                     id, metadata.snapshots.size());
  }
  return ResolvedSnapshot{snapshot, SchemaOf(metadata, *snapshot)};
}

std::string ListRefs(const TableMetadata& metadata) {
  std::string list;
  for (const auto& [name, ref] : metadata.refs) {
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list.empty() ? "none" : list;
}

Result<ResolvedSnapshot> ResolveRef(const TableMetadata& metadata, const std::string& name) {
  const auto found = metadata.refs.find(name);
  if (found == metadata.refs.end()) {
    return MakeError(ErrorCode::kNotFound, "ref '{}' not found; branches and tags: {}", name,
                     ListRefs(metadata));
  }
  const Snapshot* snapshot = metadata.FindSnapshot(found->second.snapshot_id);
  if (snapshot == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "ref '{}' names snapshot {}, which the table has not",
                     name, found->second.snapshot_id);
  }
  const bool is_branch = found->second.type == RefType::kBranch;
  return ResolvedSnapshot{snapshot,
                          is_branch ? metadata.current_schema() : SchemaOf(metadata, *snapshot)};
}

}  // namespace

Result<ResolvedSnapshot> ResolveSnapshot(const TableMetadata& metadata,
                                         const SnapshotSelector& selector) {
  const int set =
      (selector.snapshot_id ? 1 : 0) + (selector.as_of ? 1 : 0) + (selector.ref ? 1 : 0);
  if (set > 1) {
    return MakeError(ErrorCode::kInvalidInput,
                     "{} of snapshot id, time and ref are given, expected at most one", set);
  }
  if (selector.snapshot_id) return ResolveId(metadata, *selector.snapshot_id);
  if (selector.ref) return ResolveRef(metadata, *selector.ref);
  if (selector.as_of) {
    FIRN_ASSIGN(const Snapshot* snapshot, FindSnapshotAsOf(metadata, *selector.as_of));
    return ResolvedSnapshot{snapshot, SchemaOf(metadata, *snapshot)};
  }
  return ResolvedSnapshot{metadata.current_snapshot(), metadata.current_schema()};
}

}  // namespace firn
