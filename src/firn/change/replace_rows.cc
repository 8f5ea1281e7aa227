#include "firn/change/replace_rows.h"

#include <algorithm>
#include <utility>

#include "firn/base/text.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/format/puffin/delete_reference.h"

namespace firn {
namespace {

bool IsOnlyFor(const DataFile& delete_file, const std::string& path) {
  return delete_file.content == FileContent::kPositionDeletes &&
         ReferencedDataFile(delete_file) == path;
}

bool HasEqualityDeletes(const FileScanTask& task) {
  return std::any_of(task.deletes.begin(), task.deletes.end(), [](const DeleteFilePtr& deletes) {
    return deletes->file.content == FileContent::kEqualityDeletes;
  });
}

class RowReplacement {
 public:
  RowReplacement(const ChangeContext& context, const Table& table, ReplaceRowsRequest request)
      : context_(context), table_(table), request_(std::move(request)) {}

  Result<ReplaceRowsResult> Run();

 private:
  const TableMetadata& metadata() const { return *table_.metadata; }
  Result<std::vector<int64_t>> CountLiveRows(const std::vector<FileScanTask>& tasks) const;
  Result<int64_t> ReadLiveRows(const FileScanTask& task) const;
  Status SortOut();
  void RemoveDeletesOf(const FileScanTask& task);
  void RemoveFile(const FileScanTask& task);
  Status WriteRows(const SchemaPtr& schema, RowStream rows);
  Status RewriteFiles();
  Status AddDeletes();
  Status Write();
  void Discard() const;
  Result<ReplaceRowsResult> Commit();

  const ChangeContext& context_;
  const Table& table_;
  ReplaceRowsRequest request_;
  ChangeFilesRequest change_;
  ReplaceRowsResult result_;
  int64_t moved_rows_ = 0;  // That stay, in files that are written again.
};

Result<int64_t> RowReplacement::ReadLiveRows(const FileScanTask& task) const {
  FileScanTask all = task;
  all.residual = nullptr;
  ReadOptions options;
  options.projection = std::make_shared<const Schema>(0, std::vector<NestedField>{});
  FIRN_ASSIGN(RowStream rows, ReadTasks(context_.ReadFrom(table_), {std::move(all)}, options));
  return CountRows(std::move(rows));
}

Result<std::vector<int64_t>> RowReplacement::CountLiveRows(
    const std::vector<FileScanTask>& tasks) const {
  std::vector<int64_t> live;
  live.reserve(tasks.size());
  std::vector<FileScanTask> by_position;
  for (const FileScanTask& task : tasks) {
    live.push_back(task.file.record_count);
    if (!task.deletes.empty() && !HasEqualityDeletes(task)) by_position.push_back(task);
  }
  FIRN_ASSIGN(const auto gone, LoadDeletedPositions(context_.ReadFrom(table_), by_position));
  size_t next = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].deletes.empty()) continue;
    if (HasEqualityDeletes(tasks[i])) {
      FIRN_ASSIGN(live[i], ReadLiveRows(tasks[i]));
    } else {
      live[i] -= gone[next++].CountInRange(0, tasks[i].file.record_count);
    }
  }
  return live;
}

// Files that lose their last row go as a whole; those that lose none are no concern.
Status RowReplacement::SortOut() {
  FIRN_ASSIGN(const auto whole, CountLiveRows(request_.whole_files));
  for (const int64_t live : whole)
    result_.deleted_rows += live;
  std::vector<FileScanTask>& files = request_.files;
  std::erase_if(files, [this](const FileScanTask& task) {
    return !request_.positions.contains(task.file.file_path);
  });
  FIRN_ASSIGN(const auto partly, CountLiveRows(files));
  std::vector<FileScanTask> changed;
  for (size_t i = 0; i < files.size(); ++i) {
    const int64_t going = request_.positions.find(files[i].file.file_path)->second.cardinality();
    result_.deleted_rows += going;
    if (going == partly[i]) {
      request_.whole_files.push_back(std::move(files[i]));
    } else {
      moved_rows_ += partly[i] - going;
      changed.push_back(std::move(files[i]));
    }
  }
  files = std::move(changed);
  for (const FileScanTask& task : request_.whole_files)
    RemoveFile(task);
  return {};
}

// Deletes that name this file alone mean nothing without it.
void RowReplacement::RemoveDeletesOf(const FileScanTask& task) {
  for (const DeleteFilePtr& deletes : task.deletes) {
    if (IsOnlyFor(deletes->file, task.file.file_path)) {
      change_.removed_delete_files.push_back(deletes);
    }
  }
}

void RowReplacement::RemoveFile(const FileScanTask& task) {
  change_.removed_data_files.push_back(task.file);
  RemoveDeletesOf(task);
}

Status RowReplacement::WriteRows(const SchemaPtr& schema, RowStream rows) {
  FIRN_ASSIGN(DataWriteOptions write, TableWriteOptions(metadata()));
  write.schema = schema;
  FIRN_ASSIGN(std::vector<DataFile> files,
              WriteDataFiles(context_.WriteTo(table_), write, std::move(rows)));
  for (DataFile& file : files) {
    result_.added_rows += file.record_count;
    change_.added_data_files.push_back(std::move(file));
  }
  return {};
}

// Rows that stay move to new files, and those that come follow them.
Status RowReplacement::RewriteFiles() {
  ReadOptions options;
  options.projection = SchemaWithLineage(metadata());
  options.is_ordered = true;
  options.dropped_positions = &request_.positions;
  for (FileScanTask& task : request_.files) {
    RemoveFile(task);
    task.residual = nullptr;
  }
  std::vector<RowStream> streams;
  FIRN_ASSIGN(RowStream stay,
              ReadTasks(context_.ReadFrom(table_), std::move(request_.files), options));
  streams.push_back(std::move(stay));
  const bool is_alike = request_.has_lineage || metadata().format_version < 3;
  if (request_.rows && is_alike) streams.push_back(std::move(request_.rows));
  FIRN_ASSIGN(RowStream all, ConcatenateRows(std::move(streams)));
  FIRN_RETURN_IF_ERROR(WriteRows(options.projection, std::move(all)));
  result_.added_rows -= moved_rows_;
  return {};
}

// A data file has one deletion vector at most, and the fewer delete files the faster its reading:
// what deleted rows of this file alone goes into the new one.
Status RowReplacement::AddDeletes() {
  const bool has_vectors = metadata().format_version >= 3;
  std::vector<FileScanTask> merged = request_.files;
  for (FileScanTask& task : merged) {
    std::erase_if(task.deletes, [&](const DeleteFilePtr& deletes) {
      const bool is_only_for = IsOnlyFor(deletes->file, task.file.file_path);
      const bool is_position = deletes->file.content == FileContent::kPositionDeletes;
      return !(has_vectors ? is_position : is_only_for);
    });
  }
  FIRN_ASSIGN(auto before, LoadDeletedPositions(context_.ReadFrom(table_), merged));
  std::vector<FileDeletes> deletes;
  for (size_t i = 0; i < merged.size(); ++i) {
    FileDeletes of_file{
        .data_file = std::move(merged[i].file),
        .positions = std::move(request_.positions.find(request_.files[i].file.file_path)->second)};
    of_file.positions.Union(before[i]);
    RemoveDeletesOf(request_.files[i]);
    if (request_.is_update) change_.updated_data_files.push_back(of_file.data_file);
    deletes.push_back(std::move(of_file));
  }
  const WriteContext write = context_.WriteTo(table_);
  FIRN_ASSIGN(change_.added_delete_files, has_vectors ? WriteDeletionVectors(write, deletes)
                                                      : WritePositionDeletes(write, deletes));
  return {};
}

Status RowReplacement::Write() {
  if (!request_.files.empty()) {
    FIRN_RETURN_IF_ERROR(request_.mode == WriteMode::kCopyOnWrite ? RewriteFiles() : AddDeletes());
  }
  if (request_.rows) {
    const SchemaPtr schema =
        request_.has_lineage ? SchemaWithLineage(metadata()) : metadata().current_schema();
    FIRN_RETURN_IF_ERROR(WriteRows(schema, std::move(request_.rows)));
  }
  return {};
}

void RowReplacement::Discard() const {
  DiscardOutputs(*table_.io, change_.added_data_files);
  DiscardOutputs(*table_.io, change_.added_delete_files);
}

Result<ReplaceRowsResult> RowReplacement::Commit() {
  const Result<CommitResult> committed = CommitChangeFiles(context_.commit, table_, change_);
  const bool is_unused =
      committed.ok() ? committed->is_repeat : committed.error().code() != ErrorCode::kCommitUnknown;
  if (is_unused) Discard();
  if (!committed.ok()) return committed.error();
  if (committed->is_repeat) result_ = {};
  result_.snapshot_id = committed->snapshot_id;
  result_.table = committed->table;
  result_.attempts = committed->attempts;
  result_.is_repeat = committed->is_repeat;
  if (result_.is_repeat) return std::move(result_);
  result_.removed_data_files = std::ssize(change_.removed_data_files);
  result_.added_data_files = std::ssize(change_.added_data_files);
  result_.added_delete_files = std::ssize(change_.added_delete_files);
  return std::move(result_);
}

Result<ReplaceRowsResult> RowReplacement::Run() {
  change_.SnapshotOptions::operator=(request_);
  change_.starting_snapshot_id = request_.head;
  change_.starts_empty = !request_.head;
  change_.condition = request_.condition;
  change_.isolation = request_.isolation;
  result_.snapshot_id = request_.head;
  result_.table = table_;
  FIRN_RETURN_IF_ERROR(SortOut());
  if (const Status written = Write(); !written.ok()) {
    Discard();
    return written.error();
  }
  if (change_.removed_data_files.empty() && change_.added_data_files.empty() &&
      change_.added_delete_files.empty()) {
    return std::move(result_);
  }
  return Commit();
}

Result<WriteMode> ChooseWriteMode(const TableMetadata& metadata, std::string_view command,
                                  std::optional<WriteMode> wanted) {
  const std::string property = fmt::format("write.{}.mode", command);
  const std::string text = metadata.Property(property, "copy-on-write");
  WriteMode mode = WriteMode::kCopyOnWrite;
  if (wanted) {
    mode = *wanted;
  } else if (EqualsIgnoreCase(text, "merge-on-read")) {
    mode = WriteMode::kMergeOnRead;
  } else if (!EqualsIgnoreCase(text, "copy-on-write")) {
    return MakeError(ErrorCode::kInvalidInput,
                     "table property '{}' is '{}', expected copy-on-write or merge-on-read",
                     property, text);
  }
  if (mode == WriteMode::kMergeOnRead && metadata.format_version < 2) {
    return Error(ErrorCode::kInvalidInput,
                 "merge-on-read needs format version 2, the table has 1; use copy-on-write or "
                 "upgrade the table");
  }
  return mode;
}

Result<Isolation> ChooseIsolation(const TableMetadata& metadata, std::string_view command) {
  const std::string property = fmt::format("write.{}.isolation-level", command);
  const std::string text = metadata.Property(property, "serializable");
  if (EqualsIgnoreCase(text, "serializable")) return Isolation::kSerializable;
  if (EqualsIgnoreCase(text, "snapshot")) return Isolation::kSnapshot;
  return MakeError(ErrorCode::kInvalidInput,
                   "table property '{}' is '{}', expected serializable or snapshot", property,
                   text);
}

}  // namespace

Result<std::optional<SnapshotId>> FindHead(const TableMetadata& metadata,
                                           const std::string& branch) {
  const auto head = metadata.RefSnapshotId(branch);
  if (head || branch == kMainBranch) return head;
  return MakeError(ErrorCode::kNotFound, "branch '{}' does not exist", branch);
}

Result<ReplaceRowsRequest> PrepareReplacement(const TableMetadata& metadata,
                                              std::string_view command,
                                              std::optional<WriteMode> wanted,
                                              const SnapshotOptions& options) {
  ReplaceRowsRequest request;
  request.SnapshotOptions::operator=(options);
  FIRN_ASSIGN(request.mode, ChooseWriteMode(metadata, command, wanted));
  FIRN_ASSIGN(request.isolation, ChooseIsolation(metadata, command));
  FIRN_ASSIGN(request.head, FindHead(metadata, request.branch));
  return request;
}

Result<ReplaceRowsResult> ReplaceRows(const ChangeContext& context, const Table& table,
                                      ReplaceRowsRequest request) {
  return RowReplacement(context, table, std::move(request)).Run();
}

}  // namespace firn
