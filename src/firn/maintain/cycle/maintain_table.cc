#include "firn/maintain/cycle/maintain_table.h"

#include <algorithm>
#include <utility>

#include "firn/commit/rewrite_manifests.h"
#include "firn/maintain/compaction/rewrite_data_files.h"
#include "firn/maintain/cycle/delete_maintenance_internal.h"
#include "firn/maintain/cycle/row_maintenance_internal.h"
#include "firn/maintain/cycle/table_health.h"
#include "firn/maintain/expiry/expire_snapshots.h"
#include "firn/maintain/orphans/remove_orphan_files.h"

namespace firn {
namespace {

using std::chrono::duration;

std::string WithRefs(const std::vector<std::string>& refs) {
  return refs.empty() ? "" : "; " + DescribeDroppedRefs(refs);
}

std::string WithJournals(int64_t journals) {
  return journals == 0 ? "" : fmt::format("; {} journals of rewrites that were killed", journals);
}

class TableMaintenance {
 public:
  TableMaintenance(const MaintainContext& context, const Table& table,
                   const MaintenancePolicy& policy, MaintenanceBudget& budget, bool is_dry_run)
      : context_(context),
        table_(table),
        policy_(policy),
        budget_(budget),
        is_dry_run_(is_dry_run) {}

  StepReport Run(MaintenanceStep step);

 private:
  Result<StepReport> RunStep(MaintenanceStep step);
  Result<StepReport> Compact();
  Result<StepReport> RewriteManifestFiles();
  Result<StepReport> Expire();
  Result<StepReport> RemoveUnknown(bool only_metadata);

  Status Reload() {
    FIRN_ASSIGN(table_, context_.commit.catalog->Load(table_.name));
    return {};
  }
  IoTotals Spent() const { return budget_.meter ? budget_.meter->totals() : IoTotals(); }
  Result<std::vector<ManifestFile>> CurrentManifests() const {
    const Snapshot* snapshot = table_.metadata->current_snapshot();
    if (snapshot == nullptr) return std::vector<ManifestFile>();
    return ReadManifests(*table_.io, *snapshot);
  }
  void Estimate(StepReport& report, const IoTotals& totals) const {
    report.estimate = MakeStepCost(totals, {}, policy_.cost);
  }
  static StepReport Skip(std::string reason) {
    return {.outcome = StepOutcome::kSkipped, .reason = std::move(reason)};
  }
  static StepReport SkipShared() {
    return Skip("the property 'gc.enabled' says that its files may belong to others, too");
  }
  StepReport Act(std::string reason) const {
    return {.outcome = is_dry_run_ ? StepOutcome::kPlanned : StepOutcome::kDone,
            .reason = std::move(reason)};
  }

  const MaintainContext& context_;
  Table table_;
  const MaintenancePolicy& policy_;
  MaintenanceBudget& budget_;
  const bool is_dry_run_;
};

Result<StepReport> TableMaintenance::Compact() {
  FIRN_ASSIGN(auto options, CompactionOptionsOf(*table_.metadata, policy_));
  const std::string branch(kMainBranch);
  if (table_.metadata->current_snapshot() == nullptr) return Skip("the table has no snapshot");
  FIRN_ASSIGN(const auto plan, PlanCompaction(context_, table_, branch, nullptr, options));
  if (plan.groups.empty()) {
    return Skip(DescribeNothingToDo(plan.survey, options));
  }
  // As many whole groups as the budget allows.
  int64_t bytes = 0;
  int64_t files = 0;
  int64_t outputs = 0;
  bool is_open = false;
  std::vector<const FileGroup*> chosen;
  for (const FileGroup& group : plan.groups) {
    if (budget_.bytes && bytes + group.input_bytes > *budget_.bytes) break;
    bytes += group.input_bytes;
    files += static_cast<int64_t>(group.inputs.size());
    outputs += group.expected_outputs;
    is_open = is_open || !group.partition;
    chosen.push_back(&group);
  }
  if (files == 0) {
    return Skip(fmt::format("budget.bytes has {} left, and the first group of files has {}",
                            *budget_.bytes, plan.groups.front().input_bytes));
  }
  StepReport report = Act(
      fmt::format("{} files of {} bytes to {}", files, bytes, DescribeOutputs(outputs, is_open)));
  report.bytes = bytes;
  report.files = files;
  FIRN_ASSIGN(const auto manifests, CurrentManifests());
  Estimate(report, EstimateCompaction(chosen, manifests));
  if (budget_.bytes) *budget_.bytes -= bytes;
  if (is_dry_run_) return report;
  if (budget_.bytes) options.max_files_to_rewrite = files;
  FIRN_ASSIGN(const auto result, RewriteDataFiles(context_, table_, branch, nullptr, options));
  report.reason =
      fmt::format("{} files became {}, {} delete files went", result.rewritten_data_files_count,
                  result.added_data_files_count, result.removed_delete_files_count);
  report.files = result.rewritten_data_files_count;
  report.bytes = result.rewritten_bytes_count;
  return report;
}

Result<StepReport> TableMaintenance::RewriteManifestFiles() {
  FIRN_ASSIGN(const auto found, ChooseManifestsToRewrite(table_, {}));
  const std::vector<ManifestFile>& chosen = found.manifests;
  if (chosen.empty()) return Skip(found.reason);
  if (std::ssize(chosen) < kManifestsWorthIt) {
    return Skip(fmt::format("{} manifests could be put together, worth it from {}", chosen.size(),
                            kManifestsWorthIt));
  }
  StepReport report = Act(fmt::format("{} manifests", chosen.size()));
  report.files = static_cast<int64_t>(chosen.size());
  Estimate(report, EstimateManifests(chosen, EstimateRewrittenManifests(chosen), 2));
  if (is_dry_run_) return report;
  FIRN_ASSIGN(const auto result, CommitRewriteManifests(context_.commit, table_, {}));
  report.reason = fmt::format("{} manifests became {}", result.rewritten_manifests_count,
                              result.added_manifests_count);
  report.files = result.rewritten_manifests_count;
  return report;
}

Result<StepReport> TableMaintenance::Expire() {
  if (!CheckMayDeleteFiles(*table_.metadata, "expire").ok()) return SkipShared();
  ExpireSnapshotsOptions options;
  options.retention = RetentionOf(policy_, context_.commit.clock->Now());
  FIRN_ASSIGN(const auto history, PlanRetention(*table_.metadata, options.retention));
  if (history.snapshot_ids.empty() && history.refs.empty()) {
    return Skip("no snapshot is over");
  }
  StepReport report = Act(fmt::format("{} of {} snapshots are over{}", history.snapshot_ids.size(),
                                      table_.metadata->snapshots.size(), WithRefs(history.refs)));
  if (is_dry_run_) {
    FIRN_ASSIGN(const IoTotals totals, EstimateExpiry(context_, table_, options));
    Estimate(report, totals);
    return report;
  }
  FIRN_ASSIGN(const auto result, ExpireSnapshots(context_, table_, options));
  Estimate(report, result.estimate);
  report.reason = fmt::format("{} snapshots were expired{}", result.expired_snapshots_count,
                              WithRefs(result.dropped_refs));
  report.files = result.deleted_data_files_count + result.deleted_position_delete_files_count +
                 result.deleted_equality_delete_files_count + result.deleted_manifest_files_count +
                 result.deleted_manifest_lists_count + result.deleted_statistics_files_count;
  if (result.first_failure) return result.first_failure->Within("deleting files");
  return report;
}

Result<StepReport> TableMaintenance::RemoveUnknown(bool only_metadata) {
  if (!CheckMayDeleteFiles(*table_.metadata, "orphans").ok()) return SkipShared();
  RemoveOrphanFilesOptions options;
  options.now = context_.commit.clock->Now();
  if (policy_.orphans_older_than) options.older_than = options.now - *policy_.orphans_older_than;
  options.quarantines = policy_.orphans_quarantine && !only_metadata;
  options.max_fraction = only_metadata ? 1.0 : policy_.orphans_max_fraction;
  options.only_metadata = only_metadata;
  options.content_folders = budget_.content_folders;
  if (only_metadata) options.location = table_.metadata->MetadataLocation();
  const std::string what = only_metadata ? "old metadata files" : "files";
  if (is_dry_run_) {
    FIRN_ASSIGN(const auto found, FindOrphanFiles(context_, table_, options));
    if (found->refusal()) return *found->refusal();
    const int64_t journals = found->ended_journal_count();
    if (found->orphan_count() + journals == 0) {
      return Skip("no " + what + " that the table does not know");
    }
    StepReport report = Act(fmt::format("{} {} that the table does not know{}",
                                        found->orphan_count(), what, WithJournals(journals)));
    report.files = found->orphan_count();
    return report;
  }
  FIRN_ASSIGN(const auto result, RemoveOrphanFiles(context_, table_, options));
  if (result.files->orphan_count() + result.removed_journal_count == 0) {
    return Skip("no " + what + " that the table does not know");
  }
  if (result.first_failure) return *result.first_failure;
  StepReport report = Act((result.quarantine_run.empty()
                               ? fmt::format("{} {} were deleted", result.removed_count, what)
                               : fmt::format("{} {} went into quarantine run {}",
                                             result.removed_count, what, result.quarantine_run)) +
                          WithJournals(result.removed_journal_count));
  report.files = result.removed_count;
  return report;
}

Result<StepReport> TableMaintenance::RunStep(MaintenanceStep step) {
  FIRN_RETURN_IF_ERROR(Reload());
  switch (step) {
    case MaintenanceStep::kRows:
      return MaintainRows(context_, table_, policy_, is_dry_run_);
    case MaintenanceStep::kCompact:
      return Compact();
    case MaintenanceStep::kDeletes:
      return MaintainDeletes(context_, table_, policy_, is_dry_run_);
    case MaintenanceStep::kManifests:
      return RewriteManifestFiles();
    case MaintenanceStep::kExpire:
      return Expire();
    case MaintenanceStep::kMetadata:
      return RemoveUnknown(true);
    case MaintenanceStep::kOrphans:
      return RemoveUnknown(false);
  }
  return Skip("");
}

StepReport TableMaintenance::Run(MaintenanceStep step) {
  const auto began = context_.commit.clock->Elapsed();
  const IoTotals before = Spent();
  Result<StepReport> result = Skip("budget.seconds is used up");
  if (!budget_.ends || began < *budget_.ends) result = RunStep(step);
  StepReport report;
  if (result.ok()) {
    report = *std::move(result);
  } else {
    report.outcome = StepOutcome::kFailed;
    report.reason = result.error().Format();
    report.error = result.error();
  }
  report.step = step;
  report.seconds = duration<double>(context_.commit.clock->Elapsed() - began).count();
  const IoTotals after = Spent();
  report.measured = MakeStepCost({.requests = after.requests - before.requests,
                                  .bytes_read = after.bytes_read - before.bytes_read,
                                  .bytes_written = after.bytes_written - before.bytes_written},
                                 report.seconds, policy_.cost);
  return report;
}

}  // namespace

std::string_view FormatStepOutcome(StepOutcome outcome) {
  switch (outcome) {
    case StepOutcome::kDone:
      return "done";
    case StepOutcome::kPlanned:
      return "planned";
    case StepOutcome::kSkipped:
      return "skipped";
    case StepOutcome::kFailed:
      return "failed";
  }
  return "";
}

void MaintainTable(const MaintainContext& context, const Table& table,
                   const MaintenancePolicy& policy, MaintenanceBudget& budget, bool is_dry_run,
                   const std::function<void(const StepReport&)>& report) {
  TableMaintenance maintenance(context, table, policy, budget, is_dry_run);
  bool has_planned = false;
  for (const MaintenanceStep step : policy.steps) {
    StepReport done = maintenance.Run(step);
    done.ignores_planned_steps = has_planned;
    has_planned = has_planned || done.outcome == StepOutcome::kPlanned;
    report(done);
    if (done.outcome == StepOutcome::kFailed) return;
  }
}

}  // namespace firn
