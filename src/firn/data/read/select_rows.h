#pragma once

#include <string>
#include <vector>

#include "firn/base/memory_budget.h"
#include "firn/base/row_stream.h"
#include "firn/expression/expression.h"

/// Columns and rows of a stream that comes from no data file, as a read of a table picks its own.

namespace firn {

/// The columns called so, in this order, nested ones as a.b; all where none is named. Errors:
/// kInvalidInput: no column is called so, or more than one.
Result<SchemaPtr> SelectColumns(const Schema& schema, const std::vector<std::string>& columns);

/// `rows`, whose columns are those of `schema`: only rows for which `filter` (unbound; null: all)
/// is true, and of these the columns of `selected`, which SelectColumns gave. Errors:
/// kInvalidInput: the filter; those of the stream's schema.
Result<RowStream> SelectRows(RowStream rows, const Schema& schema, const ExpressionPtr& filter,
                             const Schema& selected, const MemoryBudget& budget);

}  // namespace firn
