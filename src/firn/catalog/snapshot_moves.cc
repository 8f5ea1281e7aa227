#include <algorithm>
#include <utility>

#include "firn/base/civil_time.h"
#include "firn/catalog/ref_change.h"

// Refs that move along the history of a table.

namespace firn {
namespace {

Result<const SnapshotRef*> FindBranch(const TableMetadata& metadata, const std::string& name) {
  const auto found = metadata.refs.find(name);
  if (found == metadata.refs.end()) {
    return MakeError(ErrorCode::kNotFound, "there is no branch '{}'{}", name,
                     name == kMainBranch ? ": the table has no snapshot" : "");
  }
  if (found->second.type == RefType::kBranch) return &found->second;
  return MakeError(ErrorCode::kInvalidInput, "'{}' is a tag, expected a branch", name);
}

Status CheckSnapshot(const TableMetadata& metadata, SnapshotId snapshot_id) {
  if (metadata.FindSnapshot(snapshot_id) != nullptr) return {};
  return MakeError(ErrorCode::kNotFound,
                   "snapshot {} not found among {} snapshots of the table; list them with `firn "
                   "inspect TABLE snapshots`",
                   snapshot_id, metadata.snapshots.size());
}

// Retention stays.
std::vector<TableUpdate> Move(const std::string& name, SnapshotRef ref, SnapshotId snapshot_id) {
  if (ref.snapshot_id == snapshot_id) return {};
  ref.snapshot_id = snapshot_id;
  return {SetSnapshotRef{name, std::move(ref)}};
}

}  // namespace

bool IsAncestor(const TableMetadata& metadata, SnapshotId ancestor_id, SnapshotId snapshot_id) {
  const auto ancestors = AncestorsOf(metadata, snapshot_id);
  return std::any_of(ancestors.begin(), ancestors.end(), [&](const Snapshot* snapshot) {
    return snapshot->snapshot_id == ancestor_id;
  });
}

Result<std::vector<TableUpdate>> PlanRollback(const TableMetadata& metadata,
                                              const std::string& branch, SnapshotId snapshot_id) {
  FIRN_ASSIGN(const SnapshotRef* ref, FindBranch(metadata, branch));
  FIRN_RETURN_IF_ERROR(CheckSnapshot(metadata, snapshot_id));
  if (IsAncestor(metadata, snapshot_id, ref->snapshot_id)) return Move(branch, *ref, snapshot_id);
  return MakeError(ErrorCode::kInvalidInput,
                   "branch '{}' cannot be rolled back to snapshot {}: it is no ancestor of the "
                   "head {}; list ancestors with `firn ancestors-of TABLE`",
                   branch, snapshot_id, ref->snapshot_id);
}

Result<std::vector<TableUpdate>> PlanRollbackToTime(const TableMetadata& metadata,
                                                    const std::string& branch, Timestamp time) {
  FIRN_ASSIGN(const SnapshotRef* ref, FindBranch(metadata, branch));
  const auto ancestors = AncestorsOf(metadata, ref->snapshot_id);
  for (const Snapshot* snapshot : ancestors) {
    if (snapshot->timestamp < time) return Move(branch, *ref, snapshot->snapshot_id);
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "branch '{}' has no snapshot older than {}; the oldest that is known is of {}",
                   branch, FormatInstant(time),
                   ancestors.empty() ? "no time" : FormatInstant(ancestors.back()->timestamp));
}

Result<std::vector<TableUpdate>> PlanSetCurrent(const TableMetadata& metadata,
                                                SnapshotId snapshot_id) {
  FIRN_RETURN_IF_ERROR(CheckSnapshot(metadata, snapshot_id));
  const auto main = metadata.refs.find(kMainBranch);
  SnapshotRef ref;
  if (main != metadata.refs.end()) return Move(main->first, main->second, snapshot_id);
  ref.snapshot_id = snapshot_id;
  return std::vector<TableUpdate>{SetSnapshotRef{std::string(kMainBranch), std::move(ref)}};
}

Result<std::vector<TableUpdate>> PlanFastForward(const TableMetadata& metadata,
                                                 const std::string& branch, const std::string& to) {
  const auto target = metadata.refs.find(to);
  if (target == metadata.refs.end()) {
    return MakeError(ErrorCode::kNotFound, "there is no branch or tag '{}' to move '{}' to", to,
                     branch);
  }
  const SnapshotId snapshot_id = target->second.snapshot_id;
  if (!metadata.refs.contains(branch)) {
    SnapshotRef ref;
    ref.snapshot_id = snapshot_id;
    return std::vector<TableUpdate>{SetSnapshotRef{branch, std::move(ref)}};
  }
  FIRN_ASSIGN(const SnapshotRef* ref, FindBranch(metadata, branch));
  if (IsAncestor(metadata, ref->snapshot_id, snapshot_id)) return Move(branch, *ref, snapshot_id);
  return MakeError(ErrorCode::kInvalidInput,
                   "branch '{}' cannot be moved forward to '{}': its head {} is no ancestor of "
                   "snapshot {}",
                   branch, to, ref->snapshot_id, snapshot_id);
}

}  // namespace firn
