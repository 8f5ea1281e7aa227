#include "firn/format/layout_text.h"
#include "firn/format/schema_text.h"
#include "firn/procedure/new_table_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Result<CreateTableRequest> MakeRequest(const Session& session, const Arguments& arguments) {
  CreateTableRequest request;
  FIRN_ASSIGN(request.schema, ParseSchemaText(arguments.Text("schema")));
  FIRN_ASSIGN(const auto partition, ParsePartitionText(arguments.Text("partition")));
  FIRN_ASSIGN(request.spec, MakePartitionSpec(partition, request.schema));
  FIRN_ASSIGN(const auto sort, ParseSortOrderText(arguments.Text("sort")));
  FIRN_ASSIGN(request.sort_order, MakeSortOrder(sort, request.schema));
  const auto properties = arguments.TextMap("properties");
  request.properties = Properties(properties.begin(), properties.end());
  if (const auto location = arguments.OptionalText("location")) {
    request.location = session.AbsoluteLocation(*location);
  }
  const auto version = arguments.Integer("format_version");
  if (version && (*version < 1 || *version > 3)) {
    return MakeError(ErrorCode::kInvalidInput, "format_version is {}, expected 1 to 3", *version);
  }
  request.format_version = static_cast<int>(version.value_or(request.format_version));
  return request;
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveNewTable(arguments.Text("table")));
  FIRN_ASSIGN(const CreateTableRequest request, MakeRequest(*context.session, arguments));
  FIRN_RETURN_IF_ERROR(PrepareNamespace(context, reference));
  FIRN_ASSIGN(const Table table, reference.catalog->Create(reference.name, request));
  if (context.notice) {
    context.notice("table '" + FormatTableName(reference.name) + "' was made at '" +
                   table.metadata->location + "'");
  }
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
                         .help = "Where the table's files are; by default the catalog decides."}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
