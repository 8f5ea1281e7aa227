#pragma once

#include <functional>
#include <vector>

#include "firn/base/cancel.h"
#include "firn/catalog/catalog.h"

namespace firn {

/// What a change of a table needs besides the table.
struct TableChangeContext {
  Catalog* catalog = nullptr;
  Clock* clock = nullptr;
  Random* random = nullptr;
  CancelToken cancel;
};

/// Decides the updates from the metadata as of now; none: there is nothing to do.
using PlanUpdates = std::function<Result<std::vector<TableUpdate>>(const TableMetadata&)>;

/// Plan and commit a change that reads and writes nothing but metadata. If another writer changed
/// what the plan counts on, load the table and plan again: what the user asked for is then checked
/// against the new state. Waits and tries as `commit.retry.*` say. Returns the table as it is then,
/// `table` itself if there was nothing to do.
///
/// Errors  those of `plan`. kCommitConflict: out of tries, or another table has the name by now.
///         kCommitUnknown: the change may have happened.
Result<Table> ChangeTable(const TableChangeContext& context, const Table& table,
                          const PlanUpdates& plan);

}  // namespace firn
