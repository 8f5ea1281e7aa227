#include "lake.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "firn/base/bytes.h"
#include "firn/base/text.h"
#include "firn/change/delete_keys.h"
#include "firn/data/data.h"
#include "firn/data/deletes/equality_delete_writer.h"
#include "firn/data/render/render.h"
#include "firn/format/json/json_reader.h"
#include "firn/io/uri.h"

namespace firn::preview {
namespace {

const Procedure* FindProcedure(const std::string& command) {
  for (const Procedure& procedure : Procedures()) {
    if (fmt::format("{}", fmt::join(procedure.command, " ")) == command) return &procedure;
  }
  return nullptr;
}

Result<Row> ParseRow(std::string_view line) {
  Row row;
  FIRN_ASSIGN(JsonDocument document, JsonDocument::Open(PaddedText::CopyOf(line)));
  auto read = [&](std::string_view key, JsonValue& value) -> Status {
    FIRN_ASSIGN(const JsonKind kind, value.Kind());
    if (kind == JsonKind::kString) {
      FIRN_ASSIGN(row[std::string(key)], value.ReadString());
      return {};
    }
    FIRN_ASSIGN(const std::string_view raw, value.ReadRaw());
    if (kind != JsonKind::kNull) row[std::string(key)] = raw;
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      document.VisitRoot([&](JsonValue& root) { return root.VisitMembers(read); }));
  return row;
}

}  // namespace

Lake::Lake(Random& random, bool is_hadoop)
    : random_(random), is_hadoop_(is_hadoop), clock_(SystemClock().Now()) {}

Result<std::unique_ptr<Session>> Lake::Open() {
  SessionOptions options{.working_folder = folder_.path(), .home_folder = folder_.path()};
  options.threads = 1;  // Random numbers are drawn in one order.
  options.clock = &clock_;
  options.random = &random_;
  if (is_hadoop_) {
    options.conf = {"catalog.lake.type=hadoop", "catalog.lake.warehouse=" + warehouse()};
  }
  return OpenSession(options, {});
}

Answer Lake::Run(const std::string& command, const Texts& arguments, bool is_dry_run) {
  Answer answer;
  const Status status = RunInto(answer, command, arguments, is_dry_run);
  // A duration back from now is the same time for a dry run and the real one after it.
  if (!is_dry_run) clock_.Advance(std::chrono::seconds(1));
  if (!status.ok()) answer.error = status.error();
  std::sort(answer.lines.begin(), answer.lines.end());
  return answer;
}

Status Lake::RunInto(Answer& answer, const std::string& command, const Texts& texts,
                     bool is_dry_run) {
  const Procedure* procedure = FindProcedure(command);
  FIRN_CHECK(procedure != nullptr);
  FIRN_ASSIGN(const auto session, Open());
  Arguments arguments;
  bool has_argument = false;
  for (const Argument& argument : procedure->arguments) {
    has_argument = has_argument || argument.name == "dry_run";
    const auto given = texts.find(argument.name);
    if (given == texts.end()) continue;
    FIRN_ASSIGN(auto value, ParseArgument(argument, given->second, clock_.Now()));
    arguments.Set(argument.name, std::move(value));
  }
  if (is_dry_run && has_argument) arguments.Set("dry_run", true);
  ProcedureContext context;
  context.session = session.get();
  context.is_dry_run = is_dry_run && !has_argument;
  FIRN_CHECK(!is_dry_run || procedure->can_dry_run);
  context.notice = [&](std::string_view line) { answer.notices.emplace_back(line); };
  FIRN_ASSIGN(ProcedureOutput output, procedure->run(context, arguments));
  std::string text;
  if (output.rows) {
    FIRN_RETURN_IF_ERROR(RenderRows(std::move(output.rows),
                                    {.format = RowFormat::kJson, .type = output.type},
                                    [&](std::span<const std::byte> bytes) -> Status {
                                      text += AsText(bytes);
                                      return {};
                                    }));
  }
  for (const std::string_view line : SplitText(text, '\n')) {
    if (line.empty()) continue;
    FIRN_ASSIGN(Row row, ParseRow(line), "'{}'", line);
    answer.rows.push_back(std::move(row));
    answer.lines.emplace_back(line);
  }
  return output.failure ? Status(*output.failure) : Status();
}

Status Lake::DeleteByKey(const std::vector<std::pair<int64_t, std::string>>& pairs) {
  FIRN_ASSIGN(const auto session, Open());
  FIRN_ASSIGN(const TableReference reference, session->ResolveTable("db.t"));
  DeleteKeysRequest request;
  const Schema& columns = *reference.table.metadata->current_schema();
  request.key_ids = {columns.FindField("id")->id, columns.FindField("kind")->id};
  FIRN_ASSIGN(const SchemaPtr schema,
              EqualityDeleteSchema(*reference.table.metadata, request.key_ids));
  std::vector<StructValue> keys;
  for (const auto& [id, kind] : pairs)
    keys.push_back({{Value(id), Value(kind)}});
  FIRN_ASSIGN(RowStream rows, MakeRowStream(schema->as_struct(), std::move(keys)));
  ChangeContext context;
  context.commit = {.catalog = reference.catalog.get(),
                    .executor = &session->executor(),
                    .clock = &session->clock(),
                    .random = &session->random()};
  context.budget = &session->budget();
  FIRN_RETURN_IF_ERROR(DeleteKeys(context, reference.table, std::move(rows), request));
  return {};
}

std::string PathOf(const std::string& uri) { return LocalPath(uri); }

std::string TextOf(const Row& row, const std::string& column) {
  const auto found = row.find(column);
  return found == row.end() ? "" : found->second;
}

}  // namespace firn::preview
