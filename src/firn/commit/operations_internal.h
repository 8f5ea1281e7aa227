#pragma once

#include <memory>

#include "firn/commit/commit_loop_internal.h"

namespace firn {

/// The operation of a request, for the new snapshot `id`. What it refers to outlives it. Errors:
/// what is wrong with the request by itself.
Result<std::unique_ptr<SnapshotOperation>> MakeAppendFiles(const CommitContext& context,
                                                           const Table& planned,
                                                           const AppendFilesRequest& request,
                                                           SnapshotId id);
Result<std::unique_ptr<SnapshotOperation>> MakeChangeFiles(const CommitContext& context,
                                                           const Table& planned,
                                                           const ChangeFilesRequest& request,
                                                           SnapshotId id);
Result<std::unique_ptr<SnapshotOperation>> MakeRewriteFiles(const CommitContext& context,
                                                            const RewriteFilesRequest& request,
                                                            SnapshotId id);

}  // namespace firn
