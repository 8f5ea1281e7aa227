#include <algorithm>
#include <utility>

#include "firn/commit/rewrite_deletes.h"
#include "firn/format/puffin/delete_reference.h"

#include "actor.h"

namespace firn::simulation {
namespace {

/// As a stream of changes does, which knows keys and looks at nothing.
JobResult DeleteByKey(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  FIRN_ASSIGN(const Table table, worker.Load());
  const KeyDelete deleted = worker.NewKeyDelete(operation, table);
  if (deleted.rows.empty()) return std::optional<SnapshotId>();
  FIRN_ASSIGN(const std::vector<DataFile> files,
              WriteTinyEqualityDeletes(worker.io(), *table.metadata, worker.Names(operation),
                                       deleted.rows));
  ChangeFilesRequest change;
  change.branch = operation.branch;
  change.summary_properties = Worker::SummaryOf(operation);
  change.added_delete_files = files;
  return worker.Settle(CommitChangeFiles(worker.context(), table, change), files);
}

/// Replaces deletes of tiny files by one of each file.
class TinyDeleteRewrite {
 public:
  TinyDeleteRewrite(Worker& worker, Operation& operation) : worker_(worker), operation_(operation) {
    operation.branch = worker.ChooseBranch();
    operation.apply = [](const Rows& before) { return before; };
  }

  JobResult Run(bool converts) {
    FIRN_ASSIGN(table_, worker_.Load());
    const auto head = worker_.HeadOf(table_, operation_.branch);
    if (!head || table_.metadata->format_version < 2) return std::optional<SnapshotId>();
    if (converts) worker_.HoldConversion(operation_);
    has_vectors_ = table_.metadata->format_version >= 3;
    request_.branch = operation_.branch;
    request_.starting_snapshot_id = *head;
    request_.summary_properties = Worker::SummaryOf(operation_);
    const Status staged = Stage(*head, converts);
    if (!staged.ok()) {
      DiscardOutputs(worker_.io(), Written());
      return staged.error();
    }
    if (request_.removed_delete_files.empty()) return std::optional<SnapshotId>();
    worker_.Dawdle();
    return worker_.Settle(CommitRewriteDeletes(worker_.context(), table_, request_), Written());
  }

 private:
  Status Stage(SnapshotId head, bool converts) {
    FIRN_ASSIGN(const std::vector<FileScanTask> tasks,
                PlanSnapshot(worker_.io(), *table_.metadata, head, nullptr));
    for (const FileScanTask& task : tasks)
      FIRN_RETURN_IF_ERROR(converts ? Convert(task) : Rewrite(task));
    return {};
  }

  Status Rewrite(const FileScanTask& task) {
    const std::vector<DeleteFilePtr> own = OwnDeletes(task);
    const bool has_work = std::any_of(own.begin(), own.end(), [&](const DeleteFilePtr& file) {
      return !file->file.is_deletion_vector();
    });
    if (!has_work || !worker_.Chance(70)) return {};
    return Exchange(task, own, {}, own);
  }

  Status Convert(const FileScanTask& task) {
    for (const DeleteFilePtr& file : task.deletes) {
      if (file->file.content != FileContent::kEqualityDeletes) continue;
      if (converted_.insert(file->file.file_path).second) {
        request_.removed_delete_files.push_back(file);
      }
    }
    FIRN_ASSIGN(std::set<int64_t> positions, FindTinyDeletedRows(worker_.io(), task));
    if (positions.empty()) return {};
    if (has_vectors_) return Exchange(task, OwnDeletes(task), std::move(positions), task.deletes);
    std::vector<DeleteFilePtr> by_key = task.deletes;
    std::erase_if(by_key, [](const DeleteFilePtr& file) {
      return file->file.content != FileContent::kEqualityDeletes;
    });
    return Exchange(task, {}, std::move(positions), by_key);
  }

  // What `own` deletes goes into the new file with `positions`, and they go. It `stands_for` these.
  Status Exchange(const FileScanTask& task, const std::vector<DeleteFilePtr>& own,
                  std::set<int64_t> positions, const std::vector<DeleteFilePtr>& stands_for) {
    FileScanTask with_own = task;
    with_own.deletes = own;
    FIRN_ASSIGN(const std::set<int64_t> gone, ReadTinyDeletes(worker_.io(), with_own));
    positions.insert(gone.begin(), gone.end());
    int64_t number = 0;
    for (const DeleteFilePtr& file : stands_for)
      number = std::max(number, file->sequence_number);
    FIRN_ASSIGN(DataFile file, WriteTinyDeletes(worker_.io(), *table_.metadata,
                                                worker_.Names(operation_), task.file, positions));
    request_.added_delete_files.push_back({.file = std::move(file), .sequence_number = number});
    request_.removed_delete_files.insert(request_.removed_delete_files.end(), own.begin(),
                                         own.end());
    return {};
  }

  std::vector<DataFile> Written() const {
    std::vector<DataFile> files;
    for (const DeleteFile& added : request_.added_delete_files)
      files.push_back(added.file);
    return files;
  }

  Worker& worker_;
  Operation& operation_;
  Table table_;
  bool has_vectors_ = false;
  std::set<std::string> converted_;
  RewriteDeletesRequest request_;
};

JobResult RewritePositions(Worker& worker, Operation& operation) {
  return TinyDeleteRewrite(worker, operation).Run(false);
}

JobResult ConvertKeys(Worker& worker, Operation& operation) {
  return TinyDeleteRewrite(worker, operation).Run(true);
}

}  // namespace

const std::vector<Job>& DeleteJobs() {
  static const std::vector<Job> kJobs = {
      {kDeleteByKeyName, 2, DeleteByKey},
      {"rewrite position deletes", 2, RewritePositions},
      {kConversionName, 2, ConvertKeys},
  };
  return kJobs;
}

}  // namespace firn::simulation
