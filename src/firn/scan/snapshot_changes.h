#pragma once

#include <optional>
#include <vector>

#include "firn/scan/scan.h"

/// What the snapshots of a table changed, by data file.

namespace firn {

/// A data file that a snapshot leaves in the table with other deletes than it had.
struct ChangedDeletes {
  FileScanTask before;
  FileScanTask after;
};

/// What one snapshot did. The rows that it added are the live rows of `added`; those that it
/// deleted are the live rows of `removed`, and those of `changed` that are live before and not
/// after.
struct SnapshotChanges {
  std::vector<FileScanTask> added;    ///< With the deletes of the snapshot.
  std::vector<FileScanTask> removed;  ///< With the deletes of its parent.
  std::vector<ChangedDeletes> changed;
};

/// Reads the manifests that the snapshot wrote; if it or its parent has delete files, besides all
/// manifests of both. Errors: kCorrupt, kNotFound; kInvalidInput: the parent is needed and has
/// expired.
Result<SnapshotChanges> PlanSnapshotChanges(FileIO& io, const TableMetadata& metadata,
                                            const Snapshot& snapshot, Executor& executor,
                                            const CancelToken& cancel);

/// The snapshots after `start` (empty: from the first that is known on) up to `end`, oldest first,
/// without those that only replaced files by others with the same rows.
/// Errors: kNotFound: `end` is no snapshot. kInvalidInput: `start` is no ancestor of it.
Result<std::vector<const Snapshot*>> FindChangingSnapshots(const TableMetadata& metadata,
                                                           std::optional<SnapshotId> start,
                                                           SnapshotId end);

}  // namespace firn
