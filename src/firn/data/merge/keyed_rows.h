#pragma once

#include <memory>
#include <vector>

#include "firn/data/read/row_positions.h"

/// Rows that are to replace those of a table with the same key.

namespace firn {

/// What several rows of one input with the same key mean.
enum class DuplicateKeys {
  kError,
  kLast,  ///< The last row counts.
};

struct KeyedRowsOptions {
  std::vector<int32_t> key_ids;  ///< Primitive fields of the current schema, in no list or map.
  DuplicateKeys duplicates = DuplicateKeys::kError;
};

/// The rows of one input with their keys, read once. Rows are held in memory as long as a quarter
/// of the budget is enough for them, then on the local disk; so are, apart from them, their keys.
/// Keys are equal as in SQL, except that NaN equals itself.
class KeyedRows {
 public:
  /// Read all of `rows`, whose columns are those of the current schema. `context` outlives this.
  /// Errors: those of the stream; kInvalidInput: a null in a key column; two rows with one key,
  /// unless the last counts (these may show in `Find`).
  static Result<std::unique_ptr<KeyedRows>> Read(const ReadContext& context,
                                                 const KeyedRowsOptions& options, RowStream rows);
  virtual ~KeyedRows() = default;

  /// True for every row of a table that has one of the keys; unbound.
  virtual ExpressionPtr Condition() const = 0;

  /// The live rows of `tasks` that have one of the keys. To be called once, also if there is no
  /// task. Errors: those of ReadTasks.
  virtual Result<PositionsByFile> Find(const std::vector<FileScanTask>& tasks) = 0;

  /// How many keys `Find` found.
  virtual int64_t found_keys() const = 0;
  /// Of the result of `Take`.
  virtual int64_t row_count() const = 0;

  /// The rows, after `Find`, without those that do not count. If one was found and the table keeps
  /// row lineage, they have the columns of SchemaWithLineage, with the row ids of those found.
  virtual Result<RowStream> Take() = 0;
  virtual bool has_lineage() const = 0;
};

}  // namespace firn
