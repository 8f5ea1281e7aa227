#pragma once

#include "firn/base/memory_budget.h"
#include "firn/base/row_stream.h"
#include "firn/expression/expression.h"

namespace firn {

/// `rows`, whose columns are those of `schema`; a row for which `condition` (unbound) is not true
/// is an error of the stream: kInvalidInput, with the number of the row. Errors: kInvalidInput: the
/// condition; those of the stream's schema.
Result<RowStream> RequireMatch(RowStream rows, const ExpressionPtr& condition, const Schema& schema,
                               const MemoryBudget& budget);

}  // namespace firn
