#pragma once

#include <cstdint>
#include <span>

#include "firn/commit/commit.h"

/// Rewrites of data files that were not all read in the same state of the table: some were read
/// again when others were finished.

namespace firn {

/// The other `CommitRewriteFiles`, with a number for each removed data file, in their order: the
/// sequence number of the snapshot in which the file and its deletes were read. Only what came
/// after that is in the way. `request.starting_snapshot_id` is the oldest of these snapshots.
Result<CommitResult> CommitRewriteFiles(const CommitContext& context, const Table& planned,
                                        const RewriteFilesRequest& request,
                                        std::span<const int64_t> read_sequence_numbers);

}  // namespace firn
