#include <string_view>
#include <utility>

#include "firn/base/text.h"
#include "firn/ingest/ingest.h"
#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/row_change_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/where_argument_internal.h"

namespace firn {
namespace {

constexpr std::pair<std::string_view, SourceFormat> kFormats[] = {
    {"avro", SourceFormat::kAvro},       {"csv", SourceFormat::kCsv},
    {"json", SourceFormat::kJson},       {"jsonl", SourceFormat::kJson},
    {"ndjson", SourceFormat::kJson},     {"orc", SourceFormat::kOrc},
    {"parquet", SourceFormat::kParquet}, {"tsv", SourceFormat::kCsv}};

std::optional<SourceFormat> FindFormat(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (EqualsIgnoreCase(name, known)) return format;
  }
  return std::nullopt;
}

// By the argument, else by the end of the first source's name, before that of a compression.
Result<SourceFormat> ChooseFormat(const Arguments& arguments, std::string_view source) {
  if (const auto name = arguments.OptionalText("format")) {
    if (const auto format = FindFormat(*name)) return *format;
    return MakeError(ErrorCode::kInvalidInput,
                     "argument 'format' is '{}', expected avro, csv, json, orc or parquet", *name);
  }
  std::string_view rest = source;
  for (int dots = 0; dots < 2; ++dots) {
    const size_t dot = rest.rfind('.');
    if (dot == std::string_view::npos) break;
    if (const auto format = FindFormat(rest.substr(dot + 1))) return *format;
    rest = rest.substr(0, dot);
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "the name of '{}' does not tell its format; give 'format'", source);
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  IngestRequest request;
  request.mode = IngestMode::kOverwriteRows;
  FIRN_ASSIGN(request.write_mode, ParseWriteMode(arguments));
  request.rows_must_match = arguments.Boolean("rows_must_match");
  for (const std::string& source : arguments.TextList("from")) {
    const bool is_path = source != "-" && !source.empty();
    request.sources.push_back(is_path ? session.AbsoluteLocation(source) : source);
  }
  FIRN_ASSIGN(request.format, ChooseFormat(arguments, request.sources.front()));
  FIRN_ASSIGN(const auto reference, ResolveRowsToChange(context, arguments));
  FIRN_ASSIGN(request.condition,
              ParseWhere(arguments, *reference.table.metadata->current_schema()));
  FIRN_ASSIGN(static_cast<SnapshotOptions&>(request), ParseSnapshotOptions(arguments, reference));
  request.table = reference.name;
  IngestContext ingest;
  ingest.change = MakeChangeContext(session, reference);
  ingest.io = session.io();
  ingest.notice = context.notice;
  FIRN_ASSIGN(const IngestResult result, Ingest(ingest, request));
  TellRowChange(context, result.deleted, result.rows);
  return FinishChange(context, reference.table.metadata.get(), result.table, result.snapshot_id,
                      MakeRowChangeOutput(result.deleted, result.rows, result.snapshot_id));
}

}  // namespace

Procedure DescribeOverwrite() {
  return {.command = {"overwrite"},
          .call_name = "overwrite",
          .summary = "Replace the rows for which a condition is true by those of files.",
          .arguments = WithSnapshotOptions(
              {TableOrLocationArgument(),
               {.name = "where",
                .type = ArgumentType::kText,
                .is_required = true,
                .help = "Rows for which this SQL predicate is true go."},
               {.name = "from",
                .type = ArgumentType::kTextList,
                .is_required = true,
                .help = "Files, folders or globs of the rows that come, or - (standard "
                        "input); may be repeated.",
                .has_commas = true},
               {.name = "format",
                .type = ArgumentType::kText,
                .help = "avro, csv, json, orc or parquet.",
                .default_text = "as the name of the first file tells"},
               {.name = "rows_must_match",
                .type = ArgumentType::kBoolean,
                .help = "A new row for which the predicate is not true is an error, so "
                        "that a repeat leaves the table as it is."},
               WriteModeArgument("delete"),
               {.name = "idempotency_key",
                .type = ArgumentType::kText,
                .help = "A repeat with the same key changes nothing: it is kept with the "
                        "snapshot."}}),
          .can_dry_run = true,
          .can_report = true,
          .run = Run};
}

}  // namespace firn
