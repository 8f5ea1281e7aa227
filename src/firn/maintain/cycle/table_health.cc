#include "firn/maintain/cycle/table_health.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "firn/base/format_bytes.h"
#include "firn/commit/rewrite_manifests.h"
#include "firn/maintain/cycle/delete_maintenance_internal.h"
#include "firn/maintain/file_to_delete.h"

namespace firn {
namespace {

/// What a table loses at most for each kind of trouble, and where that much is reached.
constexpr double kFilesPoints = 45;
constexpr double kDeletesPoints = 25;
constexpr double kDeleteRatioMost = 0.3;
constexpr double kManifestsPoints = 15;
constexpr double kManifestsMost = 50;
constexpr double kSnapshotsPoints = 15;
constexpr double kSnapshotsMost = 100;

int64_t Total(const Snapshot& snapshot, std::string_view key) {
  return snapshot.summary.FindNumber(key).value_or(0);
}

void CountFiles(const std::vector<ManifestFile>& manifests, const Snapshot& head,
                TableHealth& health) {
  int64_t rows = 0;
  for (const ManifestFile& manifest : manifests) {
    if (manifest.content != ManifestContent::kData) continue;
    health.data_files +=
        manifest.added_files_count.value_or(0) + manifest.existing_files_count.value_or(0);
    rows += manifest.added_rows_count.value_or(0) + manifest.existing_rows_count.value_or(0);
  }
  const int64_t deleted =
      Total(head, "total-position-deletes") + Total(head, "total-equality-deletes");
  if (rows > 0) health.delete_ratio = static_cast<double>(deleted) / static_cast<double>(rows);
}

/// By what a table is judged, in words.
struct Limits {
  std::string compact;
  std::string manifests;
  std::string expire;
};

std::string FormatAge(std::chrono::milliseconds age) {
  const auto hours = std::chrono::duration_cast<std::chrono::hours>(age);
  if (hours != age) return fmt::format("{} s", std::chrono::duration<double>(age).count());
  constexpr int64_t kHoursOfADay = 24;
  const int64_t count = hours.count();
  return count % kHoursOfADay == 0 ? fmt::format("{} d", count / kHoursOfADay)
                                   : fmt::format("{} h", count);
}

Result<Limits> LimitsOf(const TableMetadata& metadata, const MaintenancePolicy& policy) {
  Limits limits;
  FIRN_ASSIGN(const auto options, CompactionOptionsOf(metadata, policy));
  limits.compact = DescribeLimits(options);
  FIRN_ASSIGN(const int64_t manifest_bytes,
              metadata.IntProperty("commit.manifest.target-size-bytes", int64_t{8} << 20));
  limits.manifests = fmt::format("from {} on, for manifests of {}", kManifestsWorthIt,
                                 FormatBytes(static_cast<double>(manifest_bytes)));
  FIRN_ASSIGN(const RetentionLimits retention, RetentionLimitsOf(metadata));
  limits.expire = fmt::format("older than {}, the newest {} of a branch stay",
                              FormatAge(policy.expire_older_than.value_or(retention.age)),
                              policy.expire_retain_last.value_or(retention.count));
  return limits;
}

void Judge(TableHealth& health, const MaintenancePolicy& policy, const Limits& limits) {
  const auto share = [](double value, double most) { return std::min(1.0, value / most); };
  const double files = share(static_cast<double>(health.compaction_files),
                             static_cast<double>(std::max<int64_t>(health.data_files, 1))) *
                       kFilesPoints;
  const double deletes = share(health.delete_ratio, kDeleteRatioMost) * kDeletesPoints;
  const double manifests =
      share(static_cast<double>(health.manifests_to_rewrite), kManifestsMost) * kManifestsPoints;
  const double snapshots =
      share(static_cast<double>(health.expired_snapshots), kSnapshotsMost) * kSnapshotsPoints;
  health.score = static_cast<int>(std::lround(100 - files - deletes - manifests - snapshots));

  std::vector<std::pair<double, std::string>> advice;
  const auto add = [&](double points, MaintenanceStep step, const std::string& what,
                       const std::string& by) {
    advice.emplace_back(points, fmt::format("{}: {} ({}){}", FormatMaintenanceStep(step), what, by,
                                            policy.Does(step) ? "" : ", off by policy"));
  };
  if (health.compaction_files > 0) {
    add(files, MaintenanceStep::kCompact,
        fmt::format("{} files could be {}{}", health.compaction_files, health.expected_outputs,
                    health.has_open_outputs ? " or more" : ""),
        limits.compact);
  }
  if (!health.deletes_to_maintain.empty()) {
    add(deletes, MaintenanceStep::kDeletes, health.deletes_to_maintain,
        fmt::format("equality deletes: from {} files on", policy.deletes_min_equality_files));
  }
  if (health.manifests_to_rewrite > 0) {
    add(manifests, MaintenanceStep::kManifests,
        fmt::format("{} of {} are too small, or not in order", health.manifests_to_rewrite,
                    health.manifests),
        limits.manifests);
  }
  if (health.expired_snapshots > 0) {
    add(snapshots, MaintenanceStep::kExpire,
        fmt::format("{} of {} snapshots are over", health.expired_snapshots, health.snapshots),
        limits.expire);
  }
  std::stable_sort(advice.begin(), advice.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [points, text] : advice)
    health.advice.push_back(std::move(text));
}

// Nobody looks at what maintenance does to each file, so the order of a table is kept up unless its
// policy says otherwise.
std::optional<std::string> StrategyOf(const TableMetadata& metadata,
                                      const MaintenancePolicy& policy) {
  if (policy.compact_strategy || policy.compact_sort_order) return policy.compact_strategy;
  const SortOrder* order = metadata.FindSortOrder(metadata.default_sort_order_id);
  if (order == nullptr || order->fields.empty()) return std::nullopt;
  const bool is_known = std::all_of(
      order->fields.begin(), order->fields.end(),
      [](const SortField& field) { return field.transform.kind != TransformKind::kUnknown; });
  return is_known ? std::optional<std::string>("sort") : std::nullopt;
}

// What the step `deletes` would do.
Result<std::string> LookAtDeletes(const MaintainContext& context, const Table& table,
                                  const MaintenancePolicy& policy,
                                  const std::vector<ManifestFile>& manifests) {
  const bool has_deletes =
      std::any_of(manifests.begin(), manifests.end(), [](const ManifestFile& manifest) {
        return manifest.content == ManifestContent::kDeletes && manifest.has_live_files();
      });
  if (!has_deletes) return std::string();
  FIRN_ASSIGN(StepReport report, MaintainDeletes(context, table, policy, /*is_dry_run=*/true));
  return report.outcome == StepOutcome::kPlanned ? std::move(report.reason) : std::string();
}

}  // namespace

std::string DescribeOutputs(int64_t outputs, bool is_open) {
  return fmt::format("{} {}", is_open ? "at least" : "about", outputs);
}

Result<RewriteDataFilesOptions> CompactionOptionsOf(const TableMetadata& metadata,
                                                    const MaintenancePolicy& policy) {
  FIRN_ASSIGN(const RewriteOrder order,
              ParseRewriteOrder(metadata, StrategyOf(metadata, policy), policy.compact_sort_order));
  return ParseRewriteDataFilesOptions(metadata, policy.compact_options, order);
}

RetentionOptions RetentionOf(const MaintenancePolicy& policy, Timestamp now) {
  RetentionOptions options{.now = now, .retain_last = policy.expire_retain_last};
  if (policy.expire_older_than) options.older_than = now - *policy.expire_older_than;
  return options;
}

Result<TableHealth> AssessTable(const MaintainContext& context, const Table& table,
                                const MaintenancePolicy& policy) {
  const TableMetadata& metadata = *table.metadata;
  TableHealth health;
  health.snapshots = static_cast<int64_t>(metadata.snapshots.size());
  FIRN_ASSIGN(const ExpiredHistory expired,
              PlanRetention(metadata, RetentionOf(policy, context.commit.clock->Now())));
  if (CheckMayDeleteFiles(metadata, "health").ok()) {
    health.expired_snapshots = static_cast<int64_t>(expired.snapshot_ids.size());
  }
  const Snapshot* head = metadata.current_snapshot();
  if (head != nullptr) {
    FIRN_ASSIGN(const auto manifests, ReadManifests(*table.io, *head));
    health.manifests = static_cast<int64_t>(manifests.size());
    CountFiles(manifests, *head, health);
    FIRN_ASSIGN(const auto options, CompactionOptionsOf(metadata, policy));
    FIRN_ASSIGN(health.compaction,
                PlanCompaction(context, table, std::string(kMainBranch), nullptr, options));
    for (const FileGroup& group : health.compaction.groups) {
      health.compaction_files += static_cast<int64_t>(group.inputs.size());
      health.small_files +=
          std::count_if(group.inputs.begin(), group.inputs.end(), [&](const FileScanTask& task) {
            return task.file.file_size_in_bytes < options.min_file_size_bytes;
          });
      health.expected_outputs += group.expected_outputs;
      health.has_open_outputs = health.has_open_outputs || !group.partition;
      health.compaction_bytes += group.input_bytes;
    }
    FIRN_ASSIGN(const auto rewritable, ChooseManifestsToRewrite(table, {}));
    const auto count = static_cast<int64_t>(rewritable.manifests.size());
    if (count >= kManifestsWorthIt) health.manifests_to_rewrite = count;
    FIRN_ASSIGN(health.deletes_to_maintain, LookAtDeletes(context, table, policy, manifests));
  }
  FIRN_ASSIGN(const Limits limits, LimitsOf(metadata, policy));
  Judge(health, policy, limits);
  return health;
}

}  // namespace firn
