#include <optional>
#include <utility>
#include <vector>

#include "firn/base/row_stream_error.h"
#include "firn/engine/engine_state_internal.h"

namespace firn {
namespace {

// What stands behind the stream of a query.
struct ResultRows {
  Result<OwnedChunk> Next() {
    if (!result) {
      FIRN_ASSIGN(OwnedResult executed, session->Execute(*statement));
      result.emplace(std::move(executed));
    }
    return session->Fetch(*result);
  }

  Status Export(const OwnedChunk& chunk, ArrowArray* out) const {
    const DuckDb& duckdb = session->duckdb();
    OwnedArrowOptions options(duckdb);
    duckdb.connection_get_arrow_options(session->connection(), options.out());
    return CheckErrorData(duckdb, duckdb.data_chunk_to_arrow(options.get(), chunk.get(), out));
  }

  std::shared_ptr<QuerySession> session;
  std::shared_ptr<OwnedStatement> statement;
  std::optional<OwnedResult> result;
  bool has_ended = false;
  std::string last_error;
};

ResultRows& Private(ArrowArrayStream* stream) {
  return *static_cast<ResultRows*>(stream->private_data);
}

int Fail(ResultRows& rows, const Error& error) {
  rows.last_error = error.Format();
  rows.has_ended = true;
  return ErrnoOf(error.code());
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  ResultRows& rows = Private(stream);
  const Status status = ExportColumns(*rows.session, *rows.statement, out);
  return status.ok() ? 0 : Fail(rows, status.error());
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  ResultRows& rows = Private(stream);
  *out = ArrowArray{};  // Released already: the end.
  if (rows.has_ended) return 0;
  const Result<OwnedChunk> chunk = rows.Next();
  if (!chunk.ok()) return Fail(rows, chunk.error());
  rows.has_ended = !chunk->has_value();
  if (rows.has_ended) return 0;
  const Status status = rows.Export(*chunk, out);
  return status.ok() ? 0 : Fail(rows, status.error());
}

const char* GetLastError(ArrowArrayStream* stream) {
  const ResultRows& rows = Private(stream);
  return rows.last_error.empty() ? nullptr : rows.last_error.c_str();
}

void Release(ArrowArrayStream* stream) {
  delete &Private(stream);
  stream->private_data = nullptr;
  stream->release = nullptr;
}

}  // namespace

Status ExportColumns(const QuerySession& session, const OwnedStatement& statement,
                     ArrowSchema* schema) {
  const DuckDb& duckdb = session.duckdb();
  const idx_t count = duckdb.prepared_statement_column_count(statement.get());
  std::vector<OwnedType> owned;
  std::vector<duckdb_logical_type> types;
  std::vector<const char*> names;
  for (idx_t i = 0; i < count; ++i) {
    owned.emplace_back(duckdb, duckdb.prepared_statement_column_logical_type(statement.get(), i));
    types.push_back(owned.back().get());
    names.push_back(duckdb.prepared_statement_column_name(statement.get(), i));
  }
  OwnedArrowOptions options(duckdb);
  duckdb.connection_get_arrow_options(session.connection(), options.out());
  const Status status = CheckErrorData(
      duckdb, duckdb.to_arrow_schema(options.get(), types.data(), names.data(), count, schema));
  for (const char* name : names)
    duckdb.free(const_cast<char*>(name));
  return status;
}

RowStream StreamResult(std::shared_ptr<QuerySession> session,
                       std::shared_ptr<OwnedStatement> statement) {
  auto rows = std::make_unique<ResultRows>();
  rows->session = std::move(session);
  rows->statement = std::move(statement);
  return RowStream(new ArrowArrayStream{.get_schema = GetSchema,
                                        .get_next = GetNext,
                                        .get_last_error = GetLastError,
                                        .release = Release,
                                        .private_data = rows.release()});
}

}  // namespace firn
