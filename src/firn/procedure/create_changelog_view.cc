#include <utility>

#include "firn/data/changes/changelog.h"
#include "firn/format/schema/column_lookup.h"
#include "firn/procedure/changelog_range_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/table_argument_internal.h"

namespace firn {
namespace {

Result<std::vector<int32_t>> FindIdentifiers(const Arguments& arguments, const Schema& schema) {
  if (!arguments.Has("identifier_columns")) return schema.identifier_field_ids();
  std::vector<int32_t> ids;
  for (const std::string& name : arguments.TextList("identifier_columns")) {
    FIRN_ASSIGN(const NestedField* field, FindColumn(schema, name), "identifier_columns");
    ids.push_back(field->id);
  }
  return ids;
}

Result<ChangelogOptions> ParseOptions(const Arguments& arguments, const TableMetadata& metadata) {
  ChangelogOptions options{.schema = metadata.current_schema()};
  options.is_net = arguments.Boolean("net_changes");
  if (!arguments.Boolean("compute_updates", arguments.Has("identifier_columns"))) return options;
  if (options.is_net) {
    return MakeError(ErrorCode::kInvalidInput,
                     "net_changes and images of updates exclude each other: leave out "
                     "compute_updates and identifier_columns");
  }
  FIRN_ASSIGN(options.identifier_ids, FindIdentifiers(arguments, *options.schema));
  if (!options.identifier_ids.empty()) return options;
  return MakeError(ErrorCode::kInvalidInput,
                   "compute_updates needs identifier_columns, since the table has no identifier "
                   "fields");
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  FIRN_ASSIGN(const auto reference, session.ResolveTable(arguments.Text("table")));
  const Table& table = reference.table;
  FIRN_ASSIGN(const ChangelogOptions options, ParseOptions(arguments, *table.metadata));
  FIRN_ASSIGN(auto snapshots, FindChangelogSnapshots(context, arguments, reference));
  const ReadContext read{.io = table.io,
                         .metadata = table.metadata,
                         .executor = &session.executor(),
                         .budget = &session.budget(),
                         .cancel = session.cancel(),
                         .size_warning = std::make_shared<std::once_flag>()};
  const auto plan = [read](const Snapshot& snapshot) {
    return PlanSnapshotChanges(*read.io, *read.metadata, snapshot, *read.executor, read.cancel);
  };
  FIRN_ASSIGN(const SchemaPtr schema, ChangelogSchema(*options.schema));
  FIRN_ASSIGN(RowStream rows, ReadChangelog(read, std::move(snapshots), plan, options));
  return ProcedureOutput{.type = schema->as_struct(), .rows = std::move(rows)};
}

std::vector<Argument> ChangelogArguments() {
  std::vector<Argument> arguments = {
      TableOrLocationArgument(),
      {.name = "changelog_view",
       .type = ArgumentType::kText,
       .help = "Accepted for Spark's sake: the rows are the output, no view is made."},
      {.name = "options",
       .type = ArgumentType::kTextMap,
       .help = "Spark's way to say start and end: start-snapshot-id, end-snapshot-id, "
               "start-timestamp, end-timestamp (milliseconds since 1970).",
       .option_name = "option"},
      {.name = "compute_updates",
       .type = ArgumentType::kBoolean,
       .help = "Tell a deleted and an added row with the same identifier as an update.",
       .default_text = "true if identifier_columns are given"},
      {.name = "identifier_columns",
       .type = ArgumentType::kTextList,
       .help = "Columns that tell which rows are versions of one row.",
       .default_text = "the table's identifier fields"},
      {.name = "net_changes",
       .type = ArgumentType::kBoolean,
       .help = "Leave out what was added and deleted again, over all snapshots.",
       .default_text = "false"}};
  for (Argument& argument : ChangelogRangeArguments())
    arguments.push_back(std::move(argument));
  return arguments;
}

}  // namespace

Procedure DescribeCreateChangelogView() {
  return {.command = {"changelog"},
          .call_name = "create_changelog_view",
          .summary = "Show the rows that snapshots of a table added, deleted and updated.",
          .arguments = ChangelogArguments(),
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
