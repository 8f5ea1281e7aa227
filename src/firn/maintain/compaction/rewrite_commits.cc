#include <algorithm>
#include <unordered_set>
#include <utility>

#include "firn/base/log.h"
#include "firn/format/delete_reference.h"
#include "firn/maintain/compaction/rewrite_commits_internal.h"

namespace firn {
namespace {

// Keys of the delete files that apply to inputs of the group, each once.
std::unordered_set<std::string> DeletesOf(const FileGroup& group) {
  std::unordered_set<std::string> keys;
  for (const FileScanTask& task : group.inputs) {
    for (const DeleteFilePtr& file : task.deletes)
      keys.insert(FileKey(file->file));
  }
  return keys;
}

}  // namespace

RewriteCommits::RewriteCommits(const MaintainContext& context, const Table& table,
                               const CompactionPlan& plan, std::string branch,
                               const RewriteDataFilesOptions& options, RewriteJournal* journal)
    : context_(context),
      table_(table),
      plan_(plan),
      branch_(std::move(branch)),
      options_(options),
      journal_(journal),
      groups_per_commit_(plan.groups.size()),
      groups_left_(plan.groups.size()) {
  if (options.has_partial_progress) {
    const auto commits = static_cast<size_t>(options.max_commits);
    groups_per_commit_ = (plan.groups.size() + commits - 1) / commits;
  }
  for (const FileGroup& group : plan.groups) {
    for (const std::string& key : DeletesOf(group))
      ++delete_uses_[key];
  }
}

Status RewriteCommits::Add(GroupResult result) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(result));
  if (!options_.has_partial_progress || waiting_.size() < groups_per_commit_ || is_unknown_) {
    return {};
  }
  return CommitBatch(std::exchange(waiting_, {}));
}

void RewriteCommits::AddFailure(const FileGroup& group, const Error& error) {
  const std::lock_guard lock(mutex_);
  result_.failed_data_files_count += static_cast<int32_t>(group.inputs.size());
  if (!first_failure_) first_failure_ = error;
  Log(LogLevel::kWarning, "group {} ({}) is left as it was: {}", group.index, group.partition_path,
      error.Format());
}

RewriteFilesRequest RewriteCommits::MakeRequest(const std::vector<GroupResult>& batch) const {
  RewriteFilesRequest request;
  request.branch = branch_;
  request.starting_snapshot_id = plan_.starting_snapshot_id;
  if (options_.use_starting_sequence_number && table_.metadata->format_version >= 2) {
    request.data_sequence_number = plan_.starting_sequence_number;
  }
  std::unordered_map<std::string, size_t> uses_in_batch;
  for (const GroupResult& result : batch) {
    const FileGroup& group = plan_.groups[static_cast<size_t>(result.index)];
    for (const FileScanTask& task : group.inputs)
      request.removed_data_files.push_back(task.file);
    request.added_data_files.insert(request.added_data_files.end(), result.outputs.begin(),
                                    result.outputs.end());
    for (const std::string& key : DeletesOf(group))
      ++uses_in_batch[key];
  }
  // A delete file goes with the last group that it applies to; one that applied to nothing before
  // goes with the last commit.
  const bool is_last = groups_left_ == batch.size();
  for (const DeleteFilePtr& file : plan_.obsolete_deletes) {
    const auto uses = delete_uses_.find(FileKey(file->file));
    const auto in_batch = uses_in_batch.find(FileKey(file->file));
    const size_t left = uses == delete_uses_.end() ? 0 : uses->second;
    const size_t now = in_batch == uses_in_batch.end() ? 0 : in_batch->second;
    if (left == now && (now > 0 || is_last)) request.removed_delete_files.push_back(file);
  }
  return request;
}

Result<CommitResult> RewriteCommits::Commit(const std::vector<GroupResult>& batch) {
  FIRN_ASSIGN(CommitResult committed,
              CommitRewriteFiles(context_.commit, table_, MakeRequest(batch)));
  Count(batch, committed);
  return committed;
}

void RewriteCommits::Count(const std::vector<GroupResult>& batch, const CommitResult& committed) {
  for (const GroupResult& result : batch) {
    const FileGroup& group = plan_.groups[static_cast<size_t>(result.index)];
    result_.rewritten_data_files_count += static_cast<int32_t>(group.inputs.size());
    result_.rewritten_bytes_count += group.input_bytes;
    result_.added_data_files_count += static_cast<int32_t>(result.outputs.size());
    for (const FileScanTask& task : group.inputs)
      result_.rewritten.Add(task.file.file_size_in_bytes);
    for (const DataFile& file : result.outputs)
      result_.added.Add(file.file_size_in_bytes);
    for (const std::string& key : DeletesOf(group))
      --delete_uses_[key];
  }
  groups_left_ -= batch.size();
  result_.removed_delete_files_count += static_cast<int32_t>(committed.removed_delete_files);
  result_.snapshot_id = committed.snapshot_id;
  ++result_.commit_count;
}

void RewriteCommits::Discard(const GroupResult& result) {
  if (!result.may_be_committed) DiscardOutputs(*table_.io, result.outputs);
  if (journal_ != nullptr) journal_->Forget(result.index);
}

// Leave in `batch` what no other run has taken over.
Status RewriteCommits::ClaimBatch(std::vector<GroupResult>& batch) {
  if (journal_ == nullptr) return {};
  std::vector<GroupResult> ours;
  std::optional<int64_t> lost;
  for (GroupResult& result : batch) {
    FIRN_ASSIGN(const bool is_ours, journal_->Claim(result.index));
    if (is_ours) {
      ours.push_back(std::move(result));
      continue;
    }
    const FileGroup& group = plan_.groups[static_cast<size_t>(result.index)];
    lost = result.index;
    result_.failed_data_files_count += static_cast<int32_t>(group.inputs.size());
    Log(LogLevel::kWarning, "group {} ({}) was taken over by another run", group.index,
        group.partition_path);
  }
  batch = std::move(ours);
  if (!lost || options_.has_partial_progress) return {};
  for (const GroupResult& result : batch)
    Discard(result);
  return MakeError(ErrorCode::kCommitConflict,
                   "group {} was taken over by another rewrite of this table, which took this one "
                   "for ended; nothing was committed",
                   *lost);
}

Status RewriteCommits::CommitBatch(std::vector<GroupResult> batch) {
  FIRN_RETURN_IF_ERROR(ClaimBatch(batch));
  if (batch.empty()) return {};
  const Result<CommitResult> committed = Commit(batch);
  if (committed.ok()) {
    for (const GroupResult& result : batch) {
      if (journal_ != nullptr) journal_->Forget(result.index);
    }
    return {};
  }
  return OnConflict(std::move(batch), committed.error());
}

Status RewriteCommits::OnConflict(std::vector<GroupResult> batch, const Error& error) {
  if (error.code() == ErrorCode::kCommitUnknown) {
    is_unknown_ = true;  // The outputs may be in the table.
    return error;
  }
  const bool is_conflict = error.code() == ErrorCode::kCommitConflict;
  if (is_conflict && options_.has_partial_progress && batch.size() > 1) {
    // One group that met another writer must not spoil the others.
    for (GroupResult& result : batch)
      FIRN_RETURN_IF_ERROR(CommitBatch({std::move(result)}));
    return {};
  }
  for (const GroupResult& result : batch)
    Discard(result);
  if (!options_.has_partial_progress) return error;
  ++failed_commits_;
  if (!first_failure_) first_failure_ = error;
  Log(LogLevel::kWarning, "a commit of {} groups failed: {}", batch.size(), error.Format());
  return {};
}

Result<RewriteDataFilesResult> RewriteCommits::Finish() {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty()) FIRN_RETURN_IF_ERROR(CommitBatch(std::exchange(waiting_, {})));
  if (failed_commits_ > options_.max_failed_commits) {
    return MakeError(first_failure_->code(),
                     "{} commits failed, {} are allowed (partial-progress.max-failed-commits), {} "
                     "succeeded and stay; the first failure: {}",
                     failed_commits_, options_.max_failed_commits, result_.commit_count,
                     first_failure_->message());
  }
  if (first_failure_ && result_.commit_count == 0) {
    return MakeError(first_failure_->code(),
                     "nothing was committed: every group or its commit failed; the first failure: "
                     "{}",
                     first_failure_->message());
  }
  return result_;
}

void RewriteCommits::Abandon() {
  const std::lock_guard lock(mutex_);
  for (const GroupResult& result : std::exchange(waiting_, {})) {
    if (journal_ == nullptr) DiscardOutputs(*table_.io, result.outputs);
  }
}

}  // namespace firn
