#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/change/replace_rows.h"

namespace firn {

/// `column = expression`.
struct Assignment {
  std::string column;  ///< Full name; a field of structs, "a.b", leaves its neighbours as they are.
  /// SQL of the engine, DuckDB, over the columns of the row as it was.
  std::string expression;
};

/// Take "a.`b c` = x + 1" apart. Errors: kInvalidInput with the position.
Result<Assignment> ParseAssignment(std::string_view text);

struct UpdateRowsRequest : SnapshotOptions {
  std::vector<Assignment> assignments;  ///< At least one; all see the row as it was.
  ExpressionPtr condition;              ///< Unbound; rows for which it is true change.
  std::optional<WriteMode> mode;        ///< Empty: the table's `write.update.mode`.
};

/// Change rows in one snapshot: the old ones go by `mode`, the new ones are written into new files,
/// in the partitions that they now belong to. Values are cast to the column's type; one that does
/// not fit is an error, never a null. Rows keep their row ids (version 3). No matching row: no
/// commit. Isolation is that of the table's `write.update.isolation-level`. Unless the outcome of
/// the commit is unknown, an error leaves no file behind.
///
/// Errors  kInvalidInput: an assignment names no column, one that is set already, or one in a list
///         or map; an expression, naming the place in it; a value does not fit, or is null where
///         one is required; the condition; merge-on-read in a table of version 1. kUnsupported: a
///         column of a type that the engine has not. kUnavailable: the engine is not installed.
///         Those of ReplaceRows.
Result<ReplaceRowsResult> UpdateRows(const ChangeContext& context, const Table& table,
                                     const UpdateRowsRequest& request);

}  // namespace firn
