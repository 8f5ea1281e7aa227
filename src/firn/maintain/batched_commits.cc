#include <algorithm>
#include <utility>

#include "firn/base/log.h"
#include "firn/maintain/batched_commits_internal.h"

namespace firn {
namespace {

constexpr int64_t kRetriesOfACommit = 4;  // As Iceberg's default.

}  // namespace

int64_t RewriteRoundsMax(const TableMetadata& metadata) {
  // A value that is no number is an error of the commit.
  const auto count = metadata.IntProperty("commit.retry.num-retries", kRetriesOfACommit);
  return count.ok() ? std::max<int64_t>(*count, 0) : kRetriesOfACommit;
}

BatchedCommits::BatchedCommits(GroupCommitter& committer, const BatchOptions& options)
    : committer_(committer), options_(options), groups_per_commit_(options.group_count) {
  if (options.has_partial_progress) {
    const auto commits = static_cast<size_t>(options.max_commits);
    groups_per_commit_ = (options.group_count + commits - 1) / commits;
  }
}

Status BatchedCommits::Add(int64_t group) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(group);
  const bool is_full = options_.has_partial_progress && waiting_.size() >= groups_per_commit_;
  // What is done again is committed together.
  if (!is_full || rounds_ > 0 || is_unknown_) return {};
  return CommitBatch(std::exchange(waiting_, {}));
}

void BatchedCommits::AddFailure(int64_t group, const Error& error) {
  const std::lock_guard lock(mutex_);
  committer_.CountFailed(group);
  NoteFailure(error);
  Log(LogLevel::kWarning, "{} is left as it was: {}", committer_.NameOf(group), error.Format());
}

Result<std::vector<int64_t>> BatchedCommits::CommitRest() {
  const std::lock_guard lock(mutex_);
  for (;;) {
    if (!waiting_.empty()) FIRN_RETURN_IF_ERROR(CommitBatch(std::exchange(waiting_, {})));
    if (conflicted_.empty()) return std::vector<int64_t>();
    FIRN_ASSIGN(std::vector<int64_t> again, Replan());
    if (!again.empty()) return again;
  }
}

std::vector<int64_t> BatchedCommits::TakeWaiting() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

Status BatchedCommits::CommitBatch(std::vector<int64_t> batch) {
  FIRN_RETURN_IF_ERROR(committer_.Claim(batch));
  bool was_explained = true;
  while (!batch.empty()) {
    const Status committed = committer_.Commit(batch);
    if (committed.ok()) return {};
    const Error& error = committed.error();
    if (error.code() == ErrorCode::kCommitUnknown) {
      is_unknown_ = true;  // The outputs may be in the table.
      return error;
    }
    if (error.code() != ErrorCode::kCommitConflict) return Fail(batch, error);
    const Result<std::vector<int64_t>> found = committer_.FindConflicts(batch);
    // Where nothing is in the way of any group as the table is now, it gets one more chance.
    if (!found.ok() || (found->empty() && !was_explained)) {
      return FailUnexplained(std::move(batch), error);
    }
    was_explained = !found->empty();
    if (!was_explained) continue;
    FIRN_RETURN_IF_ERROR(SetAside(batch, *found, error));
    if (!options_.has_partial_progress) {
      waiting_ = std::move(batch);
      return {};
    }
  }
  return {};
}

// Of the groups that conflict nothing is left; the others stay in the batch.
Status BatchedCommits::SetAside(std::vector<int64_t>& batch,
                                const std::vector<int64_t>& conflicting, const Error& error) {
  const bool may_go_on = rounds_ < options_.rounds_max;
  std::string names;
  for (const int64_t group : conflicting) {
    names += (names.empty() ? "" : ", ") + committer_.NameOf(group);
    committer_.Discard(group);
    std::erase(batch, group);
    if (may_go_on) {
      conflicted_.push_back(group);
    } else if (options_.has_partial_progress) {
      committer_.CountFailed(group);
      ++failed_commits_;
      NoteFailure(error);
    }
  }
  conflict_ = error;
  Log(LogLevel::kWarning, "{} met another writer and {}: {}", names,
      may_go_on ? "will be done again" : "is left as it was", error.Format());
  if (options_.has_partial_progress) return {};
  // While others are done again, these belong to whoever needs them.
  for (const int64_t group : batch)
    committer_.Release(group);
  if (may_go_on) return {};
  waiting_ = std::move(batch);
  return MakeError(error.code(),
                   "{}; groups were done again {} times, as often as commit.retry.num-retries "
                   "allows; in conflict at the end: {}",
                   error.message(), rounds_, names);
}

// Nobody knows which of the groups is to blame.
Status BatchedCommits::FailUnexplained(std::vector<int64_t> batch, const Error& error) {
  if (!options_.has_partial_progress || batch.size() == 1) return Fail(batch, error);
  for (const int64_t group : batch)
    FIRN_RETURN_IF_ERROR(CommitBatch({group}));
  return {};
}

Status BatchedCommits::Fail(const std::vector<int64_t>& batch, const Error& error) {
  for (const int64_t group : batch)
    committer_.Discard(group);
  if (!options_.has_partial_progress) return error;
  for (const int64_t group : batch)
    committer_.CountFailed(group);
  ++failed_commits_;
  NoteFailure(error);
  Log(LogLevel::kWarning, "a commit of {} groups failed: {}", batch.size(), error.Format());
  return {};
}

void BatchedCommits::NoteFailure(const Error& error) {
  if (!first_failure_) first_failure_ = error;
}

Status BatchedCommits::CheckAnyCommitted(int64_t commit_count) const {
  if (!first_failure_ || commit_count > 0) return {};
  return MakeError(first_failure_->code(),
                   "nothing was committed: every group or its commit failed; the first failure: {}",
                   first_failure_->message());
}

Result<std::vector<int64_t>> BatchedCommits::Replan() {
  ++rounds_;
  const std::vector<int64_t> groups = std::exchange(conflicted_, {});
  Result<std::vector<int64_t>> again = committer_.Replan(groups, waiting_);
  if (again.ok() || again.error().code() == ErrorCode::kCancelled) return again;
  const Error error = MakeError(conflict_->code(), "{}; it cannot be done again: {}",
                                conflict_->message(), again.error().message());
  if (!options_.has_partial_progress) return error;
  for (const int64_t group : groups)
    committer_.CountFailed(group);
  failed_commits_ += static_cast<int64_t>(groups.size());
  NoteFailure(error);
  return std::vector<int64_t>();
}

}  // namespace firn
