#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/cancel.h"
#include "firn/base/row_stream.h"
#include "firn/engine/arrow_columns_internal.h"
#include "firn/engine/duckdb_handles_internal.h"

namespace firn {

using BatchPtr = std::shared_ptr<OwnedArray>;

/// Positions of columns that a query may see.
struct InputColumns {
  std::vector<size_t> needed;
  std::vector<size_t> optional;  ///< Left out if DuckDB has not their type.
};

/// Rows that a query reads, as DuckDB's table function `firn_rows` asks for them. Thread-safe.
class InputRows {
 public:
  /// Null at the end.
  using Source = std::function<Result<BatchPtr>()>;

  struct Column {
    std::string name;
    size_t source = 0;  ///< Where it is in the batches.
    ArrayShape shape;
    OwnedType type;
    OwnedArrowSchema converter;  ///< From a batch of this column alone.
  };

  /// The `columns` of the batches of `source`, whose schema is `schema`. `connection` outlives
  /// this. Errors: kUnsupported: the type of a needed column.
  static Result<std::shared_ptr<InputRows>> Make(const DuckDb& duckdb, duckdb_connection connection,
                                                 const ArrowSchema& schema,
                                                 const InputColumns& columns, Source source);

  const std::vector<Column>& columns() const { return columns_; }

  /// Fill `chunk` with the next rows of `wanted` columns; no rows: the end.
  Status Fill(const std::vector<size_t>& wanted, duckdb_data_chunk chunk);

  /// What `source` failed with, which DuckDB reports in words of its own.
  std::optional<Error> source_error() const;

 private:
  struct Slice {
    BatchPtr batch;  ///< Null: the end.
    int64_t first_row = 0;
    int64_t rows = 0;
  };

  InputRows(const DuckDb& duckdb, duckdb_connection connection, Source source)
      : duckdb_(duckdb), connection_(connection), source_(std::move(source)) {}
  Result<Column> MakeColumn(const ArrowSchema& schema, size_t index) const;
  Result<Slice> TakeSlice();

  const DuckDb& duckdb_;
  duckdb_connection connection_;
  std::vector<Column> columns_;
  mutable std::mutex mutex_;
  Source source_;  // From here on under `mutex_`.
  Slice current_;  // What is left of a batch.
  std::optional<Error> source_error_;
};

/// The inputs of all running queries of one database by number.
class InputRegistry {
 public:
  int64_t Add(std::shared_ptr<InputRows> rows);
  void Remove(int64_t number);
  std::shared_ptr<InputRows> Find(int64_t number) const;

 private:
  mutable std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<InputRows>> inputs_;
  int64_t next_ = 1;
};

/// Teach the database the table function `firn_rows(number)`; `registry` outlives it.
Status RegisterFirnRows(const DuckDb& duckdb, duckdb_connection connection,
                        InputRegistry& registry);

}  // namespace firn
