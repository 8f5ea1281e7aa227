#pragma once

#include <optional>
#include <string>

#include "firn/change/replace_rows.h"

namespace firn {

struct OverwriteRowsRequest : SnapshotOptions {
  ExpressionPtr condition;  ///< Unbound; rows for which it is true go.
  /// A new row for which the condition is not true is an error. Then a repeat leaves the table as
  /// it is; otherwise it would add the row once more.
  bool rows_must_match = false;
  std::optional<WriteMode> mode;  ///< Empty: the table's `write.delete.mode`.
};

/// Delete the rows for which the condition is true, as DeleteRows does, and add `rows`, whose
/// columns are those of the current schema, in the same snapshot. Isolation is that of the table's
/// `write.delete.isolation-level`. Unless the outcome of the commit is unknown, an error leaves no
/// file behind.
///
/// Errors  kInvalidInput: the condition; a row that does not match but must. Those of ReplaceRows.
Result<ReplaceRowsResult> OverwriteRows(const ChangeContext& context, const Table& table,
                                        RowStream rows, const OverwriteRowsRequest& request);

}  // namespace firn
