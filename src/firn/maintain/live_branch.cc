#include "firn/base/text.h"
#include "firn/maintain/live_branch_internal.h"

namespace firn {

Result<LiveBranch> LoadLiveBranch(const MaintainContext& context, const Table& planned,
                                  const std::string& branch, SnapshotId starting_snapshot_id) {
  LiveBranch live;
  FIRN_ASSIGN(live.table, context.commit.catalog->Load(planned.name));
  const TableMetadata& metadata = *live.table.metadata;
  if (!EqualsIgnoreCase(metadata.table_uuid, planned.metadata->table_uuid)) {
    return MakeError(ErrorCode::kCommitConflict, "table {} was dropped and made anew meanwhile",
                     FormatTableName(planned.name));
  }
  const auto ref = metadata.refs.find(branch);
  if (ref == metadata.refs.end()) {
    return MakeError(ErrorCode::kCommitConflict, "branch '{}' is gone", branch);
  }
  for (const Snapshot* ancestor : AncestorsOf(metadata, ref->second.snapshot_id)) {
    if (ancestor->snapshot_id != starting_snapshot_id) continue;
    const Snapshot* head = metadata.FindSnapshot(ref->second.snapshot_id);
    FIRN_CHECK(head != nullptr);
    live.snapshot_id = head->snapshot_id;
    live.sequence_number = head->sequence_number;
    return live;
  }
  return MakeError(ErrorCode::kCommitConflict,
                   "branch '{}' does not descend from snapshot {} any more (expired or rolled back "
                   "meanwhile)",
                   branch, starting_snapshot_id);
}

}  // namespace firn
