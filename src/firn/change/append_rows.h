#pragma once

#include <optional>
#include <string>

#include "firn/base/row_stream.h"
#include "firn/change/change_context.h"

namespace firn {

/// What new rows take the place of.
enum class Overwrite {
  kNothing,
  kPartitions,  ///< All rows of every partition that gets a new one.
  kTable,       ///< All rows.
};

struct AppendRowsRequest : SnapshotOptions {
  Overwrite overwrite = Overwrite::kNothing;
  bool is_fast = false;  ///< See AppendFilesRequest.
};

struct AppendRowsResult {
  /// Empty: there were no rows and the table has no snapshot.
  std::optional<SnapshotId> snapshot_id;
  Table table;  ///< After the commit.
  int64_t added_files = 0;
  int64_t added_rows = 0;
  int64_t added_bytes = 0;
  int attempts = 0;
  bool is_repeat = false;  ///< A snapshot with the same idempotency key was there already.
};

/// Write `rows`, whose columns are those of the current schema of `table`, into data files of its
/// default partition spec and commit them in one snapshot. Without rows there is no commit, unless
/// the whole table is overwritten by nothing. Unless the outcome of the commit is unknown, an error
/// leaves no file behind.
///
/// Errors  those of the stream; kInvalidInput: a required column has a null; kResourceExhausted:
///         the disk is full; those of CommitAppendFiles and CommitChangeFiles.
Result<AppendRowsResult> AppendRows(const ChangeContext& context, const Table& table,
                                    RowStream rows, const AppendRowsRequest& request);

}  // namespace firn
