#pragma once

#include <memory>
#include <string>

#include "firn/engine/engine.h"
#include "firn/engine/input_rows_internal.h"
#include "firn/engine/spill_folder_internal.h"

namespace firn {

/// What an engine and the queries that still run share. Members go in reverse: the database before
/// its folder and its memory.
struct EngineState {
  EngineState(const DuckDb& library, const EngineOptions& given, SpillFolder folder,
              MemoryReservation reserved)
      : duckdb(library),
        options(given),
        spill(std::move(folder)),
        memory(std::move(reserved)),
        database(library) {}

  const DuckDb& duckdb;
  EngineOptions options;
  SpillFolder spill;
  MemoryReservation memory;
  InputRegistry inputs;
  OwnedDatabase database;
};

/// A connection with inputs that it sees as tables: one query.
class QuerySession {
 public:
  static Result<QuerySession> Open(std::shared_ptr<EngineState> state);
  QuerySession(QuerySession&&) = default;
  QuerySession& operator=(QuerySession&&) = delete;
  ~QuerySession();

  const DuckDb& duckdb() const { return state_->duckdb; }
  duckdb_connection connection() const { return connection_.get(); }
  const EngineState& state() const { return *state_; }

  /// Make what `source` gives the table `name`.
  /// Errors: kInvalidInput: two of a name. kUnsupported: a type.
  Status AddTable(const std::string& name, const ArrowSchema& schema, InputRows::Source source,
                  const InputColumns& columns);

  /// Run a statement without result.
  Status Run(const std::string& sql) const;

  /// Errors: kInvalidInput: the text is wrong, naming one of `parts`, or is not one SELECT.
  Result<OwnedStatement> Prepare(const std::string& sql, std::vector<SqlPart> parts);

  /// Run what was prepared last until its first rows are there. Errors: of the inputs first.
  Result<OwnedResult> Execute(const OwnedStatement& statement) const;

  /// The next rows; without value at the end.
  Result<OwnedChunk> Fetch(OwnedResult& result) const;

 private:
  explicit QuerySession(std::shared_ptr<EngineState> state)
      : state_(std::move(state)), connection_(state_->duckdb) {}
  Error FailureOf(const char* text) const;

  std::shared_ptr<EngineState> state_;
  OwnedConnection connection_;
  std::vector<int64_t> inputs_;
  std::vector<SqlPart> parts_;
};

/// The columns that a statement gives, in Arrow's terms. Errors: kUnsupported.
Status ExportColumns(const QuerySession& session, const OwnedStatement& statement,
                     ArrowSchema* schema);

/// The rows of `statement`, which was prepared last.
RowStream StreamResult(std::shared_ptr<QuerySession> session,
                       std::shared_ptr<OwnedStatement> statement);

/// "a ""name""" as SQL writes it.
std::string QuoteName(const std::string& name);

}  // namespace firn
