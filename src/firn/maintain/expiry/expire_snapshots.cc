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

Result<ExpireSnapshotsResult> DeleteExpired(const MaintainContext& context, const ExpiredPart& part,
                                            const Table& after, int64_t max_concurrent_deletes) {
  FIRN_ASSIGN(const auto files, ExpiredFiles::Find(context, part, after));
  FileDeleter deleter(context, *after.io, static_cast<size_t>(max_concurrent_deletes));
  FIRN_RETURN_IF_ERROR(
      files->Visit([&](FileToDelete file) { return deleter.Add(std::move(file)); }));
  FIRN_ASSIGN(const DeletedFiles deleted, deleter.Finish());
  ExpireSnapshotsResult result = MakeResult(deleted);
  result.left_files_count = files->adopted_count();
  result.estimate = files->estimate();
  return result;
}

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

}  // namespace

Result<ExpireSnapshotsResult> ExpireSnapshots(const MaintainContext& context, const Table& table,
                                              const ExpireSnapshotsOptions& options) {
  const TableChangeContext change{context.commit.catalog, context.commit.clock,
                                  context.commit.random, context.commit.cancel};
  ExpiredPart part;
  std::vector<std::string> dropped_refs;
  const auto plan = [&](const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
    FIRN_ASSIGN(ExpiryPlan expiry, PlanExpiry(context, *table.io, metadata, options));
    part = TakeExpiredPart(metadata, expiry.history.snapshot_ids);
    dropped_refs = expiry.history.refs;
    return std::move(expiry.updates);
  };
  FIRN_ASSIGN(const Table after, ChangeTable(change, table, plan));
  if (part.snapshots.empty()) {
    ExpireSnapshotsResult result;
    result.dropped_refs = std::move(dropped_refs);
    return result;
  }
  AddLateStatistics(table, after, part);
  auto deleted = DeleteExpired(context, part, after, options.max_concurrent_deletes);
  if (!deleted.ok()) {
    return deleted.error().Within(
        fmt::format("{} snapshots were expired, but not all files that only they need were deleted "
                    "(remove_orphan_files finds them)",
                    part.snapshots.size()));
  }
  deleted->expired_snapshots_count = static_cast<int64_t>(part.snapshots.size());
  deleted->dropped_refs = std::move(dropped_refs);
  return deleted;
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
