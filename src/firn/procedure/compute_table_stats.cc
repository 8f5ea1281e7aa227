#include "firn/maintain/statistics/compute_table_stats.h"

#include <utility>

#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(auto reference, ResolveChangeableTable(*context.session, arguments.Text("table")));
  FIRN_RETURN_IF_ERROR(PrepareDryRun(context, reference));
  ComputeTableStatsOptions options;
  options.snapshot_id = arguments.Integer("snapshot_id");
  options.columns = arguments.TextList("columns");
  if (arguments.Has("columns") && options.columns.empty()) {
    return MakeError(ErrorCode::kInvalidInput, "columns is empty, expected names of columns");
  }
  FIRN_ASSIGN(auto file,
              ComputeTableStats(MakeMaintainContext(context, reference), reference.table, options));
  if (context.is_dry_run) {
    return MakeFileRows("write", [file](const std::function<Status(FileToDelete)>& visit) {
      return file ? visit({FileKind::kStatistics, file->path, file->file_size_in_bytes}) : Status();
    });
  }
  std::vector<StructValue> rows;
  if (file) rows.push_back({{Value(std::move(file->path))}});
  return MakeOutput(MakeRowType({{"statistics_file", TextType()}}), std::move(rows));
}

}  // namespace

Procedure DescribeComputeTableStats() {
  return {.command = {"compute-table-stats"},
          .call_name = "compute_table_stats",
          .summary = "Count the distinct values of columns, nearly, for readers to plan with.",
          .arguments = {TableOrLocationArgument(),
                        {.name = "snapshot_id",
                         .type = ArgumentType::kInteger,
                         .help = "The snapshot whose rows are read.",
                         .default_text = "the current one"},
                        {.name = "columns",
                         .type = ArgumentType::kTextList,
                         .help = "Primitive columns of that snapshot, nested ones as a.b. What "
                                 "the snapshot had of other columns goes.",
                         .default_text = "all primitive columns at the top"}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
