#include <utility>

#include "firn/base/log.h"
#include "firn/commit/rewrite_deletes.h"
#include "firn/maintain/deletes/delete_rewrite_internal.h"

namespace firn {

int64_t OwnBytes(const DataFile& file) {
  return file.is_deletion_vector() ? file.content_size_in_bytes.value_or(0)
                                   : file.file_size_in_bytes;
}

std::vector<DataFile> FilesOf(const std::vector<DeleteFile>& deletes) {
  std::vector<DataFile> files;
  for (const DeleteFile& deletes_file : deletes)
    files.push_back(deletes_file.file);
  return files;
}

DeleteCommits::DeleteCommits(const MaintainContext& context, const Table& table,
                             const DeleteRewritePlan& plan, std::string branch,
                             const DeleteRewriteOptions& options)
    : context_(context),
      table_(table),
      plan_(plan),
      branch_(std::move(branch)),
      options_(options),
      groups_per_commit_(plan.groups.size()) {
  if (options.has_partial_progress) {
    const auto commits = static_cast<size_t>(options.max_commits);
    groups_per_commit_ = (plan.groups.size() + commits - 1) / commits;
  }
}

Status DeleteCommits::Add(DeleteGroupResult result) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(result));
  if (!options_.has_partial_progress || waiting_.size() < groups_per_commit_ || is_unknown_) {
    return {};
  }
  return CommitBatch(std::exchange(waiting_, {}));
}

void DeleteCommits::AddFailure(const DeleteGroup& group, const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!first_failure_) first_failure_ = error;
  Log(LogLevel::kWarning, "delete files of group {} ({}) are left as they were: {}", group.index,
      group.partition_path, error.Format());
}

Status DeleteCommits::CommitBatch(std::vector<DeleteGroupResult> batch) {
  RewriteDeletesRequest request;
  request.branch = branch_;
  request.starting_snapshot_id = plan_.starting_snapshot_id;
  for (const DeleteGroupResult& result : batch) {
    const std::vector<DeleteFilePtr>& inputs =
        plan_.groups[static_cast<size_t>(result.index)].inputs;
    for (const std::vector<DeleteFilePtr>* removed : {&inputs, &result.removed}) {
      request.removed_delete_files.insert(request.removed_delete_files.end(), removed->begin(),
                                          removed->end());
    }
    request.added_delete_files.insert(request.added_delete_files.end(), result.added.begin(),
                                      result.added.end());
  }
  const auto committed = CommitRewriteDeletes(context_.commit, table_, request);
  if (!committed.ok()) return OnFailure(std::move(batch), committed.error());
  Count(batch);
  result_.snapshot_id = committed->snapshot_id;
  ++result_.commit_count;
  return {};
}

void DeleteCommits::Count(const std::vector<DeleteGroupResult>& batch) {
  for (const DeleteGroupResult& result : batch) {
    const std::vector<DeleteFilePtr>& inputs =
        plan_.groups[static_cast<size_t>(result.index)].inputs;
    for (const std::vector<DeleteFilePtr>* removed : {&inputs, &result.removed}) {
      for (const DeleteFilePtr& file : *removed) {
        const bool is_equality = file->file.content == FileContent::kEqualityDeletes;
        ++(is_equality ? result_.converted_equality_deletes : result_.rewritten_position_deletes);
        result_.rewritten_bytes += OwnBytes(file->file);
      }
    }
    result_.added_position_deletes += static_cast<int32_t>(result.added.size());
    for (const DeleteFile& file : result.added)
      result_.added_bytes += OwnBytes(file.file);
  }
}

void DeleteCommits::Discard(const DeleteGroupResult& result) const {
  DiscardOutputs(*table_.io, FilesOf(result.added));
}

Status DeleteCommits::OnFailure(std::vector<DeleteGroupResult> batch, const Error& error) {
  if (error.code() == ErrorCode::kCommitUnknown) {
    is_unknown_ = true;  // The outputs may be in the table.
    return error;
  }
  const bool is_conflict = error.code() == ErrorCode::kCommitConflict;
  if (is_conflict && options_.has_partial_progress && batch.size() > 1) {
    // One group that met another writer must not spoil the others.
    waiting_ = std::move(batch);
    while (!waiting_.empty()) {
      std::vector<DeleteGroupResult> single;
      single.push_back(std::move(waiting_.back()));
      waiting_.pop_back();
      FIRN_RETURN_IF_ERROR(CommitBatch(std::move(single)));
    }
    return {};
  }
  for (const DeleteGroupResult& result : batch)
    Discard(result);
  if (!options_.has_partial_progress) return error;
  if (!first_failure_) first_failure_ = error;
  Log(LogLevel::kWarning, "a commit of {} groups of delete files failed: {}", batch.size(),
      error.Format());
  return {};
}

Result<DeleteRewriteResult> DeleteCommits::Finish() {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty()) FIRN_RETURN_IF_ERROR(CommitBatch(std::exchange(waiting_, {})));
  if (first_failure_ && result_.commit_count == 0) {
    return MakeError(first_failure_->code(),
                     "nothing was committed: every group or its commit failed; the first failure: "
                     "{}",
                     first_failure_->message());
  }
  return result_;
}

void DeleteCommits::Abandon() {
  const std::lock_guard lock(mutex_);
  for (const DeleteGroupResult& result : std::exchange(waiting_, {}))
    Discard(result);
}

}  // namespace firn
