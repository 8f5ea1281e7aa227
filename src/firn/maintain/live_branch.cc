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
  const Snapshot* head = metadata.RefSnapshot(branch);
  if (head == nullptr) {
    return MakeError(ErrorCode::kCommitConflict, "branch '{}' is gone", branch);
  }
  for (const Snapshot* ancestor : AncestorsOf(metadata, head->snapshot_id)) {
    if (ancestor->snapshot_id != starting_snapshot_id) continue;
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
