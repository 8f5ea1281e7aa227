#include "firn/maintain/rewrite_data_files.h"

#include <mutex>
#include <utility>

#include "firn/maintain/rewrite_commits_internal.h"

namespace firn {
namespace {

/// Runs the groups of a plan, several at a time, and hands on what they wrote.
class GroupRunner {
 public:
  GroupRunner(const MaintainContext& context, const Table& table, const CompactionPlan& plan,
              const RewriteDataFilesOptions& options, RewriteCommits& commits)
      : context_(context), table_(table), plan_(plan), options_(options), commits_(commits) {
    progress_.phase = "rewriting";
    for (const FileGroup& group : plan.groups) {
      progress_.files_total += static_cast<int64_t>(group.inputs.size());
      progress_.bytes_total += group.input_bytes;
    }
  }

  Status Run() {
    Report();
    return ParallelFor(
        *context_.commit.executor, plan_.groups.size(),
        [&](size_t i) { return RunGroup(plan_.groups[i]); }, context_.commit.cancel,
        static_cast<size_t>(options_.max_concurrent_file_group_rewrites));
  }

 private:
  Status RunGroup(const FileGroup& group) {
    Result<GroupResult> result = RunFileGroup(context_, table_, group, options_.order);
    if (result.ok()) {
      FIRN_RETURN_IF_ERROR(commits_.Add(std::move(*result)));
    } else if (options_.has_partial_progress && result.error().code() != ErrorCode::kCancelled &&
               result.error().code() != ErrorCode::kInternal) {
      commits_.AddFailure(group, result.error());
    } else {
      return result.error();
    }
    const std::lock_guard lock(mutex_);
    progress_.files_done += static_cast<int64_t>(group.inputs.size());
    progress_.bytes_done += group.input_bytes;
    Report();
    return {};
  }

  void Report() const {
    if (context_.progress) context_.progress(progress_);
  }

  const MaintainContext& context_;
  const Table& table_;
  const CompactionPlan& plan_;
  const RewriteDataFilesOptions& options_;
  RewriteCommits& commits_;
  std::mutex mutex_;
  Progress progress_;
};

}  // namespace

Result<RewriteDataFilesResult> RewriteDataFiles(const MaintainContext& context, const Table& table,
                                                const std::string& branch,
                                                const ExpressionPtr& where,
                                                const RewriteDataFilesOptions& options) {
  FIRN_ASSIGN(const CompactionPlan plan, PlanCompaction(context, table, branch, where, options));
  if (plan.groups.empty()) return RewriteDataFilesResult();
  RewriteCommits commits(context, table, plan, branch, options);
  if (const Status status = GroupRunner(context, table, plan, options, commits).Run();
      !status.ok()) {
    commits.Discard();
    return status.error();
  }
  return commits.Finish();
}

}  // namespace firn
