#include "firn/maintain/statistics/compute_partition_stats.h"

#include <algorithm>
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
  const TableMetadataPtr before = reference.table.metadata;
  FIRN_RETURN_IF_ERROR(PrepareDryRun(context, reference));
  FIRN_ASSIGN(auto file, ComputePartitionStats(MakeMaintainContext(context, reference),
                                               reference.table, arguments.Integer("snapshot_id")));
  if (context.is_dry_run) {
    const auto& known = before->partition_statistics;
    if (file && std::find(known.begin(), known.end(), *file) != known.end()) file.reset();
    return MakeFileRows("write", [file](const std::function<Status(FileToDelete)>& visit) {
      return file ? visit({FileKind::kStatistics, file->path, file->file_size_in_bytes}) : Status();
    });
  }
  std::vector<StructValue> rows;
  if (file) rows.push_back({{Value(std::move(file->path))}});
  return MakeOutput(MakeRowType({{"partition_statistics_file", TextType()}}), std::move(rows));
}

}  // namespace

Procedure DescribeComputePartitionStats() {
  return {.command = {"compute-partition-stats"},
          .call_name = "compute_partition_stats",
          .summary = "Sum up the files of each partition into a statistics file.",
          .arguments = {TableOrLocationArgument(),
                        {.name = "snapshot_id",
                         .type = ArgumentType::kInteger,
                         .help = "The snapshot whose files are summed up.",
                         .default_text = "the current one"}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
