#include <algorithm>
#include <set>
#include <utility>

#include "firn/expression/expression.h"
#include "firn/format/puffin/delete_reference.h"

#include "actor.h"

namespace firn::simulation {
namespace {

JobResult Append(Worker& worker, Operation& operation) {
  if (!operation.apply) {  // A repeated try has the same rows.
    operation.branch = worker.ChooseBranch();
    const std::vector<Row> rows = worker.NewRows(4);
    operation.rows = rows;
    operation.apply = [rows](const Rows& before) { return With(before, rows); };
    operation.may_repeat = worker.Chance(40) && worker.scene().keeps_history();
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
  return worker.Settle(CommitAppendFiles(worker.context(), table, request), files);
}

/// What becomes of rows that meet a condition: they are deleted, or get another category, and other
/// rows come with that.
struct RowChange {
  Condition condition;
  std::optional<std::string> new_cat;  ///< Nullopt: they are deleted.
  std::vector<Row> inserted;
};

/// Changes rows of tiny files, by exchanging the files or by deletes beside them.
class TinyChange {
 public:
  TinyChange(Worker& worker, Operation& operation, RowChange rows, bool is_merge_on_read)
      : worker_(worker),
        operation_(operation),
        rows_(std::move(rows)),
        is_merge_on_read_(is_merge_on_read) {}

  JobResult Run() {
    operation_.updates_rows = rows_.new_cat.has_value();
    FIRN_ASSIGN(table_, worker_.Load());
    const auto head = worker_.HeadOf(table_, operation_.branch);
    if (!head) return std::optional<SnapshotId>();
    change_.branch = operation_.branch;
    change_.starting_snapshot_id = *head;
    change_.summary_properties = Worker::SummaryOf(operation_);
    change_.isolation = worker_.Chance(60) ? Isolation::kSerializable : Isolation::kSnapshot;
    FIRN_ASSIGN(change_.condition, rows_.condition.For(*table_.metadata));
    const Status staged = Stage(*head);
    if (!staged.ok()) {
      DiscardOutputs(worker_.io(), Written());
      return staged.error();
    }
    SayWhatHappens();
    if (seen_.empty() && rows_.inserted.empty()) return std::optional<SnapshotId>();
    worker_.Dawdle();
    return worker_.Settle(CommitChangeFiles(worker_.context(), table_, change_), Written());
  }

 private:
  Status Stage(SnapshotId head) {
    FIRN_ASSIGN(const std::vector<FileScanTask> tasks,
                PlanSnapshot(worker_.io(), *table_.metadata, head, change_.condition));
    for (const FileScanTask& task : tasks) {
      FIRN_ASSIGN(const std::vector<PlacedRow> rows, ReadTinyFile(worker_.io(), task));
      std::vector<Row> rest;
      std::vector<Row> changed;
      std::set<int64_t> positions;
      for (const PlacedRow& row : rows) {
        if (!rows_.condition.matches(row.row)) {
          rest.push_back(row.row);
          continue;
        }
        positions.insert(row.position);
        seen_.insert(row.row.id);
        if (rows_.new_cat) changed.push_back({row.row.id, *rows_.new_cat, row.row.row_id, {}});
      }
      if (positions.empty()) continue;
      FIRN_RETURN_IF_ERROR(StageFile(task, std::move(rest), changed, std::move(positions)));
    }
    return AddRows(rows_.inserted);
  }

  Status AddRows(const std::vector<Row>& rows) {
    if (rows.empty()) return {};
    FIRN_ASSIGN(const auto files,
                WriteTinyFiles(worker_.io(), *table_.metadata, worker_.Names(operation_), rows));
    change_.added_data_files.insert(change_.added_data_files.end(), files.begin(), files.end());
    return {};
  }

  Status StageFile(const FileScanTask& task, std::vector<Row> rest, const std::vector<Row>& changed,
                   std::set<int64_t> positions) {
    FileIO& io = worker_.io();
    const std::vector<DeleteFilePtr> own = OwnDeletes(task);
    change_.removed_delete_files.insert(change_.removed_delete_files.end(), own.begin(), own.end());
    if (rest.empty() || !is_merge_on_read_) {
      change_.removed_data_files.push_back(task.file);
      rest.insert(rest.end(), changed.begin(), changed.end());
      return AddRows(rest);
    }
    FIRN_RETURN_IF_ERROR(AddRows(changed));
    if (!changed.empty()) change_.updated_data_files.push_back(task.file);
    FIRN_ASSIGN(std::set<int64_t> gone, ReadTinyDeletes(io, task));
    positions.merge(gone);
    FIRN_ASSIGN(DataFile deletes, WriteTinyDeletes(io, *table_.metadata, worker_.Names(operation_),
                                                   task.file, positions));
    change_.added_delete_files.push_back(std::move(deletes));
    return {};
  }

  void SayWhatHappens() {
    const bool is_serializable = change_.isolation == Isolation::kSerializable;
    operation_.apply = [rows = rows_, seen = seen_, is_serializable](const Rows& before) {
      Rows after;
      for (const auto& [id, cat] : before) {
        const bool is_met = is_serializable ? rows.condition.matches({id, cat}) : seen.contains(id);
        if (!is_met) {
          after.emplace(id, cat);
        } else if (rows.new_cat) {
          after.emplace(id, *rows.new_cat);
        }
      }
      return With(std::move(after), rows.inserted);
    };
  }

  std::vector<DataFile> Written() const {
    std::vector<DataFile> files = change_.added_data_files;
    files.insert(files.end(), change_.added_delete_files.begin(), change_.added_delete_files.end());
    return files;
  }

  Worker& worker_;
  Operation& operation_;
  const RowChange rows_;
  const bool is_merge_on_read_;
  Table table_;
  std::set<int64_t> seen_;
  ChangeFilesRequest change_;
};

bool CanMergeOnRead(const Worker& worker) { return worker.format_version() >= 2; }

JobResult DeleteCopyOnWrite(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  return TinyChange(worker, operation, {worker.NewCondition(), {}, {}}, false).Run();
}

JobResult DeleteMergeOnRead(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  const bool is_on_read = CanMergeOnRead(worker);
  return TinyChange(worker, operation, {worker.NewCondition(), {}, {}}, is_on_read).Run();
}

JobResult Merge(Worker& worker, Operation& operation, bool is_on_read) {
  operation.branch = worker.ChooseBranch();
  RowChange rows{worker.NewCondition(), worker.NewCategory(), {}};
  if (worker.Chance(70)) rows.inserted = worker.NewRows(3);
  return TinyChange(worker, operation, std::move(rows), is_on_read).Run();
}

JobResult MergeCopyOnWrite(Worker& worker, Operation& operation) {
  return Merge(worker, operation, false);
}

JobResult MergeMergeOnRead(Worker& worker, Operation& operation) {
  return Merge(worker, operation, CanMergeOnRead(worker));
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
  return worker.Settle(CommitChangeFiles(worker.context(), table, change), files);
}

JobResult Compact(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  operation.apply = [](const Rows& before) { return before; };
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto head = worker.HeadOf(table, operation.branch);
  if (!head) return std::optional<SnapshotId>();
  worker.HoldCompaction(operation);
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
    const std::vector<DeleteFilePtr> own = OwnDeletes(task);
    rewrite.removed_delete_files.insert(rewrite.removed_delete_files.end(), own.begin(), own.end());
  }
  if (rewrite.removed_data_files.empty()) return std::optional<SnapshotId>();
  FIRN_ASSIGN(rewrite.added_data_files,
              WriteTinyFiles(worker.io(), *table.metadata, worker.Names(operation), rows));
  worker.Dawdle();
  return worker.Settle(CommitRewriteFiles(worker.context(), table, rewrite),
                       rewrite.added_data_files);
}

}  // namespace

const std::vector<Job>& FileJobs() {
  static const std::vector<Job> kJobs = {
      {"append", 8, Append},
      {"delete, copy-on-write", 3, DeleteCopyOnWrite},
      {"delete, merge-on-read", 4, DeleteMergeOnRead},
      {"merge, copy-on-write", 2, MergeCopyOnWrite},
      {"merge, merge-on-read", 3, MergeMergeOnRead},
      {"overwrite", 1, Overwrite},
      {kCompactionName, 3, Compact},
  };
  return kJobs;
}

}  // namespace firn::simulation
