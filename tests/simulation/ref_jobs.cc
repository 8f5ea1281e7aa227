#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "firn/catalog/ref_change.h"

#include "actor.h"

namespace firn::simulation {
namespace {

using Plan = std::function<Result<std::vector<TableUpdate>>(const TableMetadata&)>;

/// Moves `ref`, as `allows` says, and sees that it did.
JobResult Move(Worker& worker, Operation& operation, const std::string& ref,
               std::function<bool(const TableMetadata&, std::optional<SnapshotId>)> allows,
               const Plan& plan) {
  Judge& judge = *worker.scene().judge;
  operation.moves = RefMove{.ref = ref, .allows = std::move(allows)};
  const auto changed = worker.Change(plan);
  if (changed.ok()) return std::optional<SnapshotId>();
  // What was asked for is not possible any more, or part of the history has expired.
  const ErrorCode code = changed.error().code();
  const bool is_late = (worker.scene().has_expiry || judge.move_count() > operation.moves_before) &&
                       (code == ErrorCode::kInvalidInput || code == ErrorCode::kNotFound);
  return is_late ? Error(ErrorCode::kCommitConflict, changed.error().message()) : changed.error();
}

const Snapshot* Choose(Worker& worker, const std::vector<const Snapshot*>& snapshots) {
  return snapshots.empty() ? nullptr : snapshots[worker.random().Below(snapshots.size())];
}

std::vector<const Snapshot*> HistoryOf(Worker& worker, const Table& table,
                                       const std::string& branch) {
  const auto head = worker.HeadOf(table, branch);
  return head ? AncestorsOf(*table.metadata, *head) : std::vector<const Snapshot*>();
}

JobResult RollBack(Worker& worker, Operation& operation) {
  const std::string branch = worker.ChooseBranch();
  FIRN_ASSIGN(const Table table, worker.Load());
  const Snapshot* chosen = Choose(worker, HistoryOf(worker, table, branch));
  if (chosen == nullptr) return std::optional<SnapshotId>();
  const SnapshotId id = chosen->snapshot_id;
  Judge& judge = *worker.scene().judge;
  return Move(
      worker, operation, branch,
      [&judge, branch, id](const TableMetadata& before, std::optional<SnapshotId> now) {
        const auto head = before.RefSnapshotId(branch);
        return now == id && head && judge.is_ancestor(id, *head);
      },
      [branch, id](const TableMetadata& metadata) { return PlanRollback(metadata, branch, id); });
}

/// The newest snapshot in the history of `branch` before `time`.
std::optional<SnapshotId> FindBefore(const TableMetadata& metadata, const std::string& branch,
                                     Timestamp time) {
  std::optional<SnapshotId> at = metadata.RefSnapshotId(branch);
  while (at) {
    const Snapshot* snapshot = metadata.FindSnapshot(*at);
    if (snapshot == nullptr) return std::nullopt;
    if (snapshot->timestamp < time) return at;
    at = snapshot->parent_snapshot_id;
  }
  return std::nullopt;
}

JobResult RollBackToTime(Worker& worker, Operation& operation) {
  const std::string branch = worker.ChooseBranch();
  FIRN_ASSIGN(const Table table, worker.Load());
  const Snapshot* chosen = Choose(worker, HistoryOf(worker, table, branch));
  if (chosen == nullptr) return std::optional<SnapshotId>();
  const Timestamp time = chosen->timestamp + std::chrono::milliseconds(worker.random().Below(2));
  if (!FindBefore(*table.metadata, branch, time)) return std::optional<SnapshotId>();
  return Move(
      worker, operation, branch,
      [branch, time](const TableMetadata& before, std::optional<SnapshotId> now) {
        return now && now == FindBefore(before, branch, time);
      },
      [branch, time](const TableMetadata& metadata) {
        return PlanRollbackToTime(metadata, branch, time);
      });
}

JobResult SetCurrent(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  std::vector<const Snapshot*> all;
  for (const Snapshot& snapshot : table.metadata->snapshots)
    all.push_back(&snapshot);
  const Snapshot* chosen = Choose(worker, all);
  if (chosen == nullptr) return std::optional<SnapshotId>();
  const SnapshotId id = chosen->snapshot_id;
  return Move(
      worker, operation, std::string(kMainBranch),
      [id](const TableMetadata&, std::optional<SnapshotId> now) { return now == id; },
      [id](const TableMetadata& metadata) { return PlanSetCurrent(metadata, id); });
}

/// A name of the table's; empty: it has none.
std::string ChooseRef(Worker& worker, const Table& table, std::optional<RefType> type,
                      bool with_main) {
  std::vector<std::string> names;
  for (const auto& [name, ref] : table.metadata->refs) {
    if ((!type || ref.type == *type) && (with_main || name != kMainBranch)) names.push_back(name);
  }
  return names.empty() ? std::string() : names[worker.random().Below(names.size())];
}

JobResult FastForward(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const std::string branch = ChooseRef(worker, table, RefType::kBranch, true);
  const std::string to = ChooseRef(worker, table, {}, true);
  if (branch.empty() || to.empty()) return std::optional<SnapshotId>();
  Judge& judge = *worker.scene().judge;
  // Most histories have gone apart.
  const SnapshotId head = *worker.HeadOf(table, branch);
  if (!judge.is_in_history(head, *worker.HeadOf(table, to))) return std::optional<SnapshotId>();
  // Where `to` was when that was planned; it may go on before the branch comes after.
  const auto targets = std::make_shared<std::set<SnapshotId>>();
  return Move(
      worker, operation, branch,
      [&judge, branch, targets](const TableMetadata& before, std::optional<SnapshotId> now) {
        const auto old = before.RefSnapshotId(branch);
        return now && targets->contains(*now) && (!old || judge.is_ancestor(*old, *now));
      },
      [branch, to, targets](const TableMetadata& metadata) {
        if (const auto target = metadata.RefSnapshotId(to)) targets->insert(*target);
        return PlanFastForward(metadata, branch, to);
      });
}

JobResult ReplaceRef(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const std::string name = ChooseRef(worker, table, {}, false);
  if (name.empty()) return std::optional<SnapshotId>();
  const auto& snapshots = table.metadata->snapshots;
  const SnapshotId id = snapshots[worker.random().Below(snapshots.size())].snapshot_id;
  RefChange change;
  change.name = name;
  change.type = table.metadata->refs.at(name).type;
  change.mode = RefChange::Mode::kReplace;
  change.snapshot_id = id;
  return Move(
      worker, operation, name,
      [id](const TableMetadata&, std::optional<SnapshotId> now) { return now == id; },
      [change](const TableMetadata& metadata) { return PlanSetRef(metadata, change); });
}

JobResult DropRef(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const std::string name = ChooseRef(worker, table, {}, false);
  if (name.empty()) return std::optional<SnapshotId>();
  const RefType type = table.metadata->refs.at(name).type;
  return Move(
      worker, operation, name,
      [](const TableMetadata&, std::optional<SnapshotId> now) { return !now; },
      [name, type](const TableMetadata& metadata) {
        return PlanDropRef(metadata, name, type, /*is_missing_fine=*/false);
      });
}

}  // namespace

const std::vector<Job>& RefJobs() {
  static const std::vector<Job> kJobs = {
      {"roll back", 2, RollBack},       {"roll back to a time", 1, RollBackToTime},
      {"set current", 1, SetCurrent},   {"fast forward", 2, FastForward},
      {"replace a ref", 1, ReplaceRef}, {"drop a ref", 1, DropRef},
  };
  return kJobs;
}

}  // namespace firn::simulation
