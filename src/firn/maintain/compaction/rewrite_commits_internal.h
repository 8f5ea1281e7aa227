#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "firn/maintain/batched_commits_internal.h"
#include "firn/maintain/compaction/live_inputs_internal.h"
#include "firn/maintain/compaction/rewrite_journal_internal.h"

namespace firn {

/// Takes finished groups of data files and commits them: all at once, or in batches as they come
/// (partial progress), so that what is done stays done. Groups that met another writer are planned
/// anew for the table as it is then. Thread-safe.
class RewriteCommits final : private GroupCommitter {
 public:
  /// `journal` may be null; all outlive this.
  RewriteCommits(const MaintainContext& context, const Table& table, CompactionPlan plan,
                 std::string branch, const RewriteDataFilesOptions& options,
                 RewriteJournal* journal);

  /// Valid as long as this; numbers of groups that are planned anew follow those of the plan.
  const FileGroup& group(int64_t index) const { return state(index).group; }

  /// In which groups are to be run: as planned, or as it was when groups were planned anew.
  const Table& table() const { return table_of_round_; }

  /// With partial progress this may commit a batch. Errors: kCommitUnknown, after which nothing
  /// more is committed. Conflicts are told by `Finish`.
  Status Add(GroupResult result);

  /// A group could not be written; its inputs stay.
  void AddFailure(const FileGroup& group, const Error& error) {
    batches_.AddFailure(group.index, error);
  }

  /// When no group is at work: commit what is left. To be called again when the groups that are
  /// returned were run; none: that was all. Errors: those of the only commit.
  Result<std::vector<int64_t>> CommitRest() { return batches_.CommitRest(); }

  /// After CommitRest. Errors: with partial progress the first failure, if more commits failed than
  /// are allowed, or if none succeeded.
  Result<RewriteDataFilesResult> Finish();

  /// The run ends early: delete the outputs of groups that are not committed, or leave them to a
  /// later run if there is a journal.
  void Abandon();

 private:
  struct GroupState {
    FileGroup group;
    GroupResult result;
    int64_t read_sequence_number = 0;  ///< Of the snapshot in which its inputs were read.
  };

  GroupState& state(int64_t index) { return groups_[static_cast<size_t>(index)]; }
  const GroupState& state(int64_t index) const { return groups_[static_cast<size_t>(index)]; }
  bool keeps_number() const;

  Status Claim(std::vector<int64_t>& groups) override;
  Status Commit(const std::vector<int64_t>& groups) override;
  Result<std::vector<int64_t>> FindConflicts(const std::vector<int64_t>& groups) override;
  Result<std::vector<int64_t>> Replan(const std::vector<int64_t>& groups,
                                      const std::vector<int64_t>& kept) override;
  void Release(int64_t group) override;
  void Discard(int64_t group) override;
  void CountFailed(int64_t group) override;
  std::string NameOf(int64_t group) const override;

  RewriteFilesRequest MakeRequest(const std::vector<int64_t>& groups) const;
  void Count(const std::vector<int64_t>& groups, const CommitResult& committed);
  Result<LiveInputs> ReadLive(std::vector<int64_t> groups) const;
  Status CheckFits(const TableMetadata& metadata, int64_t group) const;
  std::optional<int64_t> AddAgain(const GroupState& old, const LiveInputs& live);
  void Refresh(GroupState& kept, const LiveInputs& live) const;
  void RefreshObsoleteDeletes(const std::vector<int64_t>& uncommitted, LiveInputs live);

  const MaintainContext& context_;
  const Table& table_;
  Table table_of_round_;
  const SnapshotId starting_snapshot_id_;
  const int64_t starting_sequence_number_;
  const std::string branch_;
  const RewriteDataFilesOptions& options_;
  RewriteJournal* const journal_;

  std::deque<GroupState> groups_;
  std::vector<DeleteFilePtr> obsolete_deletes_;
  /// Groups not committed yet that a delete file applies to, by its key.
  std::unordered_map<std::string, size_t> delete_uses_;
  size_t groups_left_ = 0;  ///< Not committed.
  RewriteDataFilesResult result_;
  BatchedCommits batches_;
};

}  // namespace firn
