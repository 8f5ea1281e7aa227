#include <fmt/format.h>

#include "firn/catalog/change_table.h"
#include "firn/catalog/table_evolution.h"
#include "firn/format/layout/layout_text.h"
#include "firn/format/metadata/table_properties.h"
#include "firn/format/schema/case_twins.h"
#include "firn/format/schema/schema_text.h"
#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/new_table_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

// `existing` is the table that is replaced; null: there is none.
Result<CreateTableRequest> MakeRequest(const Session& session, const Arguments& arguments,
                                       const TableMetadata* existing) {
  CreateTableRequest request;
  FIRN_ASSIGN(request.schema, ParseSchemaText(arguments.Text("schema")));
  if (!arguments.Boolean("distinguish_case")) {
    FIRN_RETURN_IF_ERROR(RefuseCaseTwins(request.schema), "schema");
  }
  FIRN_ASSIGN(const auto partition, ParsePartitionText(arguments.Text("partition")));
  FIRN_ASSIGN(request.spec, MakePartitionSpec(partition, request.schema));
  FIRN_ASSIGN(const auto sort, ParseSortOrderText(arguments.Text("sort")));
  FIRN_ASSIGN(request.sort_order, MakeSortOrder(sort, request.schema));
  const auto properties = arguments.TextMap("properties");
  request.properties = Properties(properties.begin(), properties.end());
  FIRN_RETURN_IF_ERROR(CheckTableProperties(request.properties));
  if (const auto location = arguments.OptionalText("location")) {
    request.location = session.AbsoluteLocation(*location);
  }
  if (existing != nullptr) request.format_version = existing->format_version;
  if (const auto version = arguments.Integer("format_version")) {
    FIRN_ASSIGN(request.format_version, CheckFormatVersion(*version));
  }
  return request;
}

void Tell(const ProcedureContext& context, const TableReference& reference, std::string_view what) {
  if (!context.notice) return;
  context.notice(fmt::format("{}table '{}' {} {}", context.is_dry_run ? "dry run: " : "",
                             FormatTableName(reference.name),
                             context.is_dry_run ? "would be" : "was", what));
}

Result<ProcedureOutput> Replace(ProcedureContext& context, const Arguments& arguments,
                                const TableReference& reference, const Table& table) {
  Session& session = *context.session;
  FIRN_ASSIGN(const CreateTableRequest request,
              MakeRequest(session, arguments, table.metadata.get()));
  FIRN_RETURN_IF_ERROR(ChangeTable(
      {reference.catalog.get(), &session.clock(), &session.random(), session.cancel()}, table,
      [&](const TableMetadata& metadata) { return PlanReplaceTable(metadata, request); }));
  Tell(context, reference, "replaced; its history is kept");
  return MakeEmptyOutput();
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  FIRN_ASSIGN(auto reference, session.ResolveNewTable(arguments.Text("table")));
  FIRN_RETURN_IF_ERROR(PrepareDryRun(context, reference));
  if (arguments.Boolean("replace")) {
    const Result<Table> existing = reference.catalog->Load(reference.name);
    if (existing.ok()) return Replace(context, arguments, reference, *existing);
    if (existing.error().code() != ErrorCode::kNotFound) return existing.error();
  }
  FIRN_ASSIGN(const CreateTableRequest request, MakeRequest(session, arguments, nullptr));
  FIRN_RETURN_IF_ERROR(PrepareNamespace(context, reference));
  FIRN_ASSIGN(const Table table, reference.catalog->Create(reference.name, request));
  // The catalog chooses a location when it makes the table.
  const bool has_location = !context.is_dry_run || arguments.OptionalText("location");
  Tell(context, reference,
       has_location ? fmt::format("made at '{}'", table.metadata->location) : "made");
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeTableCreate() {
  return {.command = {"table", "create"},
          .call_name = "table_create",
          .summary = "Make an empty table.",
          .arguments = {{.name = "table",
                         .type = ArgumentType::kTable,
                         .is_required = true,
                         .is_positional = true,
                         .help = "The new name, with the namespace."},
                        {.name = "schema",
                         .is_required = true,
                         .help = "The columns, as in: id bigint not null, name string comment "
                                 "'full', s struct<a: int>, l array<string>, m map<string, int>."},
                        {.name = "partition",
                         .help = "Partition fields, as in: days(ts), bucket(16, id) as b."},
                        {.name = "sort",
                         .help = "The sort order, as in: id desc nulls last, truncate(4, name)."},
                        {.name = "properties",
                         .type = ArgumentType::kTextMap,
                         .help = "A property of the table; may be repeated.",
                         .option_name = "property"},
                        {.name = "format_version",
                         .type = ArgumentType::kInteger,
                         .help = "1, 2 or 3.",
                         .default_text = "2"},
                        {.name = "location",
                         .help = "Where the table's files are.",
                         .default_text = "the catalog's choice"},
                        {.name = "distinguish_case",
                         .type = ArgumentType::kBoolean,
                         .help = "Let names of columns differ in case alone, although Spark, Hive "
                                 "and Glue cannot read such a table."},
                        {.name = "replace",
                         .type = ArgumentType::kBoolean,
                         .help = "If the table exists, make it anew: without rows, its history "
                                 "kept."}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
