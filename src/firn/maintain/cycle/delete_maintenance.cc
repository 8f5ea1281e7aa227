#include <utility>

#include <fmt/ranges.h>

#include "firn/maintain/cycle/conversion_cost_internal.h"
#include "firn/maintain/cycle/delete_maintenance_internal.h"
#include "firn/maintain/cycle/step_cost.h"
#include "firn/maintain/deletes/convert_equality_deletes.h"
#include "firn/maintain/deletes/remove_dangling_deletes.h"
#include "firn/maintain/deletes/rewrite_position_deletes.h"

namespace firn {
namespace {

int64_t CountInputs(const DeleteRewritePlan& plan) {
  int64_t files = 0;
  for (const DeleteGroup& group : plan.groups)
    files += static_cast<int64_t>(group.inputs.size());
  return files;
}

class DeleteMaintenance {
 public:
  DeleteMaintenance(const MaintainContext& context, const Table& table,
                    const MaintenancePolicy& policy, bool is_dry_run)
      : context_(context), table_(table), policy_(policy), is_dry_run_(is_dry_run) {}

  Result<StepReport> Run() {
    FIRN_RETURN_IF_ERROR(RemoveDangling());
    FIRN_RETURN_IF_ERROR(ConvertEquality());
    FIRN_RETURN_IF_ERROR(RewritePositions());
    if (done_.empty()) {
      // Without any delete file, the first reason says all.
      if (!has_deletes_) reasons_.resize(1);
      return StepReport{.outcome = StepOutcome::kSkipped,
                        .reason = fmt::format("{}", fmt::join(reasons_, "; "))};
    }
    StepReport report{.outcome = is_dry_run_ ? StepOutcome::kPlanned : StepOutcome::kDone,
                      .reason = fmt::format("{}", fmt::join(done_, "; ")),
                      .files = files_};
    report.estimate = MakeStepCost(totals_, {}, policy_.cost);
    return report;
  }

 private:
  Status Reload() {
    FIRN_ASSIGN(table_, context_.commit.catalog->Load(table_.name));
    return {};
  }

  // A commit that writes delete manifests anew, after so many looks at all manifests.
  Status EstimateCommit(int passes = 2) {
    const Snapshot* snapshot = table_.metadata->current_snapshot();
    FIRN_CHECK(snapshot != nullptr);  // It has deletes.
    FIRN_ASSIGN(const auto manifests, ReadManifests(*table_.io, *snapshot));
    int64_t rewritten = 0;
    for (const ManifestFile& manifest : manifests) {
      if (manifest.content == ManifestContent::kDeletes) rewritten += manifest.manifest_length;
    }
    EstimateMore(EstimateManifests(manifests, rewritten, passes));
    return {};
  }

  void EstimateMore(const IoTotals& more) {
    totals_.requests += more.requests;
    totals_.bytes_read += more.bytes_read;
    totals_.bytes_written += more.bytes_written;
  }

  Status Skip(std::string reason) {
    reasons_.push_back(std::move(reason));
    return {};
  }

  void Add(std::string what, int64_t files) {
    done_.push_back(std::move(what));
    files_ += files;
  }

  Status RemoveDangling() {
    FIRN_ASSIGN(const auto dangling, FindDanglingDeletes(context_, table_, branch_));
    has_deletes_ = dangling.used_count > 0;
    if (dangling.files.empty()) return Skip(dangling.reason);
    FIRN_RETURN_IF_ERROR(EstimateCommit());
    auto files = static_cast<int64_t>(dangling.files.size());
    if (!is_dry_run_) {
      FIRN_ASSIGN(const auto result, RemoveDanglingDeletes(context_, table_, branch_));
      files = result.removed_delete_files_count;
      FIRN_RETURN_IF_ERROR(Reload());
    }
    Add(fmt::format("{} delete files apply to nothing", files), files);
    return {};
  }

  Status ConvertEquality() {
    ConvertEqualityDeletesOptions options;
    options.min_input_files = policy_.deletes_min_equality_files;
    FIRN_ASSIGN(const DeleteRewritePlan plan,
                PlanEqualityDeleteConversion(context_, table_, branch_, nullptr, options));
    if (plan.groups.empty()) return Skip(plan.reason);
    constexpr int kPasses = 6;  // For deletes and for data, to look, to plan and to commit.
    FIRN_RETURN_IF_ERROR(EstimateCommit(kPasses));
    FIRN_ASSIGN(const IoTotals conversion, EstimateConversion(context_, table_, plan));
    EstimateMore(conversion);
    if (is_dry_run_) {
      const int64_t files = CountInputs(plan);
      Add(fmt::format("{} equality delete files to become positions", files), files);
      return {};
    }
    FIRN_ASSIGN(const DeleteRewriteResult result,
                ConvertEqualityDeletes(context_, table_, branch_, nullptr, options));
    Add(fmt::format("{} equality delete files became {} files of positions",
                    result.converted_equality_deletes, result.added_position_deletes),
        result.converted_equality_deletes);
    return Reload();
  }

  Status RewritePositions() {
    FIRN_ASSIGN(RewritePositionDeletesOptions options,
                ParseRewritePositionDeletesOptions(*table_.metadata, {}));
    options.only_fewer = true;
    FIRN_ASSIGN(const DeleteRewritePlan plan,
                PlanPositionDeleteRewrite(context_, table_, branch_, nullptr, options));
    if (plan.groups.empty()) return Skip(plan.reason);
    const int64_t files = CountInputs(plan);
    int64_t outputs = 0;
    int64_t bytes = 0;
    for (const DeleteGroup& group : plan.groups) {
      outputs += group.expected_outputs;
      bytes += group.input_bytes;
    }
    FIRN_RETURN_IF_ERROR(EstimateCommit());
    EstimateMore({.requests = 2 * files + outputs, .bytes_read = bytes, .bytes_written = bytes});
    if (is_dry_run_) {
      Add(fmt::format("{} position delete files to about {}", files, outputs), files);
      return {};
    }
    FIRN_ASSIGN(const DeleteRewriteResult result,
                RewritePositionDeletes(context_, table_, branch_, nullptr, options));
    Add(fmt::format("{} position delete files became {}", result.rewritten_position_deletes,
                    result.added_position_deletes),
        result.rewritten_position_deletes);
    return {};
  }

  const MaintainContext& context_;
  Table table_;
  const MaintenancePolicy& policy_;
  const bool is_dry_run_;
  const std::string branch_{kMainBranch};
  std::vector<std::string> done_;
  std::vector<std::string> reasons_;  // Why what is not done is not.
  bool has_deletes_ = false;          // That apply to something.
  int64_t files_ = 0;
  IoTotals totals_;
};

}  // namespace

Result<StepReport> MaintainDeletes(const MaintainContext& context, const Table& table,
                                   const MaintenancePolicy& policy, bool is_dry_run) {
  return DeleteMaintenance(context, table, policy, is_dry_run).Run();
}

}  // namespace firn
