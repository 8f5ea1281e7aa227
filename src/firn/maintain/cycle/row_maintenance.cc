#include "firn/base/civil_time.h"
#include "firn/change/expire_rows.h"
#include "firn/maintain/cycle/row_maintenance_internal.h"

namespace firn {
namespace {

// Columns are looked at before a file is written again; half of its rows stay.
IoTotals EstimateFiles(const ExpireRowsPlan& plan) {
  IoTotals totals;
  for (const FileScanTask& task : plan.files) {
    const int64_t bytes = task.file.file_size_in_bytes;
    totals.requests += 2;
    totals.bytes_read += bytes;
    if (plan.mode == WriteMode::kMergeOnRead) continue;
    totals.requests += 3;
    totals.bytes_read += bytes;
    totals.bytes_written += bytes / 2;
  }
  return totals;
}

// Manifests are read to plan, and those whose files go are written again.
Result<IoTotals> EstimateRows(const Table& table, const ExpireRowsPlan& plan) {
  FIRN_ASSIGN(const auto manifests, ReadManifests(*table.io, *table.metadata->current_snapshot()));
  int64_t rewritten = 0;
  for (const ManifestFile& manifest : manifests) {
    if (manifest.content == ManifestContent::kData) rewritten += manifest.manifest_length;
  }
  constexpr int kPasses = 3;  // To look, to plan and to commit.
  IoTotals totals = EstimateManifests(manifests, rewritten, kPasses);
  const IoTotals files = EstimateFiles(plan);
  totals.requests += files.requests;
  totals.bytes_read += files.bytes_read;
  totals.bytes_written += files.bytes_written;
  return totals;
}

}  // namespace

Result<StepReport> MaintainRows(const MaintainContext& context, const Table& table,
                                const MaintenancePolicy& policy, bool is_dry_run) {
  const ChangeContext change{.commit = context.commit, .budget = context.budget};
  ExpireRowsRequest request;
  request.column = policy.expire_rows->column;
  request.keep_days = policy.expire_rows->keep_days;
  const Snapshot* head = table.metadata->current_snapshot();
  if (!FindLastIngest(*table.metadata, head)) {
    return StepReport{.outcome = StepOutcome::kSkipped,
                      .reason = head == nullptr ? "the table has no snapshot"
                                                : "no snapshot tells when rows last came"};
  }
  FIRN_ASSIGN(const ExpireRowsPlan plan, PlanExpireRows(change, table, request));
  const std::string limit =
      fmt::format("'{}' before {}", request.column, FormatInstant(plan.kept_since));
  const size_t files = plan.whole_files.size() + plan.files.size();
  if (files == 0) {
    return StepReport{.outcome = StepOutcome::kSkipped,
                      .reason = fmt::format("no file has rows with {}", limit)};
  }
  StepReport report{.outcome = is_dry_run ? StepOutcome::kPlanned : StepOutcome::kDone,
                    .reason = fmt::format("{} data files have only rows with {}, {} may have some",
                                          plan.whole_files.size(), limit, plan.files.size()),
                    .files = static_cast<int64_t>(files)};
  FIRN_ASSIGN(const IoTotals totals, EstimateRows(table, plan));
  report.estimate = MakeStepCost(totals, {}, policy.cost);
  if (is_dry_run) return report;
  FIRN_ASSIGN(const ExpireRowsResult result, ExpireRows(change, table, request));
  const ReplaceRowsResult& deleted = result.deleted;
  report.files = deleted.removed_data_files;
  report.reason =
      fmt::format("{} rows with {} were deleted; {} data files went, {} and {} delete files came",
                  deleted.deleted_rows, limit, deleted.removed_data_files, deleted.added_data_files,
                  deleted.added_delete_files);
  return report;
}

}  // namespace firn
