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

struct MergeRowsResult : ReplaceRowsResult {
  /// Whose key the table had; it may have had a key more than once: more rows are deleted then.
  int64_t updated_rows = 0;
  int64_t inserted_rows = 0;
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
