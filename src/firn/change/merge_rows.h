#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/change/replace_rows.h"
#include "firn/data/merge/keyed_rows.h"

namespace firn {

struct MergeRowsRequest : SnapshotOptions {
  /// Names of the key columns; empty: the identifier fields of the schema.
  std::vector<std::string> key;
  DuplicateKeys duplicates = DuplicateKeys::kError;
  std::optional<WriteMode> mode;  ///< Empty: the table's `write.merge.mode`.
};

struct MergeRowsResult {
  /// Of the new snapshot; of the branch's head without rows; empty: there is none.
  std::optional<SnapshotId> snapshot_id;
  Table table;               ///< After the commit.
  int64_t updated_rows = 0;  ///< Whose key the table had.
  int64_t inserted_rows = 0;
  int64_t deleted_rows = 0;  ///< More than are updated, if the table had a key more than once.
  int64_t removed_data_files = 0;
  int64_t added_data_files = 0;
  int64_t added_delete_files = 0;
  int attempts = 0;
  bool is_repeat = false;  ///< A snapshot with the same idempotency key was there already.
};

/// Upsert: rows of the table whose key is among `rows` are replaced, the other rows are inserted,
/// in one snapshot. `rows` has the columns of the current schema and is read once, before anything
/// is written. Isolation is that of the table's `write.merge.isolation-level`. Updated rows keep
/// their row ids (version 3). Unless the outcome of the commit is unknown, an error leaves no file
/// behind.
///
/// Errors  kInvalidInput: the key names no columns, or columns that cannot be one; a row has a null
///         in it; two rows have the same key; merge-on-read in a table of version 1. Those of
///         ReplaceRows.
Result<MergeRowsResult> MergeRows(const ChangeContext& context, const Table& table, RowStream rows,
                                  const MergeRowsRequest& request);

}  // namespace firn
