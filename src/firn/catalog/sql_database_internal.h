#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

/// The little of a relational database that the SQL catalog needs: one statement at a time, each
/// its own transaction.

namespace firn {

/// A value sent or received; null is nullopt.
using SqlValue = std::optional<std::string>;

struct SqlResult {
  std::vector<std::vector<SqlValue>> rows;
  int64_t affected_rows = 0;
};

/// Thread-safe; statements run one after another.
class SqlDatabase {
 public:
  virtual ~SqlDatabase() = default;

  /// False if the database does not exist yet; it is made by the first `Write`.
  virtual bool exists() = 0;

  /// Run a statement that only reads; `?` in `sql` stands for the parameters in order.
  ///
  /// Errors  kNotFound: a table or column of the statement does not exist.
  ///         kUnavailable: no connection, or locked for too long. kPermissionDenied.
  virtual Result<SqlResult> Read(std::string_view sql, std::span<const SqlValue> parameters) = 0;

  /// Run a statement that may write; it is durable when this returns.
  ///
  /// Errors  as `Read`, and kAlreadyExists: a key or a table exists; nothing changed.
  ///         kCommitUnknown: the connection broke after the statement was sent.
  ///         kInvalidInput: a value is too long.
  virtual Result<SqlResult> Write(std::string_view sql, std::span<const SqlValue> parameters) = 0;

  /// Whether this column of rows of `table`, which exists, may be changed. Changes nothing. Errors:
  /// kPermissionDenied, if that is certain.
  virtual Status CheckWritable(std::string_view table, std::string_view column) = 0;
};

/// A file; WAL mode, waits up to 30 s for other writers. `path` may be ":memory:".
std::unique_ptr<SqlDatabase> MakeSqliteDatabase(std::string path);

/// libpq connection parameters in order; later ones win. "dbname" may be a whole URI.
using PostgresParameters = std::vector<std::pair<std::string, std::string>>;

/// Connects on first use, and again after the connection broke.
std::unique_ptr<SqlDatabase> MakePostgresDatabase(PostgresParameters parameters);

/// Where a `uri` points, in the spelling of JDBC ("jdbc:sqlite:/a/c.db",
/// "jdbc:postgresql://host/db") or SQLAlchemy ("sqlite:////a/c.db", "postgresql+psycopg2://…"), or
/// a plain path to a SQLite file.
struct SqlAddress {
  enum class Kind { kSqlite, kPostgres };
  Kind kind = Kind::kSqlite;
  std::string path;  ///< SQLite: the file, or ":memory:".
  std::string uri;   ///< PostgreSQL: as libpq reads it.
};
/// Errors: kInvalidInput, with the forms that are known.
Result<SqlAddress> ParseSqlAddress(std::string_view uri);

}  // namespace firn
