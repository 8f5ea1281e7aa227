#pragma once

#include <vector>

#include "firn/commit/commit.h"

/// Delete files replaced by others that delete the same rows.

namespace firn {

struct RewriteDeletesRequest : SnapshotOptions {
  /// The snapshot in which the removed files were read.
  SnapshotId starting_snapshot_id = 0;
  std::vector<DeleteFilePtr> removed_delete_files;
  /// By position. Each with the data sequence number that it gets: that of the newest delete that
  /// is in it, so that to every other writer it is as old as what it stands for.
  std::vector<DeleteFile> added_delete_files;
};

/// Commit the rewrite of delete files of the table that was `planned`. The added files stay,
/// whatever the outcome; see CommitAppendFiles. Data files that others take out meanwhile are no
/// conflict: deletes of them apply to nothing.
///
/// Errors  kCommitConflict: a removed file is gone; rows of a data file that gets a deletion vector
///         were deleted meanwhile; a data file to which a removed equality delete applies was
///         added, as a rewrite does that keeps its sequence number; position delete files were
///         written and the table was upgraded to version 3; the history cannot be determined.
///         kCommitUnknown: with the snapshot id and how to check.
Result<CommitResult> CommitRewriteDeletes(const CommitContext& context, const Table& planned,
                                          const RewriteDeletesRequest& request);

}  // namespace firn
