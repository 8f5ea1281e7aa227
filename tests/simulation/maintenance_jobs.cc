#include <algorithm>
#include <utility>

#include "firn/commit/rewrite_manifests.h"
#include "firn/maintain/maintain.h"

#include "actor.h"

namespace firn::simulation {
namespace {

MaintainContext ContextOf(Worker& worker) {
  MaintainContext context;
  context.commit = worker.context();
  context.budget = worker.scene().budget;
  return context;
}

/// Some snapshots that are settled: who still waits to hear of one could not find it any more.
JobResult Expire(Worker& worker, Operation&) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const TableMetadata& metadata = *table.metadata;
  ExpireSnapshotsOptions options;
  options.retention.now = worker.scene().world->clock().Now();
  options.retention.older_than = Timestamp();
  options.cleans_metadata = false;
  for (const SnapshotId id : worker.scene().judge->SettledSnapshots()) {
    const bool is_named =
        std::any_of(metadata.refs.begin(), metadata.refs.end(),
                    [&](const auto& entry) { return entry.second.snapshot_id == id; });
    if (!is_named && worker.Chance(70)) options.retention.snapshot_ids.push_back(id);
  }
  const auto expired = ExpireSnapshots(ContextOf(worker), table, options);
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
  const auto removed = RemoveOrphanFiles(ContextOf(worker), table, options);
  if (!removed.ok()) {
    // Clocks apart, or an orphan that cannot be told from another table's metadata.
    const bool is_refused = removed.error().code() == ErrorCode::kInvalidInput;
    return is_refused ? Error(ErrorCode::kCommitConflict, removed.error().message())
                      : removed.error();
  }
  if (!removed->quarantine_run.empty()) {
    FIRN_RETURN_IF_ERROR(RestoreQuarantine(ContextOf(worker), worker.io(), table.metadata->location,
                                           removed->quarantine_run));
  }
  return std::optional<SnapshotId>();
}

}  // namespace

const std::vector<Job>& MaintenanceJobs() {
  static const std::vector<Job> kJobs = {
      {kExpiryName, 5, Expire},
      {"rewrite manifests", 3, RewriteAllManifests},
      {kOrphansName, 3, RemoveOrphans},
  };
  return kJobs;
}

}  // namespace firn::simulation
