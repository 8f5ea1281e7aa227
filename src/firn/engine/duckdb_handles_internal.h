#pragma once

#include <memory>
#include <utility>

#include "firn/engine/duckdb_library_internal.h"

namespace firn {

/// Owns one handle of DuckDB and gives it back with `destroy`, a member of DuckDb.
template <typename Handle, auto destroy>
class Owned {
 public:
  explicit Owned(const DuckDb& duckdb) : duckdb_(&duckdb) {}
  Owned(const DuckDb& duckdb, Handle handle) : duckdb_(&duckdb), handle_(handle) {}
  Owned(Owned&& other) noexcept
      : duckdb_(other.duckdb_), handle_(std::exchange(other.handle_, Handle())) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(duckdb_, other.duckdb_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { Reset(); }

  Handle get() const { return handle_; }
  bool has_value() const { return handle_ != nullptr; }
  /// For functions that make a handle.
  Handle* out() { return &handle_; }

  void Reset() {
    if (handle_ != nullptr) (duckdb_->*destroy)(&handle_);
    handle_ = Handle();
  }

 private:
  const DuckDb* duckdb_;
  Handle handle_ = Handle();
};

using OwnedDatabase = Owned<duckdb_database, &DuckDb::close>;
using OwnedConnection = Owned<duckdb_connection, &DuckDb::disconnect>;
using OwnedStatement = Owned<duckdb_prepared_statement, &DuckDb::destroy_prepare>;
using OwnedPending = Owned<duckdb_pending_result, &DuckDb::destroy_pending>;
using OwnedChunk = Owned<duckdb_data_chunk, &DuckDb::destroy_data_chunk>;
using OwnedType = Owned<duckdb_logical_type, &DuckDb::destroy_logical_type>;
using OwnedConfig = Owned<duckdb_config, &DuckDb::destroy_config>;
using OwnedValue = Owned<duckdb_value, &DuckDb::destroy_value>;
using OwnedTableFunction = Owned<duckdb_table_function, &DuckDb::destroy_table_function>;
using OwnedArrowOptions = Owned<duckdb_arrow_options, &DuckDb::destroy_arrow_options>;
using OwnedArrowSchema =
    Owned<duckdb_arrow_converted_schema, &DuckDb::destroy_arrow_converted_schema>;

/// The same for a result, which is no pointer.
class OwnedResult {
 public:
  explicit OwnedResult(const DuckDb& duckdb) : duckdb_(&duckdb) {}
  OwnedResult(OwnedResult&& other) noexcept
      : duckdb_(other.duckdb_), result_(std::exchange(other.result_, duckdb_result{})) {}
  OwnedResult& operator=(OwnedResult&& other) noexcept {
    std::swap(duckdb_, other.duckdb_);
    std::swap(result_, other.result_);
    return *this;
  }
  ~OwnedResult() { duckdb_->destroy_result(&result_); }
  duckdb_result* out() { return &result_; }
  duckdb_result get() const { return result_; }

 private:
  const DuckDb* duckdb_;
  duckdb_result result_{};
};

/// OK, or what `error`, which is destroyed, says.
inline Status CheckErrorData(const DuckDb& duckdb, duckdb_error_data error) {
  if (error == nullptr) return {};
  Status status;
  if (duckdb.error_data_has_error(error)) status = ToError(duckdb.error_data_message(error));
  duckdb.destroy_error_data(&error);
  return status;
}

}  // namespace firn
