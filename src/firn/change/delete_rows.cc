#include "firn/change/delete_rows.h"

#include <utility>
#include <vector>

#include "firn/base/text.h"
#include "firn/data/row_positions.h"
#include "firn/format/delete_reference.h"
#include "firn/scan/scan.h"

namespace firn {
namespace {

Result<WriteMode> ChooseMode(const TableMetadata& metadata, std::optional<WriteMode> wanted) {
  const std::string text = metadata.Property("write.delete.mode", "copy-on-write");
  WriteMode mode = WriteMode::kCopyOnWrite;
  if (wanted) {
    mode = *wanted;
  } else if (EqualsIgnoreCase(text, "merge-on-read")) {
    mode = WriteMode::kMergeOnRead;
  } else if (!EqualsIgnoreCase(text, "copy-on-write")) {
    return MakeError(ErrorCode::kInvalidInput,
                     "table property 'write.delete.mode' is '{}', expected copy-on-write or "
                     "merge-on-read",
                     text);
  }
  if (mode == WriteMode::kMergeOnRead && metadata.format_version < 2) {
    return Error(ErrorCode::kInvalidInput,
                 "merge-on-read needs format version 2, the table has 1; use copy-on-write or "
                 "upgrade the table");
  }
  return mode;
}

Result<Isolation> ChooseIsolation(const TableMetadata& metadata) {
  const std::string text = metadata.Property("write.delete.isolation-level", "serializable");
  if (EqualsIgnoreCase(text, "serializable")) return Isolation::kSerializable;
  if (EqualsIgnoreCase(text, "snapshot")) return Isolation::kSnapshot;
  return MakeError(ErrorCode::kInvalidInput,
                   "table property 'write.delete.isolation-level' is '{}', expected serializable "
                   "or snapshot",
                   text);
}

bool IsOnlyFor(const DataFile& delete_file, const std::string& path) {
  return delete_file.content == FileContent::kPositionDeletes &&
         ReferencedDataFile(delete_file) == path;
}

bool HasEqualityDeletes(const FileScanTask& task) {
  for (const DeleteFilePtr& deletes : task.deletes) {
    if (deletes->file.content == FileContent::kEqualityDeletes) return true;
  }
  return false;
}

class RowDeletion {
 public:
  RowDeletion(const ChangeContext& context, const Table& table, const DeleteRowsRequest& request)
      : context_(context), table_(table), request_(request) {}

  Result<DeleteRowsResult> Run();

 private:
  const TableMetadata& metadata() const { return *table_.metadata; }
  Status Plan(SnapshotId head);
  Result<int64_t> CountLiveRows(const FileScanTask& task) const;
  Status RemoveWhole(const FileScanTask& task);
  void RemoveDeletesOf(const FileScanTask& task);
  Status FindRows();
  Status RewriteFiles();
  Status AddDeletes();
  Result<FileDeletes> MergeDeletes(const FileScanTask& task, PositionSet found);
  Result<DeleteRowsResult> Commit();

  const ChangeContext& context_;
  const Table& table_;
  const DeleteRowsRequest& request_;
  ExpressionPtr bound_;
  WriteMode mode_ = WriteMode::kCopyOnWrite;
  std::vector<FileScanTask> partly_;  // Files of which some rows may match, then: do.
  PositionsByFile found_;
  ChangeFilesRequest change_;
  DeleteRowsResult result_;
};

// Metadata tells of most files that all of their rows match, or none.
Status RowDeletion::Plan(SnapshotId head) {
  const SchemaPtr schema = metadata().current_schema();
  FIRN_ASSIGN(bound_, Bind(request_.condition, *schema));
  ScanOptions scan;
  scan.snapshot_id = head;
  scan.schema = schema;
  scan.filter = request_.condition;
  scan.with_metrics = true;
  const CommitContext& commit = context_.commit;
  FIRN_ASSIGN(std::vector<FileScanTask> tasks,
              PlanAllFiles(*table_.io, metadata(), scan, *commit.executor, commit.cancel));
  for (FileScanTask& task : tasks) {
    const bool is_whole =
        task.residual->kind() == ExpressionKind::kTrue ||
        AllMatchMetrics(*task.residual, *schema,
                        {.metrics = &task.file.metrics, .record_count = task.file.record_count});
    if (is_whole) {
      FIRN_RETURN_IF_ERROR(RemoveWhole(task));
    } else {
      partly_.push_back(std::move(task));
    }
  }
  return {};
}

Result<int64_t> RowDeletion::CountLiveRows(const FileScanTask& task) const {
  if (task.deletes.empty()) return task.file.record_count;
  if (!HasEqualityDeletes(task)) {
    FIRN_ASSIGN(const PositionSet gone, LoadDeletedPositions(context_.ReadFrom(table_), task));
    return task.file.record_count - gone.CountInRange(0, task.file.record_count);
  }
  FileScanTask all = task;
  all.residual = nullptr;
  ReadOptions options;
  options.projection = std::make_shared<const Schema>(0, std::vector<NestedField>{});
  FIRN_ASSIGN(RowStream rows, ReadTasks(context_.ReadFrom(table_), {std::move(all)}, options));
  return CountRows(std::move(rows));
}

// Deletes that name this file alone mean nothing without it.
void RowDeletion::RemoveDeletesOf(const FileScanTask& task) {
  for (const DeleteFilePtr& deletes : task.deletes) {
    if (IsOnlyFor(deletes->file, task.file.file_path)) {
      change_.removed_delete_files.push_back(deletes);
    }
  }
}

Status RowDeletion::RemoveWhole(const FileScanTask& task) {
  FIRN_ASSIGN(const int64_t rows, CountLiveRows(task));
  result_.deleted_rows += rows;
  change_.removed_data_files.push_back(task.file);
  RemoveDeletesOf(task);
  return {};
}

Status RowDeletion::FindRows() {
  FIRN_ASSIGN(found_, FindPositions(context_.ReadFrom(table_), partly_, bound_));
  std::vector<FileScanTask> changed;
  for (FileScanTask& task : partly_) {
    const auto found = found_.find(task.file.file_path);
    if (found == found_.end()) continue;
    const int64_t matching = found->second.cardinality();
    FIRN_ASSIGN(const int64_t live, CountLiveRows(task));
    if (matching == live) {
      FIRN_RETURN_IF_ERROR(RemoveWhole(task));
      continue;
    }
    result_.deleted_rows += matching;
    changed.push_back(std::move(task));
  }
  partly_ = std::move(changed);
  return {};
}

Status RowDeletion::RewriteFiles() {
  ReadOptions options;
  options.projection = SchemaWithLineage(metadata());
  options.is_ordered = true;
  options.dropped_positions = &found_;
  std::vector<FileScanTask> tasks = partly_;
  for (FileScanTask& task : tasks)
    task.residual = nullptr;
  FIRN_ASSIGN(RowStream rows, ReadTasks(context_.ReadFrom(table_), std::move(tasks), options));
  DataWriteOptions write;
  write.schema = options.projection;
  write.spec = metadata().default_spec();
  FIRN_ASSIGN(write.target_file_bytes, TargetFileBytes(metadata()));
  FIRN_ASSIGN(change_.added_data_files,
              WriteDataFiles(context_.WriteTo(table_), write, std::move(rows)));
  for (const FileScanTask& task : partly_) {
    change_.removed_data_files.push_back(task.file);
    RemoveDeletesOf(task);
  }
  return {};
}

// A data file has one deletion vector at most, and the fewer delete files the faster its reading:
// what deleted rows of this file alone goes into the new one.
Result<FileDeletes> RowDeletion::MergeDeletes(const FileScanTask& task, PositionSet found) {
  const bool has_vectors = metadata().format_version >= 3;
  FileScanTask merged = task;
  std::erase_if(merged.deletes, [&](const DeleteFilePtr& deletes) {
    const bool is_only_for = IsOnlyFor(deletes->file, task.file.file_path);
    const bool is_position = deletes->file.content == FileContent::kPositionDeletes;
    return !(has_vectors ? is_position : is_only_for);
  });
  FIRN_ASSIGN(const PositionSet before, LoadDeletedPositions(context_.ReadFrom(table_), merged));
  found.Union(before);
  RemoveDeletesOf(task);
  return FileDeletes{.data_file = task.file, .positions = std::move(found)};
}

Status RowDeletion::AddDeletes() {
  std::vector<FileDeletes> deletes;
  for (const FileScanTask& task : partly_) {
    FIRN_ASSIGN(FileDeletes of_file, MergeDeletes(task, std::move(found_.at(task.file.file_path))));
    deletes.push_back(std::move(of_file));
  }
  const WriteContext write = context_.WriteTo(table_);
  if (metadata().format_version >= 3) {
    FIRN_ASSIGN(change_.added_delete_files, WriteDeletionVectors(write, deletes));
  } else {
    FIRN_ASSIGN(change_.added_delete_files, WritePositionDeletes(write, deletes));
  }
  return {};
}

Result<DeleteRowsResult> RowDeletion::Commit() {
  const Result<CommitResult> committed = CommitChangeFiles(context_.commit, table_, change_);
  if (!committed.ok()) {
    if (committed.error().code() != ErrorCode::kCommitUnknown) {
      DiscardOutputs(*table_.io, change_.added_data_files);
      DiscardOutputs(*table_.io, change_.added_delete_files);
    }
    return committed.error();
  }
  result_.snapshot_id = committed->snapshot_id;
  result_.removed_data_files = static_cast<int64_t>(change_.removed_data_files.size());
  result_.added_data_files = static_cast<int64_t>(change_.added_data_files.size());
  result_.added_delete_files = static_cast<int64_t>(change_.added_delete_files.size());
  return result_;
}

Result<DeleteRowsResult> RowDeletion::Run() {
  FIRN_ASSIGN(mode_, ChooseMode(metadata(), request_.mode));
  FIRN_ASSIGN(change_.isolation, ChooseIsolation(metadata()));
  const auto ref = metadata().refs.find(request_.branch);
  if (ref == metadata().refs.end()) {
    FIRN_RETURN_IF_ERROR(Bind(request_.condition, *metadata().current_schema()));
    if (request_.branch == kMainBranch) return result_;  // The table has no row.
    return MakeError(ErrorCode::kNotFound, "branch '{}' does not exist", request_.branch);
  }
  change_.branch = request_.branch;
  change_.starting_snapshot_id = ref->second.snapshot_id;
  change_.condition = request_.condition;
  change_.summary_properties = request_.summary_properties;
  result_.snapshot_id = ref->second.snapshot_id;
  FIRN_RETURN_IF_ERROR(Plan(ref->second.snapshot_id));
  if (!partly_.empty()) FIRN_RETURN_IF_ERROR(FindRows());
  if (!partly_.empty()) {
    FIRN_RETURN_IF_ERROR(mode_ == WriteMode::kCopyOnWrite ? RewriteFiles() : AddDeletes());
  }
  if (change_.removed_data_files.empty() && change_.added_delete_files.empty()) return result_;
  return Commit();
}

}  // namespace

Result<DeleteRowsResult> DeleteRows(const ChangeContext& context, const Table& table,
                                    const DeleteRowsRequest& request) {
  return RowDeletion(context, table, request).Run();
}

}  // namespace firn
