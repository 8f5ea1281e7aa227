#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "firn/data/data.h"
#include "firn/procedure/procedure.h"
#include "firn/scan/scan.h"

/// How `read` and `count` turn arguments into a scan and a scan into rows; and what `inspect` has
/// in common with `read`.

namespace firn {

/// The arguments `columns` (`also` names what there is besides columns), `where` and `limit`.
Argument ColumnsArgument(std::string_view also = "");
Argument RowFilterArgument();
Argument LimitArgument();

/// The number of rows after which to stop; -1: at the end. Errors: kInvalidInput.
Result<int64_t> ReadLimit(const Arguments& arguments);

/// A checked request for rows of a table.
struct TableRead {
  SchemaPtr schema;      ///< To project and filter by.
  ExpressionPtr filter;  ///< Unbound; null: all rows.
  /// The state to read; empty: the table has none yet, thus no rows.
  std::optional<SnapshotId> snapshot_id;
  /// Read only the rows that these snapshots appended, whatever became of them later.
  std::optional<std::vector<SnapshotId>> appended_by;
};

/// From `where`, `snapshot_id`, `as_of`, `ref`, and of `read` `from_snapshot_id` and
/// `to_snapshot_id`. Errors: kNotFound, kInvalidInput.
Result<TableRead> PrepareRead(const Arguments& arguments, const TableReference& reference);

/// The options of a scan of `snapshot_id`.
ScanOptions MakeScanOptions(const TableRead& read, SnapshotId snapshot_id);

/// Stream the rows, with the columns of `projection`.
Result<RowStream> OpenRows(ProcedureContext& context, const TableReference& reference,
                           const TableRead& read, SchemaPtr projection);

}  // namespace firn
