#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "firn/maintain/compaction/rewrite_journal_internal.h"

namespace firn {

/// Takes finished groups and commits them: all at once, or in batches as they come (partial
/// progress), so that what is done stays done. Thread-safe; one commit at a time.
class RewriteCommits {
 public:
  RewriteCommits(const MaintainContext& context, const Table& table, const CompactionPlan& plan,
                 std::string branch, const RewriteDataFilesOptions& options,
                 RewriteJournal* journal);

  /// With partial progress this may commit a batch. Errors: kCommitUnknown, after which nothing
  /// more is committed. Conflicts are counted, and told by `Finish`.
  Status Add(GroupResult result);

  /// A group could not be written; its inputs stay.
  void AddFailure(const FileGroup& group, const Error& error);

  /// Commit what is left. Errors: those of the only commit; with partial progress the first
  /// failure, if more commits failed than are allowed, or if none succeeded.
  Result<RewriteDataFilesResult> Finish();

  /// The run ends early: delete the outputs of groups that are not committed, or leave them to a
  /// later run if there is a journal.
  void Abandon();

 private:
  Status CommitBatch(std::vector<GroupResult> batch);
  Status ClaimBatch(std::vector<GroupResult>& batch);
  void Discard(const GroupResult& result);
  Result<CommitResult> Commit(const std::vector<GroupResult>& batch);
  Status OnConflict(std::vector<GroupResult> batch, const Error& error);
  RewriteFilesRequest MakeRequest(const std::vector<GroupResult>& batch) const;
  void Count(const std::vector<GroupResult>& batch, const CommitResult& committed);

  const MaintainContext& context_;
  const Table& table_;
  const CompactionPlan& plan_;
  const std::string branch_;
  const RewriteDataFilesOptions& options_;
  RewriteJournal* const journal_;  // May be null.
  size_t groups_per_commit_ = 0;

  std::mutex mutex_;
  std::vector<GroupResult> waiting_;
  /// Groups not committed yet that an obsolete delete file applies to, by its key.
  std::unordered_map<std::string, size_t> delete_uses_;
  size_t groups_left_ = 0;  ///< Not committed.
  bool is_unknown_ = false;
  int64_t failed_commits_ = 0;
  std::optional<Error> first_failure_;
  RewriteDataFilesResult result_;
};

}  // namespace firn
