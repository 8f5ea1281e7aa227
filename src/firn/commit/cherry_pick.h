#pragma once

#include <string>

#include "firn/commit/commit.h"

/// Publishing of snapshots that were staged, or that stand on another branch.

namespace firn {

/// The one snapshot with this `wap.id`. Errors: kNotFound; kInvalidInput: several have it.
Result<SnapshotId> FindStagedSnapshot(const TableMetadata& metadata, const std::string& wap_id);

/// Bring the changes of a snapshot to `main`. If `main` is at its parent, `main` moves to the
/// snapshot itself. Otherwise its files are put in once more by a new snapshot, which names it in
/// `source-snapshot-id` and `published-wap-id`: of appends, and of overwrites of whole partitions
/// (`replace-partitions`) to which nobody added files since. The result tells the snapshot that is
/// current then.
///
/// Errors  kNotFound: no such snapshot. kAlreadyExists: it, or one with its WAP id, is in `main`.
///         kInvalidInput: another operation, which only fits the state that it was made for.
///         kCommitConflict: a partition or a file that it replaces changed, or so much of main's
///         history has expired that it may have been published before. kCommitUnknown.
Result<CommitResult> CherryPickSnapshot(const CommitContext& context, const Table& table,
                                        SnapshotId snapshot_id);

}  // namespace firn
