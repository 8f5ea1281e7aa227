#include "firn/ingest/ingest.h"

#include <chrono>
#include <cmath>
#include <iterator>

#include "firn/format/layout/layout_text.h"
#include "firn/format/schema/case_twins.h"
#include "firn/format/schema/schema_text.h"
#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/ingest_context_internal.h"
#include "firn/procedure/new_table_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/row_change_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

// A character that an option names: itself, or one that is hard to type.
Result<char> ParseCharacter(const Arguments& arguments, std::string_view name, char fallback) {
  const auto text = arguments.OptionalText(name);
  if (!text) return fallback;
  if (text->empty() || *text == "none") return '\0';
  if (*text == "tab" || *text == "\\t") return '\t';
  const bool is_usable = text->size() == 1 && (*text)[0] != '\n' && (*text)[0] != '\r' &&
                         static_cast<unsigned char>((*text)[0]) < 0x80;
  if (is_usable) return (*text)[0];
  return MakeError(ErrorCode::kInvalidInput,
                   "argument '{}' is '{}', expected one ASCII character, 'tab' or 'none'", name,
                   *text);
}

Result<LineEnd> ParseLineEnd(const Arguments& arguments) {
  const std::string text = arguments.Text("line_end", "auto");
  if (text == "auto") return LineEnd::kDetect;
  if (text == "lf") return LineEnd::kLf;
  if (text == "crlf") return LineEnd::kCrLf;
  if (text == "cr") return LineEnd::kCr;
  return MakeError(ErrorCode::kInvalidInput,
                   "argument 'line_end' is '{}', expected auto, lf, crlf or cr", text);
}

Result<CsvDialect> ParseDialect(const Arguments& arguments) {
  CsvDialect dialect;
  FIRN_ASSIGN(dialect.delimiter, ParseCharacter(arguments, "delimiter", dialect.delimiter));
  if (dialect.delimiter == '\0') {
    return Error(ErrorCode::kInvalidInput, "argument 'delimiter' is empty, expected a character");
  }
  FIRN_ASSIGN(dialect.quote, ParseCharacter(arguments, "quote", dialect.quote));
  FIRN_ASSIGN(dialect.escape, ParseCharacter(arguments, "escape", dialect.escape));
  if (const auto encoding = arguments.OptionalText("encoding")) {
    FIRN_ASSIGN(dialect.encoding, ParseTextEncoding(*encoding));
  }
  FIRN_ASSIGN(dialect.line_end, ParseLineEnd(arguments));
  dialect.pads_rows = arguments.Boolean("pad_rows");
  dialect.has_header = !arguments.Boolean("no_header");
  dialect.skip_lines = arguments.Integer("skip_lines").value_or(0);
  if (arguments.Has("null_text")) dialect.null_texts = arguments.TextList("null_text");
  return dialect;
}

// How a table is laid out that is made.
Status ParseLayout(const Arguments& arguments, NewTableLayout& layout) {
  if (const auto schema = arguments.OptionalText("schema")) {
    FIRN_ASSIGN(layout.schema, ParseSchemaText(*schema), "argument 'schema'");
    FIRN_RETURN_IF_ERROR(RefuseCaseTwins(*layout.schema), "argument 'schema'");
  }
  FIRN_ASSIGN(const auto partition, ParsePartitionText(arguments.Text("partition")),
              "argument 'partition'");
  if (!partition.empty()) {
    layout.partition_spec = [partition](const Schema& schema) {
      return MakePartitionSpec(partition, schema);
    };
  }
  FIRN_ASSIGN(const auto sort, ParseSortOrderText(arguments.Text("sort")), "argument 'sort'");
  if (!sort.empty()) {
    layout.sort_order = [sort](const Schema& schema) { return MakeSortOrder(sort, schema); };
  }
  return {};
}

Result<IngestMode> ParseMode(const std::string& text) {
  if (text == "append") return IngestMode::kAppend;
  if (text == "create") return IngestMode::kCreate;
  if (text == "overwrite") return IngestMode::kOverwrite;
  if (text == "overwrite-partitions") return IngestMode::kOverwritePartitions;
  if (text == "merge") return IngestMode::kMerge;
  if (text == "replace") return IngestMode::kReplace;
  if (text == "create-or-replace") return IngestMode::kCreateOrReplace;
  return MakeError(ErrorCode::kInvalidInput,
                   "argument 'mode' is '{}', expected append, create, overwrite, "
                   "overwrite-partitions, merge, replace or create-or-replace",
                   text);
}

Status ParseMerge(const Arguments& arguments, IngestRequest& request) {
  request.key = arguments.TextList("key");
  FIRN_ASSIGN(request.write_mode, ParseWriteMode(arguments));
  const std::string text = arguments.Text("on_duplicate", "error");
  if (text != "error" && text != "last") {
    return MakeError(ErrorCode::kInvalidInput,
                     "argument 'on_duplicate' is '{}', expected error or last", text);
  }
  if (text == "last") request.duplicates = DuplicateKeys::kLast;
  return {};
}

Status ParseBadRows(const Arguments& arguments, IngestRequest& request) {
  const std::string text = arguments.Text("bad_rows", "fail");
  if (text == "fail") {
    request.bad_rows = BadRows::kFail;
  } else if (text == "skip") {
    request.bad_rows = BadRows::kSkip;
  } else if (text == "quarantine") {
    request.bad_rows = BadRows::kQuarantine;
  } else {
    return MakeError(ErrorCode::kInvalidInput,
                     "argument 'bad_rows' is '{}', expected fail, skip or quarantine", text);
  }
  return {};
}

// The schema of a table has no branches: whoever reads `main` would see the new one at once.
Status CheckReplacement(const IngestRequest& request) {
  const bool replaces =
      request.mode == IngestMode::kReplace || request.mode == IngestMode::kCreateOrReplace;
  if (!replaces || (!request.is_staged && request.branch == kMainBranch)) return {};
  return Error(
      ErrorCode::kInvalidInput,
      "a table is replaced as a whole, so not with --stage-only, --wap-id or --branch; load "
      "into a new table and rename it, or overwrite the rows on a branch");
}

Result<IngestRequest> ParseRequest(ProcedureContext& context, const Arguments& arguments,
                                   SourceFormat format, const TableReference& reference) {
  IngestRequest request;
  request.format = format;
  for (const std::string& source : arguments.TextList("sources")) {
    const bool is_path = source != "-" && !source.empty();
    request.sources.push_back(is_path ? context.session->AbsoluteLocation(source) : source);
  }
  request.table = reference.name;
  FIRN_ASSIGN(static_cast<SnapshotOptions&>(request), ParseSnapshotOptions(arguments, reference));
  FIRN_ASSIGN(request.mode, ParseMode(arguments.Text("mode", "append")));
  FIRN_RETURN_IF_ERROR(CheckReplacement(request));
  FIRN_RETURN_IF_ERROR(ParseMerge(arguments, request));
  for (const auto& [key, value] : arguments.TextMap("properties"))
    request.layout.properties[key] = value;
  FIRN_RETURN_IF_ERROR(ParseLayout(arguments, request.layout));
  if (const auto location = arguments.OptionalText("location")) {
    request.layout.location = context.session->AbsoluteLocation(*location);
  }
  if (const auto version = arguments.Integer("format_version")) {
    FIRN_ASSIGN(request.layout.format_version, CheckFormatVersion(*version));
  }
  const std::string evolve = arguments.Text("evolve", "none");
  if (evolve != "add" && evolve != "none") {
    return MakeError(ErrorCode::kInvalidInput, "argument 'evolve' is '{}', expected add or none",
                     evolve);
  }
  request.evolves = evolve == "add";
  request.hive_partitions = arguments.Boolean("hive_partitions");
  request.only_new_files = arguments.Boolean("only_new_files");
  if (format != SourceFormat::kCsv && format != SourceFormat::kJson) return request;
  request.sample_rows = arguments.Integer("sample");
  request.infers_decimals = arguments.Boolean("decimals");
  if (format == SourceFormat::kCsv) {
    FIRN_ASSIGN(request.csv, ParseDialect(arguments));
  }
  FIRN_RETURN_IF_ERROR(ParseBadRows(arguments, request));
  if (const auto reject_file = arguments.OptionalText("reject_file")) {
    if (request.bad_rows != BadRows::kQuarantine) {
      return Error(ErrorCode::kInvalidInput,
                   "argument 'reject_file' needs 'bad_rows' to be quarantine");
    }
    request.reject_file = context.session->AbsoluteLocation(*reject_file);
  }
  // A dry run counts them only.
  if (context.is_dry_run && request.bad_rows == BadRows::kQuarantine) {
    request.bad_rows = BadRows::kSkip;
  }
  return request;
}

// The table, or a branch of it, or the name of one that is to be made.
Result<TableReference> ResolveInto(const ProcedureContext& context, const std::string& text) {
  Session& session = *context.session;
  Result<TableReference> found = session.ResolveTable(text);
  if (!found.ok() && found.error().code() == ErrorCode::kNotFound) {
    FIRN_ASSIGN(TableReference made, session.ResolveNewTable(text));
    const bool is_suffix = made.name.name.starts_with("branch_");
    if (is_suffix && !made.name.levels.empty()) {
      // It may be a branch that its table does not have, rather than a table.
      TableName table{{made.name.levels.begin(), std::prev(made.name.levels.end())},
                      made.name.levels.back()};
      if (made.catalog->Load(table).ok()) return found.error();
    }
    found = std::move(made);
  }
  if (!found.ok()) return found.error();
  if (found->tag || !found->catalog) {
    return MakeError(ErrorCode::kInvalidInput, "no rows can be put into '{}': it is {}", text,
                     found->tag ? "a tag" : "one version of a table, which can be read only");
  }
  if (found->table.metadata) FIRN_RETURN_IF_ERROR(CheckCanCommitSnapshot(*found));
  FIRN_RETURN_IF_ERROR(PrepareDryRun(context, *found));
  return found;
}

TypePtr ResultType() {
  return MakeRowType({{"files", LongType()},
                      {"rows", LongType()},
                      {"rejected", LongType()},
                      {"bytes", LongType()},
                      {"seconds", Type::Primitive(TypeId::kDouble)},
                      {"snapshot_id", LongType()}});
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments,
                            SourceFormat format) {
  Session& session = *context.session;
  const auto began = session.clock().Elapsed();
  FIRN_ASSIGN(const auto reference, ResolveInto(context, arguments.Text("into")));
  FIRN_ASSIGN(const auto request, ParseRequest(context, arguments, format, reference));
  bool has_made_namespace = false;
  if (!reference.table.metadata) {
    FIRN_ASSIGN(has_made_namespace, PrepareNamespace(context, reference));
  }
  const Result<IngestResult> ingested =
      Ingest(MakeIngestContext(context, reference, "reading", "bytes"), request);
  if (!ingested.ok()) {
    const bool is_unknown = ingested.error().code() == ErrorCode::kCommitUnknown;
    if (has_made_namespace && !is_unknown) TakeBackNamespace(context, reference);
    return ingested.error();
  }
  const IngestResult& result = *ingested;
  if (result.is_repeat && context.notice) {
    context.notice(fmt::format("idempotency key '{}' was loaded before, by snapshot {}",
                               *request.idempotency_key, result.snapshot_id.value_or(0)));
  }
  const std::chrono::duration<double> took = session.clock().Elapsed() - began;
  if (context.is_dry_run && context.notice) {
    context.notice(fmt::format("dry run: would load {} rows of {} files ({} bytes) and reject {}",
                               result.rows, result.files, result.bytes, result.rejected));
    if (result.deleted > 0) TellRowChange(context, result.deleted, result.rows);
  }
  return FinishChange(
      context, result.before.get(), result.table, result.snapshot_id,
      MakeOutput(
          ResultType(),
          {{{Value(result.files), Value(result.rows), Value(result.rejected), Value(result.bytes),
             Value(std::round(took.count() * 1000) / 1000), OptionalValue(result.snapshot_id)}}}));
}

std::vector<Argument> CommonArguments() {
  return {
      {.name = "sources",
       .type = ArgumentType::kTextList,
       .is_required = true,
       .is_positional = true,
       .help = "Files, folders, globs or - (standard input), plain or packed by gzip, zstd or "
               "bzip2.",
       .has_commas = true},
      {.name = "into",
       .type = ArgumentType::kTable,
       .is_required = true,
       .help = "The table; it is made, with the columns of the source, if it does not exist."},
      {.name = "mode",
       .type = ArgumentType::kText,
       .help = "append, create (the table must not exist), overwrite (all rows go), "
               "overwrite-partitions (those of each partition that gets new rows go), merge "
               "(those with the key of a new row go), replace (the table, with its columns and "
               "its layout, is made anew and keeps its history) or create-or-replace.",
       .default_text = "append"},
      {.name = "key",
       .type = ArgumentType::kTextList,
       .help = "Columns by which mode merge tells rows apart.",
       .default_text = "the table's identifier fields"},
      {.name = "on_duplicate",
       .type = ArgumentType::kText,
       .help = "What rows of one input with the same key mean to mode merge: error, or last: the "
               "last one counts.",
       .default_text = "error"},
      WriteModeArgument("merge"),
      {.name = "evolve",
       .type = ArgumentType::kText,
       .help = "add: columns that the table lacks are added, types that are too narrow widened.",
       .default_text = "none"},
      {.name = "schema",
       .type = ArgumentType::kText,
       .help = "The columns of the table if it is made, as in: id bigint not null, name string.",
       .default_text = "those of the source"},
      {.name = "partition",
       .type = ArgumentType::kText,
       .help = "Its partition fields, as in: days(ts), bucket(16, id).",
       .default_text = "none"},
      {.name = "sort",
       .type = ArgumentType::kText,
       .help = "Its sort order, as in: id desc nulls last.",
       .default_text = "none"},
      {.name = "only_new_files",
       .type = ArgumentType::kBoolean,
       .help = "Leave out files that were loaded before with this option and have not changed "
               "since, by path, size and ETag or time of change."},
      {.name = "hive_partitions",
       .type = ArgumentType::kBoolean,
       .help = "Folders called key=value are columns."},
      {.name = "properties",
       .type = ArgumentType::kTextMap,
       .help = "A property of the table if it is made; may be repeated.",
       .option_name = "property"},
      {.name = "location",
       .type = ArgumentType::kText,
       .help = "Where the table lies if it is made.",
       .default_text = "the catalog's choice"},
      {.name = "format_version",
       .type = ArgumentType::kInteger,
       .help = "Iceberg format version of the table if it is made.",
       .default_text = "2"},
      {.name = "idempotency_key",
       .type = ArgumentType::kText,
       .help = "A repeat with the same key loads nothing: it is kept with the snapshot."}};
}

// Of the formats that are text.
std::vector<Argument> TextArguments() {
  return {{.name = "sample",
           .type = ArgumentType::kInteger,
           .help = "Infer types from so many rows.",
           .default_text = "all rows"},
          {.name = "decimals",
           .type = ArgumentType::kBoolean,
           .help = "Numbers with a point become decimals instead of doubles."},
          {.name = "bad_rows",
           .type = ArgumentType::kText,
           .help = "fail, skip, or quarantine: keep them in the reject file.",
           .default_text = "fail"},
          {.name = "reject_file",
           .type = ArgumentType::kText,
           .help = "Where quarantined rows go, as JSON lines with the reason."}};
}

std::vector<Argument> CsvArguments() {
  std::vector<Argument> arguments = CommonArguments();
  const std::vector<Argument> own = {
      {.name = "delimiter",
       .type = ArgumentType::kText,
       .help = "The character between fields, or tab.",
       .default_text = ","},
      {.name = "quote",
       .type = ArgumentType::kText,
       .help = "The character around fields that hold others, or none.",
       .default_text = "\""},
      {.name = "escape",
       .type = ArgumentType::kText,
       .help = "The character before one that is meant literally within quotes.",
       .default_text = "the quote"},
      {.name = "no_header",
       .type = ArgumentType::kBoolean,
       .help = "The first line holds values; columns are called column_1, column_2, ..."},
      {.name = "skip_lines",
       .type = ArgumentType::kInteger,
       .help = "Lines to leave out before the header.",
       .default_text = "0"},
      {.name = "line_end",
       .type = ArgumentType::kText,
       .help = "What ends a line outside of quotes: auto (LF or CR LF, or CR alone where it ends "
               "the first line), lf, crlf or cr; anything else belongs to the field.",
       .default_text = "auto"},
      {.name = "pad_rows",
       .type = ArgumentType::kBoolean,
       .help = "Fields that a row lacks at its end are null, and empty ones behind the last "
               "column are left out; otherwise such rows are bad."},
      {.name = "encoding",
       .type = ArgumentType::kText,
       .help = "utf-8, utf-16, utf-16le, utf-16be, latin1 or windows-1252.",
       .default_text = "as a byte order mark tells, else utf-8"},
      {.name = "null_text",
       .type = ArgumentType::kTextList,
       .help = "A field without quotes that means null; may be repeated.",
       .default_text = "the empty field",
       .has_commas = true}};
  arguments.insert(arguments.end(), own.begin(), own.end());
  const std::vector<Argument> text = TextArguments();
  arguments.insert(arguments.end(), text.begin(), text.end());
  return arguments;
}

std::vector<Argument> JsonArguments() {
  std::vector<Argument> arguments = CommonArguments();
  const std::vector<Argument> text = TextArguments();
  arguments.insert(arguments.end(), text.begin(), text.end());
  return arguments;
}

Procedure Describe(const std::string& name, SourceFormat format, std::vector<Argument> arguments) {
  return {
      .command = {"ingest", name},
      .call_name = "ingest_" + name,
      .summary = fmt::format("Load {} files into a table, which is made if it is missing.", name),
      .arguments = WithSnapshotOptions(std::move(arguments)),
      .can_dry_run = true,
      .can_report = true,
      .run = [format](ProcedureContext& context, const Arguments& given) {
        return Run(context, given, format);
      }};
}

}  // namespace

Procedure DescribeIngestAvro() { return Describe("avro", SourceFormat::kAvro, CommonArguments()); }
Procedure DescribeIngestCsv() { return Describe("csv", SourceFormat::kCsv, CsvArguments()); }
Procedure DescribeIngestJson() { return Describe("json", SourceFormat::kJson, JsonArguments()); }
Procedure DescribeIngestOrc() { return Describe("orc", SourceFormat::kOrc, CommonArguments()); }
Procedure DescribeIngestParquet() {
  return Describe("parquet", SourceFormat::kParquet, CommonArguments());
}

}  // namespace firn
