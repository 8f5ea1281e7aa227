#include "firn/maintain/statistics/repair_metrics.h"

#include <fmt/format.h>

#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

// Differences that are listed; the rest is counted.
constexpr size_t kRowsMax = 100'000;

Value TextOrNull(const std::string& text) { return text.empty() ? Value() : Value(text); }

Result<ProcedureOutput> Preview(ProcedureContext& context, const MaintainContext& maintain,
                                const Table& table, const RepairMetricsOptions& options) {
  std::vector<StructValue> rows;
  size_t left_out = 0;
  FIRN_ASSIGN(const auto result,
              CheckMetrics(maintain, table, options, [&](const MetricsDifference& one) -> Status {
                if (rows.size() == kRowsMax) {
                  ++left_out;
                  return {};
                }
                rows.push_back({{Value(one.file_path), TextOrNull(one.column), Value(one.metric),
                                 TextOrNull(one.recorded), TextOrNull(one.found)}});
                return {};
              }));
  if (context.notice) {
    context.notice(
        fmt::format("dry run: {} of {} data files have wrong or missing metrics{}",
                    result.wrong_files_count, result.checked_files_count,
                    left_out == 0 ? "" : fmt::format("; {} differences are not listed", left_out)));
  }
  return MakeOutput(MakeRowType({{"file_path", TextType()},
                                 {"column", TextType()},
                                 {"metric", TextType()},
                                 {"recorded", TextType()},
                                 {"found", TextType()}}),
                    std::move(rows));
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, ResolveWholeTable(*context.session, arguments.Text("table")));
  FIRN_RETURN_IF_ERROR(CheckCanCommitSnapshot(reference));
  const RepairMetricsOptions options{.reads_rows = arguments.Boolean("read_rows")};
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  if (context.is_dry_run) return Preview(context, maintain, reference.table, options);
  FIRN_ASSIGN(const auto result, RepairMetrics(maintain, reference.table, options));
  return MakeOutput(MakeRowType({{"checked_files_count", LongType()},
                                 {"repaired_files_count", LongType()},
                                 {"rewritten_manifests_count", IntType()},
                                 {"snapshot_id", LongType()}}),
                    {{{Value(result.checked_files_count), Value(result.wrong_files_count),
                       Value(static_cast<int32_t>(result.rewritten_manifests_count)),
                       OptionalValue(result.snapshot_id)}}});
}

}  // namespace

Procedure DescribeRepairMetrics() {
  return {.command = {"repair-metrics"},
          .call_name = "repair_metrics",
          .summary = "Compare what manifests tell of data files with the files, and correct it.",
          .arguments = {TableOrLocationArgument(),
                        {.name = "read_rows",
                         .type = ArgumentType::kBoolean,
                         .help = "Compare with all rows rather than with footers: ORC and Avro "
                                 "files, Parquet files without statistics and counts of NaN too. "
                                 "Reads the whole table.",
                         .default_text = "false"}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
