#include <algorithm>
#include <set>
#include <utility>

#include "firn/expression/expression.h"
#include "firn/format/delete_reference.h"

#include "actor.h"

namespace firn::simulation {
namespace {

Rows With(Rows rows, const std::vector<Row>& added) {
  for (const Row& row : added)
    rows.emplace(row.id, row.cat);
  return rows;
}

/// As callers do with files that they wrote for a commit.
JobResult Settle(Worker& worker, const Result<CommitResult>& committed,
                 const std::vector<DataFile>& written) {
  const bool is_unused =
      committed.ok() ? committed->is_repeat : committed.error().code() != ErrorCode::kCommitUnknown;
  if (is_unused) DiscardOutputs(worker.io(), written);
  if (!committed.ok()) return committed.error();
  return std::optional(committed->snapshot_id);
}

JobResult Append(Worker& worker, Operation& operation) {
  if (!operation.apply) {  // A repeated try has the same rows.
    operation.branch = worker.ChooseBranch();
    const std::vector<Row> rows = worker.NewRows(4);
    operation.rows = rows;
    operation.apply = [rows](const Rows& before) { return With(before, rows); };
    operation.may_repeat = worker.Chance(40) && !worker.scene().has_expiry;
  }
  FIRN_ASSIGN(const Table table, worker.Load());
  FIRN_ASSIGN(
      const std::vector<DataFile> files,
      WriteTinyFiles(worker.io(), *table.metadata, worker.Names(operation), operation.rows));
  AppendFilesRequest request;
  request.branch = operation.branch;
  request.data_files = files;
  request.is_fast = worker.Chance(50);
  request.summary_properties = Worker::SummaryOf(operation);
  if (operation.may_repeat) request.idempotency_key = fmt::format("key-{}", operation.number);
  return Settle(worker, CommitAppendFiles(worker.context(), table, request), files);
}

/// Deletes rows of tiny files, either way.
class TinyDelete {
 public:
  TinyDelete(Worker& worker, Operation& operation, Condition condition, bool is_merge_on_read)
      : worker_(worker),
        operation_(operation),
        condition_(std::move(condition)),
        is_merge_on_read_(is_merge_on_read) {}

  JobResult Run() {
    FIRN_ASSIGN(table_, worker_.Load());
    const auto head = worker_.HeadOf(table_, operation_.branch);
    if (!head) return std::optional<SnapshotId>();
    change_.branch = operation_.branch;
    change_.starting_snapshot_id = *head;
    change_.summary_properties = Worker::SummaryOf(operation_);
    change_.isolation = worker_.Chance(60) ? Isolation::kSerializable : Isolation::kSnapshot;
    FIRN_ASSIGN(change_.condition, ParseExpression(condition_.text));
    const Status staged = Stage(*head);
    if (!staged.ok()) {
      DiscardOutputs(worker_.io(), Written());
      return staged.error();
    }
    SayWhatHappens();
    if (seen_.empty()) return std::optional<SnapshotId>();
    return Settle(worker_, CommitChangeFiles(worker_.context(), table_, change_), Written());
  }

 private:
  Status Stage(SnapshotId head) {
    FIRN_ASSIGN(const std::vector<FileScanTask> tasks,
                PlanSnapshot(worker_.io(), *table_.metadata, head, change_.condition));
    for (const FileScanTask& task : tasks) {
      FIRN_ASSIGN(const std::vector<PlacedRow> rows, ReadTinyFile(worker_.io(), task));
      std::vector<Row> rest;
      std::set<int64_t> positions;
      for (const PlacedRow& row : rows) {
        if (condition_.matches(row.row)) {
          positions.insert(row.position);
          seen_.insert(row.row.id);
        } else {
          rest.push_back(row.row);
        }
      }
      if (!positions.empty()) FIRN_RETURN_IF_ERROR(StageFile(task, rest, std::move(positions)));
    }
    return {};
  }

  Status StageFile(const FileScanTask& task, const std::vector<Row>& rest,
                   std::set<int64_t> positions) {
    FileIO& io = worker_.io();
    change_.removed_delete_files.insert(change_.removed_delete_files.end(), task.deletes.begin(),
                                        task.deletes.end());
    if (rest.empty() || !is_merge_on_read_) {
      change_.removed_data_files.push_back(task.file);
      if (rest.empty()) return {};
      FIRN_ASSIGN(const auto files,
                  WriteTinyFiles(io, *table_.metadata, worker_.Names(operation_), rest));
      change_.added_data_files.insert(change_.added_data_files.end(), files.begin(), files.end());
      return {};
    }
    FIRN_ASSIGN(std::set<int64_t> gone, ReadTinyDeletes(io, task));
    positions.merge(gone);
    FIRN_ASSIGN(DataFile deletes, WriteTinyDeletes(io, *table_.metadata, worker_.Names(operation_),
                                                   task.file, positions));
    change_.added_delete_files.push_back(std::move(deletes));
    return {};
  }

  void SayWhatHappens() {
    if (change_.isolation == Isolation::kSerializable) {
      operation_.apply = [matches = condition_.matches](const Rows& before) {
        Rows after = before;
        std::erase_if(after, [&](const auto& row) { return matches({row.first, row.second}); });
        return after;
      };
    } else {
      operation_.apply = [seen = seen_](const Rows& before) {
        Rows after = before;
        for (const int64_t id : seen)
          after.erase(id);
        return after;
      };
    }
  }

  std::vector<DataFile> Written() const {
    std::vector<DataFile> files = change_.added_data_files;
    files.insert(files.end(), change_.added_delete_files.begin(), change_.added_delete_files.end());
    return files;
  }

  Worker& worker_;
  Operation& operation_;
  const Condition condition_;
  const bool is_merge_on_read_;
  Table table_;
  std::set<int64_t> seen_;
  ChangeFilesRequest change_;
};

JobResult DeleteCopyOnWrite(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  return TinyDelete(worker, operation, worker.NewCondition(), false).Run();
}

JobResult DeleteMergeOnRead(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  const bool has_deletes = worker.scene().judge->metadata().format_version >= 2;
  return TinyDelete(worker, operation, worker.NewCondition(), has_deletes).Run();
}

JobResult Overwrite(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  const std::vector<Row> rows = worker.NewRows(3);
  FIRN_ASSIGN(const Table table, worker.Load());
  const TableMetadata& metadata = *table.metadata;
  FIRN_ASSIGN(const std::vector<DataFile> files,
              WriteTinyFiles(worker.io(), metadata, worker.Names(operation), rows));
  ChangeFilesRequest change;
  change.branch = operation.branch;
  change.added_data_files = files;
  change.summary_properties = Worker::SummaryOf(operation);
  change.replaces_table = worker.scene().has_changing_spec || worker.Chance(20) ||
                          metadata.default_spec()->is_unpartitioned();
  std::set<std::string> replaced;
  for (const Row& row : rows)
    replaced.insert(row.cat);
  for (const DataFile& file : files) {
    if (change.replaces_table) break;
    change.replaced_partitions.push_back({file.partition_spec_id, file.partition});
  }
  operation.apply = [rows, replaced, is_all = change.replaces_table](const Rows& before) {
    Rows after = before;
    std::erase_if(after, [&](const auto& row) { return is_all || replaced.contains(row.second); });
    return With(after, rows);
  };
  return Settle(worker, CommitChangeFiles(worker.context(), table, change), files);
}

JobResult Compact(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  operation.apply = [](const Rows& before) { return before; };
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto head = worker.HeadOf(table, operation.branch);
  if (!head) return std::optional<SnapshotId>();
  FIRN_ASSIGN(const std::vector<FileScanTask> tasks,
              PlanSnapshot(worker.io(), *table.metadata, *head, nullptr));
  RewriteFilesRequest rewrite;
  rewrite.branch = operation.branch;
  rewrite.starting_snapshot_id = *head;
  rewrite.summary_properties = Worker::SummaryOf(operation);
  if (worker.Chance(50)) {
    rewrite.data_sequence_number = table.metadata->FindSnapshot(*head)->sequence_number;
  }
  std::vector<Row> rows;
  for (const FileScanTask& task : tasks) {
    if (!worker.Chance(60)) continue;
    FIRN_ASSIGN(const std::vector<PlacedRow> live, ReadTinyFile(worker.io(), task));
    for (const PlacedRow& row : live)
      rows.push_back(row.row);
    rewrite.removed_data_files.push_back(task.file);
    rewrite.removed_delete_files.insert(rewrite.removed_delete_files.end(), task.deletes.begin(),
                                        task.deletes.end());
  }
  if (rewrite.removed_data_files.empty()) return std::optional<SnapshotId>();
  FIRN_ASSIGN(rewrite.added_data_files,
              WriteTinyFiles(worker.io(), *table.metadata, worker.Names(operation), rows));
  return Settle(worker, CommitRewriteFiles(worker.context(), table, rewrite),
                rewrite.added_data_files);
}

}  // namespace

const std::vector<Job>& FileJobs() {
  static const std::vector<Job> kJobs = {
      {"append", 8, Append},
      {"delete, copy-on-write", 3, DeleteCopyOnWrite},
      {"delete, merge-on-read", 4, DeleteMergeOnRead},
      {"overwrite", 1, Overwrite},
      {"compact", 3, Compact},
  };
  return kJobs;
}

}  // namespace firn::simulation
