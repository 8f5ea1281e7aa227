#include <algorithm>
#include <utility>

#include "firn/commit/rewrite_manifests.h"
#include "firn/data/value_file.h"
#include "firn/maintain/maintain.h"
#include "firn/maintain/statistics/compute_partition_stats.h"

#include "actor.h"

namespace firn::simulation {
namespace {

/// More than clocks of processes differ.
constexpr std::chrono::seconds kClocksApart{5};

/// Some snapshots that are settled: who still waits to hear of one could not find it any more.
JobResult Expire(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const TableMetadata& metadata = *table.metadata;
  ExpireSnapshotsOptions options;
  options.retention.now = worker.scene().world->clock().Now();
  options.retention.older_than = Timestamp();
  options.cleans_metadata = worker.Chance(50);
  const auto quiet = worker.judge().QuietSince(operation);
  if (quiet && worker.Chance(40)) {
    options.retention.older_than = *quiet - kClocksApart;
    options.retention.retain_last = 1 + static_cast<int64_t>(worker.random().Below(3));
  }
  for (const SnapshotId id : worker.scene().judge->SettledSnapshots()) {
    const bool is_named =
        std::any_of(metadata.refs.begin(), metadata.refs.end(),
                    [&](const auto& entry) { return entry.second.snapshot_id == id; });
    if (!is_named && worker.Chance(70)) options.retention.snapshot_ids.push_back(id);
  }
  const auto expired = ExpireSnapshots(worker.maintain_context(), table, options);
  if (expired.ok()) return std::optional<SnapshotId>();
  // A branch or tag came to one of them meanwhile.
  const bool is_refused = expired.error().code() == ErrorCode::kInvalidInput;
  return is_refused ? Error(ErrorCode::kCommitConflict, expired.error().message())
                    : expired.error();
}

JobResult RewriteAllManifests(Worker& worker, Operation& operation) {
  operation.apply = [](const Rows& before) { return before; };
  FIRN_ASSIGN(const Table table, worker.Load());
  RewriteManifestsRequest request;
  request.summary_properties = Worker::SummaryOf(operation);
  const auto& specs = table.metadata->partition_specs;
  request.spec_id = specs[worker.random().Below(specs.size())]->spec_id;
  if (worker.Chance(20)) request.smaller_than_bytes = 4000;
  FIRN_ASSIGN(const auto result, CommitRewriteManifests(worker.context(), table, request));
  return result.snapshot_id;
}

/// Old enough is what was made before anything began that is still going on.
JobResult RemoveOrphans(Worker& worker, Operation& operation) {
  World& world = *worker.scene().world;
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto cut_off = worker.scene().judge->QuietSince(operation);
  if (!cut_off) return std::optional<SnapshotId>();
  RemoveOrphanFilesOptions options;
  options.now = world.clock().Now();
  options.older_than = *cut_off;
  options.allows_recent = true;
  options.max_fraction = 1;
  options.quarantines = worker.Chance(30);
  const auto removed = RemoveOrphanFiles(worker.maintain_context(), table, options);
  if (!removed.ok()) {
    // Clocks apart, or an orphan that cannot be told from another table's metadata.
    const bool is_refused = removed.error().code() == ErrorCode::kInvalidInput;
    return is_refused ? Error(ErrorCode::kCommitConflict, removed.error().message())
                      : removed.error();
  }
  const bool stays_away = removed->quarantine_run.empty() || worker.Chance(30);
  if (stays_away) return std::optional<SnapshotId>();
  FIRN_ASSIGN(const MovedFiles restored,
              RestoreQuarantine(worker.maintain_context(), worker.io(), table.metadata->location,
                                removed->quarantine_run));
  if (removed->failed_count > 0 || restored.failed > 0 || restored.already_gone > 0) {
    return std::optional<SnapshotId>();
  }
  FIRN_RETURN_IF_ERROR(removed->files->Visit([&](const FileToDelete& file) -> Status {
    worker.judge().CheckRestored(file.path);
    return {};
  }));
  return std::optional<SnapshotId>();
}

/// Of those whose run has ended.
JobResult EmptyOldQuarantine(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto cut_off = worker.judge().QuietSince(operation);
  if (!cut_off) return std::optional<SnapshotId>();
  FIRN_RETURN_IF_ERROR(EmptyQuarantine(worker.maintain_context(), worker.io(),
                                       table.metadata->location, *cut_off - kClocksApart));
  return std::optional<SnapshotId>();
}

JobResult RemoveOldMetadata(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto cut_off = worker.judge().QuietSince(operation);
  if (!cut_off) return std::optional<SnapshotId>();
  RemoveOrphanFilesOptions options;
  options.now = worker.scene().world->clock().Now();
  options.older_than = *cut_off;
  options.allows_recent = true;
  options.location = table.metadata->MetadataLocation();
  options.max_fraction = 1;
  options.only_metadata = true;
  const auto removed = RemoveOrphanFiles(worker.maintain_context(), table, options);
  if (removed.ok()) return std::optional<SnapshotId>();
  const bool is_refused = removed.error().code() == ErrorCode::kInvalidInput;
  return is_refused ? Error(ErrorCode::kCommitConflict, removed.error().message())
                    : removed.error();
}

JobResult RemoveDangling(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  operation.apply = [](const Rows& before) { return before; };
  operation.is_unnamed = true;
  FIRN_ASSIGN(const Table table, worker.Load());
  if (!worker.HeadOf(table, operation.branch)) return std::optional<SnapshotId>();
  FIRN_ASSIGN(const auto removed,
              RemoveDanglingDeletes(worker.maintain_context(), table, operation.branch));
  return removed.snapshot_id;
}

/// The partitions of a snapshot have as many rows together as it has.
JobResult SumUpPartitions(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const TableMetadata& metadata = *table.metadata;
  const bool is_partitioned =
      std::any_of(metadata.partition_specs.begin(), metadata.partition_specs.end(),
                  [](const PartitionSpecPtr& spec) { return !spec->is_unpartitioned(); });
  if (metadata.snapshots.empty() || !is_partitioned) return std::optional<SnapshotId>();
  const SnapshotId id =
      metadata.snapshots[worker.random().Below(metadata.snapshots.size())].snapshot_id;
  const auto made = ComputePartitionStats(worker.maintain_context(), table, id);
  if (!made.ok()) {
    const bool is_expired = worker.judge().vanished_count() > operation.vanished_before &&
                            made.error().code() == ErrorCode::kNotFound;
    return is_expired ? Error(ErrorCode::kCommitConflict, made.error().message()) : made.error();
  }
  if (!*made) return std::optional<SnapshotId>();
  NestedField count;
  count.id = 3;
  count.name = "data_record_count";
  count.type = Type::Primitive(TypeId::kLong);
  int64_t sum = 0;
  const ReadContext read{.io = worker.scene().world->true_io(),
                         .metadata = table.metadata,
                         .executor = worker.scene().executor,
                         .budget = worker.scene().budget,
                         .cancel = {}};
  const Status summed = ReadValueFile(read, (*made)->path, {}, Schema(0, {count}),
                                      [&sum](StructValue&& row) -> Status {
                                        sum += row.fields[0].get<int64_t>();
                                        return {};
                                      });
  // It may have expired with its snapshot.
  if (!summed.ok() && worker.judge().is_expired(id)) return std::optional<SnapshotId>();
  if (!summed.ok() || sum != worker.judge().FindRecordCount(id)) {
    worker.Violate(fmt::format("partitions of snapshot {} have {} rows together ({})", id, sum,
                               summed.ok() ? "ok" : summed.error().Format()));
  }
  return std::optional<SnapshotId>();
}

/// The whole cycle. Expiry begins soon or not at all, as its cut-off moves on with the clock.
JobResult Maintain(Worker& worker, Operation& operation) {
  operation.apply = [](const Rows& before) { return before; };
  operation.is_unnamed = true;
  operation.makes_many = true;
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto quiet = worker.judge().QuietSince(operation);
  if (!quiet) return std::optional<SnapshotId>();
  constexpr std::chrono::seconds kRunMax{3};
  Clock& clock = worker.scene().world->clock();
  FIRN_ASSIGN(MaintenancePolicy policy, MakeMaintenancePolicy({}, {}));
  policy.compact_options = {{"min-input-files", "2"}};
  policy.deletes_min_equality_files = 1 + static_cast<int64_t>(worker.random().Below(3));
  policy.expire_older_than = std::chrono::duration_cast<std::chrono::milliseconds>(
      clock.Now() - *quiet + kClocksApart + kRunMax);
  policy.expire_retain_last = 1 + static_cast<int64_t>(worker.random().Below(3));
  MaintenanceBudget budget;
  budget.ends = clock.Elapsed() + kRunMax;
  std::optional<Error> error;
  MaintainTable(worker.maintain_context(), table, policy, budget, /*is_dry_run=*/false,
                [&](const StepReport& report) {
                  if (report.error && !error) error = report.error;
                });
  if (error && error->code() == ErrorCode::kInvalidInput) {
    return Error(ErrorCode::kCommitConflict, error->message());
  }
  if (error) return *error;
  return std::optional<SnapshotId>();
}

}  // namespace

const std::vector<Job>& MaintenanceJobs() {
  static const std::vector<Job> kJobs = {
      {kExpiryName, 5, Expire},
      {"rewrite manifests", 3, RewriteAllManifests},
      {kOrphansName, 3, RemoveOrphans},
      {"empty quarantine", 1, EmptyOldQuarantine},
      {"remove old metadata", 1, RemoveOldMetadata},
      {"remove dangling deletes", 1, RemoveDangling},
      {"sum up partitions", 2, SumUpPartitions},
  };
  return kJobs;
}

const std::vector<Job>& CycleJobs() {
  static const std::vector<Job> kJobs = {{kMaintainName, 2, Maintain}};
  return kJobs;
}

}  // namespace firn::simulation
