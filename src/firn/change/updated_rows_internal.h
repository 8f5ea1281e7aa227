#pragma once

#include <memory>
#include <vector>

#include "firn/change/assigned_columns_internal.h"
#include "firn/engine/row_expressions.h"

namespace firn {

/// Open the engine and prepare what is set. Reserves memory, so before anything else holds some.
/// Errors: those of RowExpressions.
Result<RowExpressions> PrepareAssigned(const ChangeContext& context, const Schema& schema,
                                       const std::vector<AssignedColumn>& assigned);

/// The rows of `rows`, whose columns are those of SchemaWithLineage, with `assigned` columns set by
/// `expressions` and row lineage as it is of rows that this commit updates.
Result<RowStream> SetColumns(const ChangeContext& context, const TableMetadata& metadata,
                             RowStream rows, std::vector<AssignedColumn> assigned,
                             RowExpressions expressions);

}  // namespace firn
