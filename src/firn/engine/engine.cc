#include "firn/engine/engine.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firn/base/row_stream_error.h"
#include "firn/engine/engine_state_internal.h"

namespace firn {
namespace {

// SQL text must not reach anything outside: what needs a file, the network or code from elsewhere
// is off, and the last setting keeps the others as they are.
constexpr const char* kSettings[] = {
    "SET GLOBAL TimeZone = 'UTC'",
    "SET GLOBAL errors_as_json = true",  // They tell the position.
    "SET GLOBAL enable_external_access = false",
    "SET GLOBAL lock_configuration = true",
};

// Each thread holds some blocks at the least, so that with little memory for each none gets far.
constexpr int64_t kThreadBytes = int64_t{64} << 20;

size_t ChooseThreads(const EngineOptions& options) {
  const auto fitting =
      static_cast<size_t>(std::max<int64_t>(options.memory_bytes / kThreadBytes, 1));
  return std::clamp<size_t>(options.threads, 1, fitting);
}

Status OpenDatabase(EngineState& state) {
  const DuckDb& duckdb = state.duckdb;
  const std::pair<const char*, std::string> settings[] = {
      {"memory_limit", fmt::format("{}B", state.options.memory_bytes)},
      {"threads", std::to_string(ChooseThreads(state.options))},
      {"temp_directory", state.spill.path()},
      {"autoinstall_known_extensions", "false"},
      {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},
  };
  OwnedConfig config(duckdb);
  duckdb.create_config(config.out());
  for (const auto& [name, value] : settings) {
    if (duckdb.set_config(config.get(), name, value.c_str()) != DuckDBSuccess) {
      return MakeError(ErrorCode::kInternal, "the SQL engine does not take {} = '{}'", name, value);
    }
  }
  char* text = nullptr;
  if (duckdb.open_ext(nullptr, state.database.out(), config.get(), &text) == DuckDBSuccess) {
    return {};
  }
  const Error error = ToError(text);
  duckdb.free(text);
  return error.Within("opening the SQL engine");
}

InputRows::Source ReadFrom(RowStream rows, CancelToken cancel) {
  const std::shared_ptr<ArrowArrayStream> stream(std::move(rows));
  return [stream, cancel = std::move(cancel)]() -> Result<BatchPtr> {
    FIRN_RETURN_IF_ERROR(cancel.Check());
    auto batch = std::make_shared<OwnedArray>();
    if (stream->get_next(stream.get(), &batch->array) != 0) return StreamError(*stream);
    return batch->array.release == nullptr ? nullptr : batch;
  };
}

std::string FormatKey(const SortKey& key) {
  std::string text = "rows";
  for (const std::string& name : key.column)
    text += "." + QuoteName(name);
  return fmt::format("{} {} NULLS {}", text, key.is_descending ? "DESC" : "ASC",
                     key.nulls_first ? "FIRST" : "LAST");
}

}  // namespace

Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Result<Engine> Engine::Open(const EngineOptions& options) {
  FIRN_ASSIGN(const DuckDb* duckdb, LoadDuckDb());
  MemoryReservation memory;
  if (options.budget != nullptr) {
    FIRN_ASSIGN(memory, options.budget->Reserve(options.memory_bytes, options.cancel));
  }
  FIRN_ASSIGN(SpillFolder spill, SpillFolder::Make(options.temporary_folder, *options.random));
  auto state = std::make_shared<EngineState>(*duckdb, options, std::move(spill), std::move(memory));
  FIRN_RETURN_IF_ERROR(OpenDatabase(*state));
  FIRN_ASSIGN(const QuerySession session, QuerySession::Open(state));
  FIRN_RETURN_IF_ERROR(RegisterFirnRows(*duckdb, session.connection(), state->inputs));
  for (const char* setting : kSettings)
    FIRN_RETURN_IF_ERROR(session.Run(setting), "{}", setting);
  return Engine(std::move(state));
}

Result<RowStream> Engine::Query(const std::string& sql, std::vector<EngineInput> inputs) const {
  FIRN_ASSIGN(QuerySession session, QuerySession::Open(state_));
  for (EngineInput& input : inputs) {
    OwnedSchema schema;
    if (input.rows->get_schema(input.rows.get(), &schema.schema) != 0) {
      return StreamError(*input.rows);
    }
    InputColumns all;
    all.needed.resize(static_cast<size_t>(schema.schema.n_children));
    std::iota(all.needed.begin(), all.needed.end(), size_t{0});
    FIRN_RETURN_IF_ERROR(session.AddTable(
        input.name, schema.schema, ReadFrom(std::move(input.rows), state_->options.cancel), all));
  }
  FIRN_ASSIGN(OwnedStatement statement,
              session.Prepare(sql, {{.begin = 0, .first = 0, .end = sql.size() + 1}}));
  return StreamResult(std::make_shared<QuerySession>(std::move(session)),
                      std::make_shared<OwnedStatement>(std::move(statement)));
}

Result<RowStream> Engine::Sort(RowStream rows, const std::vector<SortKey>& keys) const {
  if (keys.empty()) return Error(ErrorCode::kInvalidInput, "sorting by nothing, expected a column");
  std::vector<std::string> terms;
  for (const SortKey& key : keys)
    terms.push_back(FormatKey(key));
  std::vector<EngineInput> inputs;
  inputs.push_back({.name = "rows", .rows = std::move(rows)});
  return Query(fmt::format("SELECT * FROM rows ORDER BY {}", fmt::join(terms, ", ")),
               std::move(inputs));
}

}  // namespace firn
