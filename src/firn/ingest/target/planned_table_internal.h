#pragma once

#include "firn/base/clock.h"
#include "firn/catalog/change_table.h"

namespace firn {

/// What newer metadata must make of a plan, so that rows written before still fit.
enum class ReplannedFit {
  kNewColumns,  ///< New columns get the ids that they had.
  kSame,        ///< The schema and the partition spec are the same.
};

/// A table that is changed in the commit of rows that are written for it.
struct PlannedTable {
  Table table;  ///< As it will be.
  /// For `SnapshotOptions::table_changes`. Errors: kCommitConflict: the plan comes out otherwise
  /// for newer metadata than the rows were written for.
  PlanUpdates changes;
};

/// Errors: those of `plan`.
Result<PlannedTable> PlanTable(const Table& table, const PlanUpdates& plan, ReplannedFit fit,
                               Clock& clock);

}  // namespace firn
