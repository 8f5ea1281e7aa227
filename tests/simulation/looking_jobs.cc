#include <utility>

#include "firn/maintain/maintain.h"
#include "firn/scan/metadata_table.h"

#include "actor.h"

// Who only looks: counts, histories, metadata tables, health.

namespace firn::simulation {
namespace {

/// A count from metadata alone, where it is exact.
JobResult Count(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto head = worker.HeadOf(table, worker.ChooseBranch());
  if (!head) return std::optional<SnapshotId>();
  ScanOptions options;
  options.snapshot_id = *head;
  options.schema = table.metadata->current_schema();
  const auto count =
      CountFromMetadata(worker.io(), *table.metadata, options, *worker.scene().executor, {});
  if (!count.ok()) return worker.ExcuseExpired(operation, count.error());
  const RowsPtr rows = worker.judge().FindRows(*head);
  if (*count && rows != nullptr && **count != static_cast<int64_t>(rows->size())) {
    worker.Violate(fmt::format("{} rows were counted in snapshot {}, which has {}", **count, *head,
                               rows->size()));
  }
  return std::optional<SnapshotId>();
}

JobResult ListAncestors(Worker& worker, Operation&) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto head = worker.HeadOf(table, worker.ChooseBranch());
  if (!head) return std::optional<SnapshotId>();
  const auto history = AncestorsOf(*table.metadata, *head);
  for (size_t i = 1; i < history.size(); ++i) {
    if (history[i - 1]->parent_snapshot_id == history[i]->snapshot_id &&
        worker.judge().is_ancestor(history[i]->snapshot_id, *head)) {
      continue;
    }
    worker.Violate(
        fmt::format("snapshot {} is listed as an ancestor of {}", history[i]->snapshot_id, *head));
  }
  if (history.empty() || history.front()->snapshot_id != *head) {
    worker.Violate(fmt::format("the history of snapshot {} does not begin with it", *head));
  }
  return std::optional<SnapshotId>();
}

/// One of the metadata tables; of those of snapshots and refs the rows are known.
JobResult Inspect(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto& views = MetadataTables();
  const MetadataTable& view = views[worker.random().Below(views.size())];
  MetadataTableRequest request;
  request.io = &worker.io();
  request.metadata = table.metadata.get();
  request.metadata_location = table.metadata_location;
  request.executor = worker.scene().executor;
  size_t rows = 0;
  const auto type = view.type(request);
  if (!type.ok()) return worker.ExcuseExpired(operation, type.error());
  const size_t columns = (*type)->fields().size();
  const Status scanned = view.scan(request, [&](StructValue&& row) -> Status {
    ++rows;
    if (row.fields.size() != columns) worker.Violate("a metadata table has a row of other columns");
    return {};
  });
  if (!scanned.ok()) return worker.ExcuseExpired(operation, scanned.error());
  const bool is_short = (view.name == "snapshots" && rows != table.metadata->snapshots.size()) ||
                        (view.name == "refs" && rows != table.metadata->refs.size());
  if (is_short) worker.Violate(fmt::format("metadata table '{}' has {} rows", view.name, rows));
  return std::optional<SnapshotId>();
}

JobResult Assess(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  FIRN_ASSIGN(const MaintenancePolicy policy, MakeMaintenancePolicy({}, {}));
  const auto health = AssessTable(worker.maintain_context(), table, policy);
  if (!health.ok()) return worker.ExcuseExpired(operation, health.error());
  const bool is_possible =
      health->score >= 0 && health->score <= 100 && health->small_files <= health->data_files &&
      health->snapshots == static_cast<int64_t>(table.metadata->snapshots.size());
  if (!is_possible) worker.Violate("the health of the table cannot be as it was told");
  return std::optional<SnapshotId>();
}

}  // namespace

const std::vector<Job>& LookingJobs() {
  static const std::vector<Job> kJobs = {
      {"count", 1, Count},
      {"list ancestors", 1, ListAncestors},
      {"inspect", 2, Inspect},
      {"assess health", 1, Assess},
  };
  return kJobs;
}

}  // namespace firn::simulation
