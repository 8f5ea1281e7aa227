#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "firn/engine/engine_state_internal.h"

namespace firn {

std::string QuoteName(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name)
    quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

Result<QuerySession> QuerySession::Open(std::shared_ptr<EngineState> state) {
  QuerySession session(std::move(state));
  if (session.duckdb().connect(session.state_->database.get(), session.connection_.out()) ==
      DuckDBSuccess) {
    return session;
  }
  return Error(ErrorCode::kInternal, "the SQL engine gives no connection");
}

QuerySession::~QuerySession() {
  if (state_ == nullptr) return;  // Moved from.
  connection_.Reset();            // It may be reading them.
  for (const int64_t input : inputs_)
    state_->inputs.Remove(input);
}

Status QuerySession::AddTable(const std::string& name, const ArrowSchema& schema,
                              InputRows::Source source, const InputColumns& columns) {
  FIRN_ASSIGN(auto rows,
              InputRows::Make(duckdb(), connection(), schema, columns, std::move(source)));
  inputs_.push_back(state_->inputs.Add(std::move(rows)));
  return Run(fmt::format("CREATE TEMPORARY VIEW {} AS SELECT * FROM firn_rows({})", QuoteName(name),
                         inputs_.back()));
}

Error QuerySession::FailureOf(const char* text) const {
  for (const int64_t input : inputs_) {
    if (const auto error = state_->inputs.Find(input)->source_error()) return *error;
  }
  return ToError(text, parts_);
}

Status QuerySession::Run(const std::string& sql) const {
  OwnedResult result(duckdb());
  if (duckdb().query(connection(), sql.c_str(), result.out()) == DuckDBSuccess) return {};
  return ToError(duckdb().result_error(result.out()));
}

Result<OwnedStatement> QuerySession::Prepare(const std::string& sql, std::vector<SqlPart> parts) {
  parts_ = std::move(parts);
  OwnedStatement statement(duckdb());
  if (duckdb().prepare(connection(), sql.c_str(), statement.out()) != DuckDBSuccess) {
    return ToError(duckdb().prepare_error(statement.get()), parts_);
  }
  if (duckdb().prepared_statement_type(statement.get()) != DUCKDB_STATEMENT_TYPE_SELECT) {
    return Error(ErrorCode::kInvalidInput, "the SQL text is no query, expected one SELECT");
  }
  return statement;
}

Result<OwnedResult> QuerySession::Execute(const OwnedStatement& statement) const {
  OwnedPending pending(duckdb());
  const CancelToken& cancel = state_->options.cancel;
  const duckdb_state made = duckdb().pending_prepared_streaming(statement.get(), pending.out());
  duckdb_pending_state step = DUCKDB_PENDING_RESULT_NOT_READY;
  while (made == DuckDBSuccess && !duckdb().pending_execution_is_finished(step)) {
    if (cancel.is_cancelled()) {
      duckdb().interrupt(connection());
      pending.Reset();
      return cancel.Check().error();
    }
    if (step == DUCKDB_PENDING_NO_TASKS_AVAILABLE) {  // Other threads do all that is left to do.
      FIRN_RETURN_IF_ERROR(state_->options.clock->Sleep(std::chrono::milliseconds(1), {}));
    }
    step = duckdb().pending_execute_task(pending.get());
  }
  if (made != DuckDBSuccess || step == DUCKDB_PENDING_ERROR) {
    return FailureOf(duckdb().pending_error(pending.get()));
  }
  OwnedResult result(duckdb());
  if (duckdb().execute_pending(pending.get(), result.out()) == DuckDBSuccess) return result;
  return FailureOf(duckdb().result_error(result.out()));
}

Result<OwnedChunk> QuerySession::Fetch(OwnedResult& result) const {
  FIRN_RETURN_IF_ERROR(state_->options.cancel.Check());
  OwnedChunk chunk(duckdb(), duckdb().fetch_chunk(result.get()));
  if (chunk.has_value() && duckdb().data_chunk_get_size(chunk.get()) > 0) return chunk;
  const char* text = duckdb().result_error(result.out());
  if (text != nullptr && *text != '\0') return FailureOf(text);
  return OwnedChunk(duckdb());
}

}  // namespace firn
