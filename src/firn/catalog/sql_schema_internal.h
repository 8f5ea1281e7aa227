#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "firn/catalog/sql_database_internal.h"
#include "firn/catalog/sql_store_internal.h"

namespace firn {

/// The catalog's two tables in one database: their schema versions, made or upgraded before the
/// first write and never by a read. Thread-safe.
class SqlSchema {
 public:
  SqlSchema(std::unique_ptr<SqlDatabase> database, const SqlStoreOptions& options)
      : database_(std::move(database)), options_(options) {}

  /// False if no catalog has written to the database yet.
  Result<bool> HasTables();

  /// True if `iceberg_tables` has the column `iceberg_type` (schema V1).
  Result<bool> HasTypes();

  /// What restricts a statement on `iceberg_tables` to tables where views may be in it.
  Result<std::string> TypeFilter();

  /// Reading a database in which no catalog has written yet gives no rows.
  Result<SqlResult> Read(std::string_view sql, std::span<const SqlValue> parameters);

  /// Make or upgrade the tables. Errors: kPermissionDenied, kUnavailable.
  Status Prepare();

  /// `Prepare`, then the statement.
  Result<SqlResult> Write(std::string_view sql, std::span<const SqlValue> parameters);

  /// Whether rows of tables may be changed. Changes nothing. Errors: kPermissionDenied.
  Status CheckWritable();

 private:
  enum class Version { kNone, kV0, kV1 };
  Result<Version> Detect();

  const std::unique_ptr<SqlDatabase> database_;
  const SqlStoreOptions options_;
  std::mutex mutex_;
  Version version_ = Version::kNone;
  bool is_prepared_ = false;
};

}  // namespace firn
