#include <cerrno>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <sqlite3.h>

#include "firn/catalog/sql_database_internal.h"

namespace firn {
namespace {

constexpr int kBusyTimeoutMs = 30'000;
constexpr int kSwitchTimeoutMs = 1'000;
constexpr const char* kMemoryPath = ":memory:";

struct CloseDatabase {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

ErrorCode CodeOf(int code, std::string_view message) {
  switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
      return ErrorCode::kAlreadyExists;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CANTOPEN:
      return ErrorCode::kUnavailable;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return ErrorCode::kPermissionDenied;
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      return ErrorCode::kResourceExhausted;
    case SQLITE_IOERR:  // The last step of a commit may have failed.
      return ErrorCode::kCommitUnknown;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::kCorrupt;
    default:
      break;
  }
  if (message.starts_with("no such ")) return ErrorCode::kNotFound;
  if (message.find("already exists") != std::string_view::npos ||
      message.starts_with("duplicate column")) {
    return ErrorCode::kAlreadyExists;
  }
  return ErrorCode::kInternal;
}

bool IsDiskFull(int error_number) { return error_number == ENOSPC || error_number == EDQUOT; }

// Of the index of the write-ahead log: it is made before anything else is done.
bool IsIndexError(int extended_code) {
  return extended_code == SQLITE_IOERR_SHMOPEN || extended_code == SQLITE_IOERR_SHMSIZE ||
         extended_code == SQLITE_IOERR_SHMMAP;
}

class SqliteDatabase final : public SqlDatabase {
 public:
  explicit SqliteDatabase(std::string path) : path_(std::move(path)) {}

  bool exists() override {
    std::error_code ignored;
    return path_ == kMemoryPath || std::filesystem::exists(path_, ignored);
  }

  Result<SqlResult> Read(std::string_view sql, std::span<const SqlValue> parameters) override {
    if (!exists()) {
      return MakeError(ErrorCode::kNotFound, "SQLite database '{}' does not exist", path_);
    }
    const std::lock_guard lock(mutex_);
    FIRN_RETURN_IF_ERROR(Open());
    return Run(sql, parameters, ErrorCode::kUnavailable);
  }

  Result<SqlResult> Write(std::string_view sql, std::span<const SqlValue> parameters) override {
    std::error_code failure;
    const auto folder = std::filesystem::path(path_).parent_path();
    if (!exists() && !folder.empty()) std::filesystem::create_directories(folder, failure);
    if (failure) {
      return MakeError(ErrorCode::kPermissionDenied, "making the folder '{}': {}", folder.string(),
                       failure.message());
    }
    const std::lock_guard lock(mutex_);
    FIRN_RETURN_IF_ERROR(Open());
    SwitchToWal();
    return Run(sql, parameters, ErrorCode::kCommitUnknown);
  }

  Status CheckWritable(std::string_view, std::string_view) override {
    const std::lock_guard lock(mutex_);
    FIRN_RETURN_IF_ERROR(Open());
    if (sqlite3_db_readonly(handle_.get(), "main") != 1) return {};
    return MakeError(ErrorCode::kPermissionDenied,
                     "SQLite database '{}' can only be read: no commit to its tables is possible; "
                     "allow writing to the file and its folder",
                     path_);
  }

 private:
  Error MakeSqliteError(std::string_view action, ErrorCode io_error) const {
    const std::string_view message = sqlite3_errmsg(handle_.get());
    const int sqlite_code = sqlite3_extended_errcode(handle_.get());
    ErrorCode code = CodeOf(sqlite_code, message);
    if (code == ErrorCode::kCommitUnknown) {
      const bool is_nothing_done =
          io_error != ErrorCode::kCommitUnknown || IsIndexError(sqlite_code);
      if (is_nothing_done && IsDiskFull(sqlite3_system_errno(handle_.get()))) {
        return MakeError(ErrorCode::kResourceExhausted,
                         "SQLite database '{}': {}: the disk is full; free some space", path_,
                         action);
      }
      code = io_error;
    }
    // A statement that did not get the lock did nothing: that is known, and may be tried again.
    const bool is_locked =
        (sqlite_code & 0xff) == SQLITE_BUSY || (sqlite_code & 0xff) == SQLITE_LOCKED;
    if (is_locked && io_error == ErrorCode::kCommitUnknown) code = ErrorCode::kCommitConflict;
    return MakeError(code, "SQLite database '{}': {}: {}", path_, action, message);
  }

  Status Open() {
    if (handle_) return {};
    sqlite3* raw = nullptr;
    const int code =
        sqlite3_open_v2(path_.c_str(), &raw,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    handle_.reset(raw);
    if (code != SQLITE_OK) {
      Error error = MakeSqliteError("opening it", ErrorCode::kUnavailable);
      handle_.reset();
      return error;
    }
    sqlite3_busy_timeout(handle_.get(), kBusyTimeoutMs);
    return {};
  }

  // Readers and the writer do not block each other in WAL mode. Where it cannot be had (a file
  // system without shared memory, a busy file) the old journal is as safe.
  void SwitchToWal() {
    if (std::exchange(was_switched_, true)) return;
    sqlite3_busy_timeout(handle_.get(), kSwitchTimeoutMs);
    sqlite3_exec(handle_.get(), "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
    sqlite3_busy_timeout(handle_.get(), kBusyTimeoutMs);
  }

  Result<SqlResult> Run(std::string_view sql, std::span<const SqlValue> parameters,
                        ErrorCode io_error) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &raw,
                           nullptr) != SQLITE_OK) {
      return MakeSqliteError("preparing a statement", ErrorCode::kUnavailable);
    }
    const Statement statement(raw);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const int index = static_cast<int>(i) + 1;
      const SqlValue& value = parameters[i];
      if (value) {  // The parameters outlive the statement, so nothing is copied.
        sqlite3_bind_text(raw, index, value->data(), static_cast<int>(value->size()), nullptr);
      } else {
        sqlite3_bind_null(raw, index);
      }
    }
    return Fetch(raw, io_error);
  }

  Result<SqlResult> Fetch(sqlite3_stmt* statement, ErrorCode io_error) {
    SqlResult result;
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
      auto& row = result.rows.emplace_back();
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, i));
        row.push_back(text ? SqlValue(std::string(text, size)) : std::nullopt);
      }
    }
    if (code != SQLITE_DONE) return MakeSqliteError("running a statement", io_error);
    result.affected_rows = sqlite3_changes(handle_.get());
    return result;
  }

  const std::string path_;
  std::mutex mutex_;
  Handle handle_;
  bool was_switched_ = false;
};

}  // namespace

std::unique_ptr<SqlDatabase> MakeSqliteDatabase(std::string path) {
  return std::make_unique<SqliteDatabase>(std::move(path));
}

}  // namespace firn
