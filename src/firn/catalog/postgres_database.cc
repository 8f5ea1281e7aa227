#include <charconv>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/catalog/libpq_internal.h"
#include "firn/catalog/sql_database_internal.h"

namespace firn {
namespace {

// A lock that another client holds for longer than this is reported, not waited for.
constexpr const char* kSessionSettings = "SET lock_timeout = '60s'";

// PostgreSQL numbers its parameters.
std::string NumberParameters(std::string_view sql) {
  std::string out;
  int number = 0;
  for (const char c : sql) {
    if (c == '?') {
      out += '$' + std::to_string(++number);
    } else {
      out += c;
    }
  }
  return out;
}

std::string OneLine(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '\n' ? ' ' : c;
  while (!out.empty() && out.back() == ' ')
    out.pop_back();
  return out;
}

ErrorCode CodeOf(std::string_view sqlstate) {
  const std::string_view group = sqlstate.substr(0, 2);
  if (group == "23") return ErrorCode::kAlreadyExists;
  // undefined_table, undefined_column; duplicate_table, duplicate_column.
  if (sqlstate == "42P01" || sqlstate == "42703") return ErrorCode::kNotFound;
  if (sqlstate == "42P07" || sqlstate == "42701") return ErrorCode::kAlreadyExists;
  // read_only_sql_transaction: so are all of a stand-by, or of a user who may only read.
  if (sqlstate == "42501" || sqlstate == "25006" || group == "28") {
    return ErrorCode::kPermissionDenied;
  }
  if (group == "22") return ErrorCode::kInvalidInput;  // Too long a value, bad text.
  // lock_not_available, query_canceled, rollbacks by deadlock, operator intervention: the server
  // told that nothing was done.
  if (group == "40" || group == "55" || group == "57") return ErrorCode::kUnavailable;
  if (group == "53") return ErrorCode::kResourceExhausted;
  return ErrorCode::kInternal;
}

class PostgresDatabase final : public SqlDatabase {
 public:
  explicit PostgresDatabase(PostgresParameters parameters) : parameters_(std::move(parameters)) {}
  ~PostgresDatabase() override { Disconnect(); }

  bool exists() override { return true; }

  Result<SqlResult> Read(std::string_view sql, std::span<const SqlValue> parameters) override {
    const std::lock_guard lock(mutex_);
    const bool is_reused = connection_ != nullptr;
    auto result = Run(sql, parameters, ErrorCode::kUnavailable);
    // An idle connection may have been closed by the server; a read can simply be repeated.
    const bool is_lost = !result.ok() && connection_ == nullptr;
    return is_reused && is_lost ? Run(sql, parameters, ErrorCode::kUnavailable) : std::move(result);
  }

  Result<SqlResult> Write(std::string_view sql, std::span<const SqlValue> parameters) override {
    const std::lock_guard lock(mutex_);
    return Run(sql, parameters, ErrorCode::kCommitUnknown);
  }

  // The statement changes no row, but is refused as one that does.
  Status CheckWritable(std::string_view table, std::string_view column) override {
    const std::string statement =
        fmt::format("UPDATE {0} SET {1} = {1} WHERE 1 = 0", table, column);
    const auto tried = Write(statement, {});
    const bool is_denied = !tried.ok() && tried.error().code() == ErrorCode::kPermissionDenied;
    return is_denied ? Status(tried.error().Within("no commit is possible")) : Status();
  }

 private:
  void Disconnect() {
    if (connection_ != nullptr) libpq_->finish(connection_);
    connection_ = nullptr;
  }

  Status Connect() {
    if (connection_ != nullptr) return {};
    FIRN_ASSIGN(libpq_, LoadLibpq());
    std::vector<const char*> keys;
    std::vector<const char*> values;
    for (const auto& [key, value] : parameters_) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    keys.push_back(nullptr);
    values.push_back(nullptr);
    connection_ = libpq_->connectdb_params(keys.data(), values.data(), /*expand_dbname=*/1);
    if (connection_ == nullptr || libpq_->status(connection_) != CONNECTION_OK) {
      const std::string text =
          connection_ == nullptr ? "out of memory" : OneLine(libpq_->error_message(connection_));
      Disconnect();
      const bool is_denied = text.find("authentication failed") != std::string::npos ||
                             text.find("no password supplied") != std::string::npos;
      return MakeError(is_denied ? ErrorCode::kPermissionDenied : ErrorCode::kUnavailable,
                       "PostgreSQL: {}", text);
    }
    FIRN_RETURN_IF_ERROR(Execute(kSessionSettings, {}, ErrorCode::kUnavailable));
    return {};
  }

  // An error after which `connection_` is null tells that it broke.
  Result<SqlResult> Run(std::string_view sql, std::span<const SqlValue> parameters,
                        ErrorCode lost_connection) {
    FIRN_RETURN_IF_ERROR(Connect());
    return Execute(NumberParameters(sql), parameters, lost_connection);
  }

  Result<SqlResult> Execute(const std::string& sql, std::span<const SqlValue> parameters,
                            ErrorCode lost_connection) {
    std::vector<const char*> values;
    for (const SqlValue& value : parameters)
      values.push_back(value ? value->c_str() : nullptr);
    const std::unique_ptr<PGresult, decltype(libpq_->clear)> answer(
        libpq_->exec_params(connection_, sql.c_str(), static_cast<int>(values.size()), nullptr,
                            values.data(), nullptr, nullptr, /*resultFormat=*/0),
        libpq_->clear);
    const ExecStatusType status = answer ? libpq_->result_status(answer.get()) : PGRES_FATAL_ERROR;
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return Fetch(answer.get());

    const char* state =
        answer ? libpq_->result_error_field(answer.get(), PG_DIAG_SQLSTATE) : nullptr;
    const std::string text = OneLine(answer ? libpq_->result_error_message(answer.get())
                                            : libpq_->error_message(connection_));
    const bool is_lost = libpq_->status(connection_) != CONNECTION_OK;
    if (is_lost) Disconnect();
    // An error with a state came from the server, which had rolled back; without one, the
    // connection broke before an answer came.
    return MakeError(state != nullptr ? CodeOf(state) : lost_connection, "PostgreSQL: {}", text);
  }

  Result<SqlResult> Fetch(const PGresult* answer) {
    SqlResult result;
    const int columns = libpq_->nfields(answer);
    for (int i = 0; i < libpq_->ntuples(answer); ++i) {
      auto& row = result.rows.emplace_back();
      for (int k = 0; k < columns; ++k) {
        if (libpq_->getisnull(answer, i, k) != 0) {
          row.emplace_back(std::nullopt);
        } else {
          const auto size = static_cast<size_t>(libpq_->getlength(answer, i, k));
          row.emplace_back(std::string(libpq_->getvalue(answer, i, k), size));
        }
      }
    }
    const std::string_view affected = libpq_->cmd_tuples(const_cast<PGresult*>(answer));
    std::from_chars(affected.data(), affected.data() + affected.size(), result.affected_rows);
    return result;
  }

  const PostgresParameters parameters_;
  std::mutex mutex_;
  const Libpq* libpq_ = nullptr;
  PGconn* connection_ = nullptr;
};

}  // namespace

std::unique_ptr<SqlDatabase> MakePostgresDatabase(PostgresParameters parameters) {
  return std::make_unique<PostgresDatabase>(std::move(parameters));
}

}  // namespace firn
