#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "firn/base/text.h"
#include "firn/data/data.h"
#include "firn/data/read/select_rows.h"
#include "firn/format/types/type_fields.h"
#include "firn/maintain/statistics/partition_statistics_table.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/snapshot_arguments_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_read_internal.h"
#include "firn/procedure/where_argument_internal.h"
#include "firn/scan/metadata_table.h"

namespace firn {
namespace {

// Metadata tables that are made of rows of files, so that `scan` does not know them.
constexpr std::string_view kPositionDeletes = "position_deletes";
constexpr std::string_view kPartitionStatistics = "partition_statistics";

std::vector<std::string> ViewNames() {
  std::vector<std::string> names = {std::string(kPositionDeletes),
                                    std::string(kPartitionStatistics)};
  for (const MetadataTable& table : MetadataTables())
    names.push_back(table.name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<const MetadataTable*> FindView(const std::string& text) {
  const auto view = FindMetadataTable(text);
  if (view.ok()) return view;
  return MakeError(ErrorCode::kInvalidInput, "metadata table '{}' is not known, expected one of {}",
                   text, fmt::join(ViewNames(), ", "));
}

// The rows and columns of a metadata table that were asked for.
Result<ProcedureOutput> Select(ProcedureContext& context, const Arguments& arguments,
                               ProcedureOutput output) {
  FIRN_ASSIGN(output.row_count_max, ReadLimit(arguments));
  if (!arguments.Has("columns") && !arguments.Has("where")) return output;
  // Metadata tables give some ids twice, as those of partition fields and of their own columns.
  int32_t next_id = 0;
  const Schema schema(
      0, AssignFreshIds(output.type->fields(), [&](const NestedField&) { return ++next_id; }));
  FIRN_ASSIGN(const ExpressionPtr filter, ParseWhere(arguments, schema));
  FIRN_ASSIGN(const SchemaPtr selected, SelectColumns(schema, arguments.TextList("columns")));
  FIRN_ASSIGN(output.rows, SelectRows(std::move(output.rows), schema, filter, *selected,
                                      context.session->budget()));
  output.type = selected->as_struct();
  return output;
}

// A metadata table that is made of rows of files of one snapshot.
Result<ProcedureOutput> ShowRowsOfFiles(ProcedureContext& context, const Arguments& arguments,
                                        std::string_view name) {
  Session& session = *context.session;
  FIRN_ASSIGN(const auto reference, session.ResolveTable(arguments.Text("table")));
  FIRN_ASSIGN(const SnapshotSelector selector, SelectSnapshot(arguments, reference));
  FIRN_ASSIGN(const ResolvedSnapshot resolved,
              ResolveSnapshot(*reference.table.metadata, selector));
  const ReadContext read{.io = reference.table.io,
                         .metadata = reference.table.metadata,
                         .executor = &session.executor(),
                         .budget = &session.budget(),
                         .cancel = session.cancel()};
  if (name == kPartitionStatistics) {
    TypePtr type = PartitionStatisticsTableType(*read.metadata);
    // `read` keeps the metadata that the snapshot is in.
    FIRN_ASSIGN(RowStream rows,
                StreamRows(type, [read, snapshot = resolved.snapshot](const RowVisitor& visit) {
                  return VisitPartitionStatistics(read, snapshot, visit);
                }));
    return ProcedureOutput{.type = std::move(type), .rows = std::move(rows)};
  }
  FIRN_ASSIGN(RowStream rows, ReadPositionDeletes(read, resolved.snapshot));
  return ProcedureOutput{.type = PositionDeletesType(*reference.table.metadata),
                         .rows = std::move(rows)};
}

Result<ProcedureOutput> Show(ProcedureContext& context, const Arguments& arguments) {
  const std::string name = arguments.Text("view");
  const std::string plain_name = ReplaceText(LowerAscii(name), "-", "_");
  if (plain_name == kPositionDeletes || plain_name == kPartitionStatistics) {
    return ShowRowsOfFiles(context, arguments, plain_name);
  }
  FIRN_ASSIGN(const MetadataTable* view, FindView(name));
  Session& session = *context.session;
  FIRN_ASSIGN(const auto reference, session.ResolveTable(arguments.Text("table")));
  MetadataTableRequest request;
  request.io = reference.table.io.get();
  request.metadata = reference.table.metadata.get();
  request.metadata_location = reference.table.metadata_location;
  FIRN_ASSIGN(request.selector, SelectSnapshot(arguments, reference));
  request.executor = &session.executor();
  request.cancel = session.cancel();
  FIRN_ASSIGN(TypePtr type, view->type(request));
  FIRN_ASSIGN(RowStream rows,
              StreamRows(type, [view, request, table = reference.table](const RowVisitor& visit) {
                return view->scan(request, visit);
              }));
  return ProcedureOutput{.type = std::move(type), .rows = std::move(rows)};
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(ProcedureOutput output, Show(context, arguments));
  return Select(context, arguments, std::move(output));
}

}  // namespace

Procedure DescribeInspect() {
  std::vector<Argument> arguments = {
      TableOrLocationArgument(),
      {.name = "view",
       .type = ArgumentType::kText,
       .is_required = true,
       .is_positional = true,
       .help = fmt::format("One of {}; '-' is as good as '_'. The tables statistics, "
                           "partition_statistics and partition_statistics_files are firn's own.",
                           fmt::join(ViewNames(), ", "))}};
  for (Argument& argument : SnapshotArguments())
    arguments.push_back(std::move(argument));
  arguments.push_back(ColumnsArgument());
  arguments.push_back(RowFilterArgument());
  arguments.push_back(LimitArgument());
  return {.command = {"inspect"},
          .call_name = "inspect",
          .summary = "Show one of Iceberg's metadata tables.",
          .arguments = std::move(arguments),
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
