#pragma once

#include <optional>
#include <string>

#include "firn/change/change_context.h"
#include "firn/change/replace_rows.h"
#include "firn/expression/expression.h"

namespace firn {

struct DeleteRowsRequest : SnapshotOptions {
  ExpressionPtr condition;        ///< Unbound; rows for which it is true go.
  std::optional<WriteMode> mode;  ///< Empty: the table's `write.delete.mode`.
};

/// Delete rows in one snapshot: files of which every row matches are taken out by metadata alone,
/// the others by `mode`. No matching row: no commit. Isolation is that of the table's
/// `write.delete.isolation-level`. Unless the outcome of the commit is unknown, an error leaves no
/// file behind.
///
/// Errors  kInvalidInput: the condition, or merge-on-read in a table of version 1; those of
///         reading, of writing, and of CommitChangeFiles.
Result<ReplaceRowsResult> DeleteRows(const ChangeContext& context, const Table& table,
                                     const DeleteRowsRequest& request);

}  // namespace firn
