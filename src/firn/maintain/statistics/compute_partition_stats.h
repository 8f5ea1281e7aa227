#pragma once

#include <optional>

#include "firn/maintain/maintain_context.h"

namespace firn {

/// Sum up the files of a snapshot (empty: the current one) by partition and spec, and register that
/// as the statistics file of its partitions. One that the snapshot has already is returned as it
/// is; where an ancestor has one, only the manifests of the snapshots since then are read, else all
/// of the snapshot. Empty: the table has no snapshot, or no file. Memory grows with the number of
/// partitions.
///
/// Errors  kInvalidInput: the table has never been partitioned. kNotFound: the snapshot; it may
///         have expired meanwhile. Those of reading manifests. kCommitConflict. kCommitUnknown: it
///         may be registered; otherwise no file is left.
/// Source  Iceberg spec, "Partition Statistics"; Spark's compute_partition_stats.
Result<std::optional<PartitionStatisticsFile>> ComputePartitionStats(
    const MaintainContext& context, const Table& table, std::optional<SnapshotId> snapshot_id);

}  // namespace firn
