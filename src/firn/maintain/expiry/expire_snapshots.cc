#include "firn/maintain/expiry/expire_snapshots.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "firn/catalog/change_table.h"
#include "firn/maintain/delete_files_internal.h"
#include "firn/maintain/expiry/expired_files_internal.h"
#include "firn/maintain/expiry/unused_layout_internal.h"
#include "firn/maintain/file_lookup.h"

namespace firn {
namespace {

struct ExpiryPlan {
  ExpiredHistory history;
  std::vector<TableUpdate> updates;
};

Result<ExpiryPlan> PlanExpiry(const MaintainContext& context, FileIO& io,
                              const TableMetadata& metadata,
                              const ExpireSnapshotsOptions& options) {
  FIRN_RETURN_IF_ERROR(CheckMayDeleteFiles(metadata, "expire_snapshots"));
  ExpiryPlan plan;
  FIRN_ASSIGN(plan.history, PlanRetention(metadata, options.retention));
  for (const std::string& name : plan.history.refs)
    plan.updates.emplace_back(RemoveSnapshotRef{name});
  if (!plan.history.snapshot_ids.empty()) {
    plan.updates.emplace_back(RemoveSnapshots{plan.history.snapshot_ids});
  }
  if (options.cleans_metadata) {
    const std::unordered_set<SnapshotId> expired(plan.history.snapshot_ids.begin(),
                                                 plan.history.snapshot_ids.end());
    std::vector<const Snapshot*> kept;
    for (const Snapshot& snapshot : metadata.snapshots) {
      if (!expired.contains(snapshot.snapshot_id)) kept.push_back(&snapshot);
    }
    FIRN_ASSIGN(UnusedLayout unused, FindUnusedLayout(context, io, metadata, kept));
    if (!unused.spec_ids.empty()) {
      plan.updates.emplace_back(RemovePartitionSpecs{std::move(unused.spec_ids)});
    }
    if (!unused.schema_ids.empty()) {
      plan.updates.emplace_back(RemoveSchemas{std::move(unused.schema_ids)});
    }
  }
  return plan;
}

// The table as it is after the commit.
Result<Table> Apply(const MaintainContext& context, const Table& table,
                    const std::vector<TableUpdate>& updates) {
  Table after = table;
  FIRN_ASSIGN(TableMetadata metadata, ApplyUpdates(table.metadata.get(), table.metadata_location,
                                                   updates, context.commit.clock->Now()));
  after.metadata = std::make_shared<const TableMetadata>(std::move(metadata));
  return after;
}

ExpireSnapshotsResult MakeResult(const DeletedFiles& deleted) {
  return {.deleted_data_files_count = deleted.of(FileKind::kData),
          .deleted_position_delete_files_count =
              deleted.of(FileKind::kPositionDeletes) + deleted.of(FileKind::kDeletionVectors),
          .deleted_equality_delete_files_count = deleted.of(FileKind::kEqualityDeletes),
          .deleted_manifest_files_count = deleted.of(FileKind::kManifest),
          .deleted_manifest_lists_count = deleted.of(FileKind::kManifestList),
          .deleted_statistics_files_count = deleted.of(FileKind::kStatistics),
          .already_gone_count = deleted.already_gone,
          .failed_files_count = deleted.failed,
          .first_failure = deleted.first_failure};
}

Result<ExpireSnapshotsResult> DeleteFiles(const MaintainContext& context, ExpiredFiles& files,
                                          FileIO& io, int64_t max_concurrent_deletes) {
  FileDeleter deleter(context, io, static_cast<size_t>(max_concurrent_deletes));
  FIRN_RETURN_IF_ERROR(
      files.Visit([&](FileToDelete file) { return deleter.Add(std::move(file)); }));
  FIRN_ASSIGN(const DeletedFiles deleted, deleter.Finish());
  ExpireSnapshotsResult result = MakeResult(deleted);
  result.left_files_count = files.adopted_count();
  result.estimate = files.estimate();
  return result;
}

// What files of the table are reached from, and where they are.
bool ReachesTheSame(const TableMetadata& a, const TableMetadata& b) {
  return a.location == b.location && a.properties == b.properties && a.snapshots == b.snapshots &&
         a.statistics == b.statistics && a.partition_statistics == b.partition_statistics;
}

// What others expired meanwhile cannot be read, but need not be: the plan is made anew.
Error ConflictIfChanged(const MaintainContext& context, const Table& planned, const Error& error) {
  if (error.code() != ErrorCode::kNotFound && error.code() != ErrorCode::kCorrupt) return error;
  const auto now = context.commit.catalog->Load(planned.name);
  if (!now.ok() || ReachesTheSame(*planned.metadata, *now->metadata)) return error;
  return Error(ErrorCode::kCommitConflict, error.message())
      .Within("the table was changed meanwhile");
}

// An expiry that is planned: what leaves the table, and its files, which are known before the
// commit, so that what cannot be told stops it.
struct PlannedExpiry {
  ExpiredPart part;
  std::vector<std::string> dropped_refs;
  Table after;
  std::unique_ptr<ExpiredFiles> files;  // Null: no snapshot goes.

  Result<std::vector<TableUpdate>> Plan(const MaintainContext& context, const Table& table,
                                        const ExpireSnapshotsOptions& options);

  // Other writers may have changed what is reached between the last look and the commit.
  Status FollowCommit(const MaintainContext& context, const Table& table, const Table& committed);
};

class Preview final : public ExpiryPreview {
 public:
  Preview(ExpiredHistory history, std::vector<FileToDelete> metadata)
      : history_(std::move(history)), metadata_(std::move(metadata)) {}
  void SetFiles(std::unique_ptr<ExpiredFiles> files) { files_ = std::move(files); }
  const ExpiredHistory& history() const override { return history_; }
  Status VisitFiles(const std::function<Status(FileToDelete)>& visit) override {
    for (const FileToDelete& file : metadata_) {
      FIRN_RETURN_IF_ERROR(visit(file));
    }
    return files_ == nullptr ? Status() : files_->Visit(visit);
  }

 private:
  ExpiredHistory history_;
  std::vector<FileToDelete> metadata_;
  std::unique_ptr<ExpiredFiles> files_;
};

template <typename File>
void AddMissing(const std::vector<File>& more, std::vector<File>& files) {
  for (const File& file : more) {
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  }
}

// Statistics that others registered between the last look and the commit went with it.
void AddLateStatistics(const Table& table, const Table& after, ExpiredPart& part) {
  const auto& log = after.metadata->metadata_log;
  if (log.empty() || log.back().metadata_file == table.metadata_location) return;
  const auto before = LoadTableMetadata(*after.io, log.back().metadata_file);
  if (!before.ok()) return;  // Removal of orphans finds them.
  std::vector<SnapshotId> ids;
  for (const Snapshot& snapshot : part.snapshots)
    ids.push_back(snapshot.snapshot_id);
  const ExpiredPart late = TakeExpiredPart(**before, ids);
  AddMissing(late.statistics, part.statistics);
  AddMissing(late.partition_statistics, part.partition_statistics);
}

Result<std::vector<TableUpdate>> PlannedExpiry::Plan(const MaintainContext& context,
                                                     const Table& table,
                                                     const ExpireSnapshotsOptions& options) {
  const TableMetadata& metadata = *table.metadata;
  FIRN_ASSIGN(ExpiryPlan plan, PlanExpiry(context, *table.io, metadata, options));
  part = TakeExpiredPart(metadata, plan.history.snapshot_ids);
  dropped_refs = plan.history.refs;
  files = nullptr;
  if (!part.snapshots.empty()) {
    FIRN_ASSIGN(after, Apply(context, table, plan.updates));
    FIRN_ASSIGN(files, ExpiredFiles::Find(context, part, after));
  }
  return std::move(plan.updates);
}

Status PlannedExpiry::FollowCommit(const MaintainContext& context, const Table& table,
                                   const Table& committed) {
  const size_t statistics = part.statistics.size() + part.partition_statistics.size();
  AddLateStatistics(table, committed, part);
  const bool has_late = part.statistics.size() + part.partition_statistics.size() > statistics;
  if (!has_late && ReachesTheSame(*after.metadata, *committed.metadata)) return {};
  files = nullptr;  // Both at once would take twice the memory.
  FIRN_ASSIGN(files, ExpiredFiles::Find(context, part, committed));
  return {};
}

}  // namespace

Result<ExpireSnapshotsResult> ExpireSnapshots(const MaintainContext& context, const Table& table,
                                              const ExpireSnapshotsOptions& options) {
  const TableChangeContext change{context.commit.catalog, context.commit.clock,
                                  context.commit.random, context.commit.cancel};
  PlannedExpiry planned;
  const auto plan = [&](const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
    Table now = table;
    now.metadata = std::make_shared<const TableMetadata>(metadata);
    auto updates = planned.Plan(context, now, options);
    if (!updates.ok()) return ConflictIfChanged(context, now, updates.error());
    return updates;
  };
  FIRN_ASSIGN(const Table committed, ChangeTable(change, table, plan));
  ExpireSnapshotsResult result;
  if (planned.files != nullptr) {
    const auto partly = [&] {
      return fmt::format(
          "{} snapshots were expired, but not all files that only they need were deleted "
          "(remove_orphan_files finds them)",
          planned.part.snapshots.size());
    };
    FIRN_RETURN_IF_ERROR(planned.FollowCommit(context, table, committed), "{}", partly());
    FIRN_ASSIGN(result,
                DeleteFiles(context, *planned.files, *table.io, options.max_concurrent_deletes),
                "{}", partly());
  }
  result.expired_snapshots_count = static_cast<int64_t>(planned.part.snapshots.size());
  result.dropped_refs = std::move(planned.dropped_refs);
  return result;
}

Result<IoTotals> EstimateExpiry(const MaintainContext& context, const Table& table,
                                const ExpireSnapshotsOptions& options) {
  FIRN_ASSIGN(const ExpiryPlan plan, PlanExpiry(context, *table.io, *table.metadata, options));
  if (plan.history.snapshot_ids.empty()) return IoTotals();
  FIRN_ASSIGN(const Table after, Apply(context, table, plan.updates));
  return ExpiredFiles::Estimate(context,
                                TakeExpiredPart(*table.metadata, plan.history.snapshot_ids), after);
}

Result<std::unique_ptr<ExpiryPreview>> PreviewExpireSnapshots(
    const MaintainContext& context, const Table& table, const ExpireSnapshotsOptions& options) {
  FIRN_ASSIGN(ExpiryPlan plan, PlanExpiry(context, *table.io, *table.metadata, options));
  FIRN_ASSIGN(auto metadata_files,
              FindMetadataToDrop(context, table, plan.updates.empty() ? 0 : 1));
  const std::vector<SnapshotId> expired = plan.history.snapshot_ids;
  auto preview = std::make_unique<Preview>(std::move(plan.history), std::move(metadata_files));
  if (expired.empty()) return preview;
  FIRN_ASSIGN(const Table after, Apply(context, table, plan.updates));
  FIRN_ASSIGN(auto files,
              ExpiredFiles::Find(context, TakeExpiredPart(*table.metadata, expired), after));
  FIRN_RETURN_IF_ERROR(files->LookUpListSizes(context, *table.io));
  preview->SetFiles(std::move(files));
  return preview;
}

}  // namespace firn
