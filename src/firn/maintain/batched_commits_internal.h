#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/metadata/table_metadata.h"

/// When the groups of a rewrite are committed, and what becomes of those that met another writer:
/// they are done again, and the others are not. What the groups are is the business of the kind of
/// rewrite; here they are numbers (docs/decisions/0032).

namespace firn {

/// What a kind of rewrite does with its groups. Calls come one at a time.
class GroupCommitter {
 public:
  virtual ~GroupCommitter() = default;

  /// To be asked before groups are committed or discarded. Leaves those that are ours to commit.
  virtual Status Claim(std::vector<int64_t>& groups) = 0;

  /// Commit what these groups gave in one snapshot, and count it. Errors: those of a commit.
  virtual Status Commit(const std::vector<int64_t>& groups) = 0;

  /// Those of `groups` that do not fit the table as it is at present. To the others, what has come
  /// until now is not in the way of their commit any more. Errors: those of loading and planning;
  /// kCommitConflict if no group can be committed ever.
  virtual Result<std::vector<int64_t>> FindConflicts(const std::vector<int64_t>& groups) = 0;

  /// Plan anew what there is left to do of `groups`, whose outputs were discarded, for the table as
  /// it is at present, and return the numbers of the new groups. `kept` wait to be committed
  /// together with these. Errors: as FindConflicts.
  virtual Result<std::vector<int64_t>> Replan(const std::vector<int64_t>& groups,
                                              const std::vector<int64_t>& kept) = 0;

  /// The group was claimed and is not committed for now.
  virtual void Release(int64_t group) = 0;

  /// Delete what a group that was claimed has written: it is not committed.
  virtual void Discard(int64_t group) = 0;

  /// The files of the group stay as they are.
  virtual void CountFailed(int64_t group) = 0;

  /// For people.
  virtual std::string NameOf(int64_t group) const = 0;
};

struct BatchOptions {
  size_t group_count = 0;
  bool has_partial_progress = false;
  int64_t max_commits = 1;  ///< Of partial progress; groups that are done again come on top.
  /// How often groups that met another writer are done again.
  int64_t rounds_max = 0;
};

/// `commit.retry.num-retries` of the table, which tells how patient its commits are.
int64_t RewriteRoundsMax(const TableMetadata& metadata);

/// Takes finished groups and has them committed: all at once, or in batches as they come (partial
/// progress). Thread-safe.
class BatchedCommits {
 public:
  /// `committer` outlives this.
  BatchedCommits(GroupCommitter& committer, const BatchOptions& options);

  /// A group is finished. With partial progress this may commit a batch. Errors: kCommitUnknown,
  /// after which nothing more is committed; others are kept.
  Status Add(int64_t group);

  /// A group could not be written; with partial progress the others go on.
  void AddFailure(int64_t group, const Error& error);

  /// To be called when no group is at work: commit what is left. The groups that are returned are
  /// to be run, then this is called again; none: that was all. Errors: those of the only commit,
  /// where all are committed at once; kCommitUnknown.
  Result<std::vector<int64_t>> CommitRest();

  /// The run ends early: groups that were finished and are not committed.
  std::vector<int64_t> TakeWaiting();

  int64_t failed_commits() const { return failed_commits_; }
  /// With partial progress.
  const std::optional<Error>& first_failure() const { return first_failure_; }
  /// An error if something failed and there are no commits to show for it.
  Status CheckAnyCommitted(int64_t commit_count) const;

 private:
  Status CommitBatch(std::vector<int64_t> batch);
  Status SetAside(std::vector<int64_t>& batch, const std::vector<int64_t>& conflicting,
                  const Error& error);
  Status FailUnexplained(std::vector<int64_t> batch, const Error& error);
  Status Fail(const std::vector<int64_t>& batch, const Error& error);
  void NoteFailure(const Error& error);
  Result<std::vector<int64_t>> Replan();

  GroupCommitter& committer_;
  const BatchOptions options_;
  size_t groups_per_commit_ = 0;

  std::mutex mutex_;
  std::vector<int64_t> waiting_;
  std::vector<int64_t> conflicted_;  ///< To be done again.
  std::optional<Error> conflict_;    ///< The last one.
  int64_t rounds_ = 0;
  bool is_unknown_ = false;
  int64_t failed_commits_ = 0;
  std::optional<Error> first_failure_;
};

}  // namespace firn
