#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/maintain/maintain_context.h"

namespace firn {

struct ComputeTableStatsOptions {
  std::optional<SnapshotId> snapshot_id;  ///< Empty: the current one.
  /// Primitive columns of the snapshot's schema, nested ones as "a.b". Empty: all that lie at the
  /// top, but for geometry and geography.
  std::vector<std::string> columns;
};

/// Count the distinct values of columns, nearly, and register them with the snapshot: a Puffin file
/// with a theta sketch for each column, in place of what statistics the snapshot had. Reads the
/// columns of all live rows. Empty: the table has no snapshot. The file that is replaced is an
/// orphan.
///
/// Errors  kNotFound: the snapshot; it may have expired meanwhile. kInvalidInput: a column is
///         missing, nested or in a list or map. Those of reading. kCommitConflict. kCommitUnknown:
///         the statistics may be registered; otherwise no file is left.
/// Source  Iceberg spec, "Table Statistics"; Spark's compute_table_stats.
Result<std::optional<StatisticsFile>> ComputeTableStats(const MaintainContext& context,
                                                        const Table& table,
                                                        const ComputeTableStatsOptions& options);

}  // namespace firn
