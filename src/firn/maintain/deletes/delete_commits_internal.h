#pragma once

#include <deque>
#include <string>
#include <vector>

#include "firn/maintain/batched_commits_internal.h"
#include "firn/maintain/deletes/delete_rewrite_internal.h"
#include "firn/maintain/live_branch_internal.h"

namespace firn {

/// Takes finished groups of delete files and commits them: all at once, or in batches as they come
/// (partial progress). Groups that met another writer are planned anew for the table as it is then.
/// Thread-safe. The counterpart for data files is RewriteCommits.
class DeleteCommits final : private GroupCommitter {
 public:
  /// `planner` plans what is to be done again; all outlive this.
  DeleteCommits(const MaintainContext& context, const Table& table, DeleteRewritePlan plan,
                std::string branch, const DeleteRewriteOptions& options,
                const DeletePlanner& planner);

  /// Valid as long as this; numbers of groups that are planned anew follow those of the plan.
  const DeleteGroup& group(int64_t index) const { return state(index).group; }

  /// In which groups are to be run: as planned, or as it was when groups were planned anew.
  const Table& table() const { return table_of_round_; }

  /// With partial progress this may commit a batch. Errors: kCommitUnknown, after which nothing
  /// more is committed. Conflicts are kept for `Finish`.
  Status Add(DeleteGroupResult result);

  /// A group could not be written; its delete files stay.
  void AddFailure(const DeleteGroup& group, const Error& error) {
    batches_.AddFailure(group.index, error);
  }

  /// When no group is at work: commit what is left. To be called again when the groups that are
  /// returned were run; none: that was all. Errors: those of the only commit.
  Result<std::vector<int64_t>> CommitRest() { return batches_.CommitRest(); }

  /// After CommitRest. Errors: with partial progress the first failure, if nothing was committed.
  Result<DeleteRewriteResult> Finish();

  /// The run ends early: delete the outputs of groups that are not committed.
  void Abandon();

 private:
  struct GroupState {
    DeleteGroup group;
    DeleteGroupResult result;
    /// What has come until this snapshot is not in the way of the group.
    SnapshotId snapshot_id = 0;
    int64_t sequence_number = 0;
    int format_version = 0;  ///< For which the group was written.
  };

  GroupState& state(int64_t index) { return groups_[static_cast<size_t>(index)]; }
  const GroupState& state(int64_t index) const { return groups_[static_cast<size_t>(index)]; }

  Status Claim(std::vector<int64_t>& /*groups*/) override { return {}; }
  Status Commit(const std::vector<int64_t>& groups) override;
  Result<std::vector<int64_t>> FindConflicts(const std::vector<int64_t>& groups) override;
  Result<std::vector<int64_t>> Replan(const std::vector<int64_t>& groups,
                                      const std::vector<int64_t>& kept) override;
  void Release(int64_t /*group*/) override {}
  void Discard(int64_t group) override;
  void CountFailed(int64_t /*group*/) override {}
  std::string NameOf(int64_t group) const override;

  Result<std::vector<int64_t>> FindStale(const LiveBranch& live,
                                         const std::vector<int64_t>& groups);
  Status CheckDisjoint(const DeleteRewritePlan& plan, const std::vector<int64_t>& kept) const;
  void Count(const std::vector<int64_t>& groups);

  const MaintainContext& context_;
  const Table& table_;
  Table table_of_round_;
  const SnapshotId starting_snapshot_id_;
  const std::string branch_;
  const DeletePlanner& planner_;

  std::deque<GroupState> groups_;
  DeleteRewriteResult result_;
  BatchedCommits batches_;
};

}  // namespace firn
