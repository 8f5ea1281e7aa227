#pragma once

#include <string>

#include "firn/maintain/maintain_context.h"

namespace firn {

/// The head of a branch, as of when it was loaded.
struct LiveBranch {
  Table table;
  SnapshotId snapshot_id = 0;
  int64_t sequence_number = 0;
};

/// Load the table that was `planned` for what goes on from its snapshot `starting_snapshot_id`.
/// Errors: kCommitConflict: the name is another table's now, or the branch does not descend from
/// that snapshot any more; those of loading.
Result<LiveBranch> LoadLiveBranch(const MaintainContext& context, const Table& planned,
                                  const std::string& branch, SnapshotId starting_snapshot_id);

}  // namespace firn
