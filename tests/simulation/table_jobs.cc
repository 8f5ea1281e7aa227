#include <utility>

#include "firn/catalog/ref_change.h"
#include "firn/catalog/table_evolution.h"

#include "actor.h"

namespace firn::simulation {
namespace {

JobResult Change(Worker& worker, const PlanUpdates& plan) {
  FIRN_RETURN_IF_ERROR(worker.Change(plan));
  return std::optional<SnapshotId>();
}

JobResult SetProperty(Worker& worker, Operation& operation) {
  const std::string key = fmt::format("sim.p{}", operation.number);
  operation.is_done = [key](const TableMetadata& metadata) {
    return metadata.properties.contains(key);
  };
  return Change(worker, [&](const TableMetadata& metadata) {
    return PlanSetProperties(metadata, {{key, "1"}}, worker.random());
  });
}

JobResult MakeRef(Worker& worker, Operation& operation, RefType type) {
  RefChange change;
  change.name = fmt::format("{}{}", type == RefType::kBranch ? "b" : "t", operation.number);
  change.type = type;
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto& snapshots = table.metadata->snapshots;
  if (snapshots.empty()) return std::optional<SnapshotId>();
  if (worker.Chance(50) || !worker.HeadOf(table, std::string(kMainBranch))) {
    change.snapshot_id = snapshots[worker.random().Below(snapshots.size())].snapshot_id;
  }
  operation.made_ref = change.name;
  if (worker.scene().has_expiry && worker.Chance(30)) {
    change.max_ref_age_ms = 1 + static_cast<int64_t>(worker.random().Below(20'000));
  }
  operation.is_done = [name = change.name](const TableMetadata& metadata) {
    return metadata.refs.contains(name);
  };
  const JobResult made = Change(
      worker, [change](const TableMetadata& metadata) { return PlanSetRef(metadata, change); });
  // The snapshot that was chosen is not there any more.
  const bool is_expired = worker.scene().judge->vanished_count() > operation.vanished_before;
  const bool is_missed = !made.ok() && (made.error().code() == ErrorCode::kNotFound ||
                                        made.error().code() == ErrorCode::kInvalidInput);
  if (!is_expired || !is_missed) return made;
  return Error(ErrorCode::kCommitConflict, made.error().message());
}

JobResult MakeBranch(Worker& worker, Operation& operation) {
  return MakeRef(worker, operation, RefType::kBranch);
}

JobResult MakeTag(Worker& worker, Operation& operation) {
  return MakeRef(worker, operation, RefType::kTag);
}

JobResult Upgrade(Worker& worker, Operation&) {
  const JobResult changed = Change(worker, [&](const TableMetadata& metadata) {
    return PlanUpgrade(metadata, std::min(metadata.format_version + 1, 3), worker.random());
  });
  if (changed.ok() || changed.error().code() != ErrorCode::kInvalidInput) return changed;
  // Another one went further: there is no way back.
  return Error(ErrorCode::kCommitConflict, changed.error().message());
}

/// Any state that the table ever had reads as it was.
JobResult Read(Worker& worker, Operation&) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto& snapshots = table.metadata->snapshots;
  if (snapshots.empty()) return std::optional<SnapshotId>();
  auto snapshot = worker.HeadOf(table, worker.ChooseBranch());
  if (!snapshot || worker.Chance(30)) {
    snapshot = snapshots[worker.random().Below(snapshots.size())].snapshot_id;
  }
  const auto rows = worker.scene().read_rows(worker.scene().world->io(), table, *snapshot);
  if (!rows.ok() && worker.scene().judge->is_expired(*snapshot)) {
    return Error(ErrorCode::kCommitConflict, rows.error().message());
  }
  if (!rows.ok()) return rows.error();
  worker.scene().judge->CheckRows(*snapshot, *rows, "a reader");
  return std::optional<SnapshotId>();
}

}  // namespace

const std::vector<Job>& TableJobs() {
  static const std::vector<Job> kJobs = {
      {"set a property", 1, SetProperty},
      {"make a branch", 1, MakeBranch},
      {"make a tag", 1, MakeTag},
      {"upgrade", 1, Upgrade},
      {"read", 5, Read},
  };
  return kJobs;
}

}  // namespace firn::simulation
