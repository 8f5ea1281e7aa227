#include "firn/maintain/rewrite_data_files.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace firn {
namespace {

/// Runs the groups of a plan in parallel and collects what they wrote.
class GroupRunner {
 public:
  GroupRunner(const MaintainContext& context, const Table& table, const CompactionPlan& plan)
      : context_(context), table_(table), plan_(plan) {
    progress_.phase = "rewriting";
    for (const FileGroup& group : plan.groups) {
      progress_.files_total += static_cast<int64_t>(group.inputs.size());
      progress_.bytes_total += group.input_bytes;
    }
  }

  /// On an error the outputs of all groups are deleted.
  Result<std::vector<DataFile>> Run(size_t parallel_max) {
    Report();
    const Status status = ParallelFor(
        *context_.commit.executor, plan_.groups.size(),
        [&](size_t i) -> Status {
          FIRN_ASSIGN(GroupResult result, RunFileGroup(context_, table_, plan_.groups[i]));
          Finish(plan_.groups[i], std::move(result));
          return {};
        },
        context_.commit.cancel, parallel_max);
    if (!status.ok()) {
      DiscardOutputs(*table_.io, outputs_);
      return status.error();
    }
    return std::move(outputs_);
  }

 private:
  void Finish(const FileGroup& group, GroupResult result) {
    const std::lock_guard lock(mutex_);
    std::move(result.outputs.begin(), result.outputs.end(), std::back_inserter(outputs_));
    progress_.files_done += static_cast<int64_t>(group.inputs.size());
    progress_.bytes_done += group.input_bytes;
    Report();
  }

  void Report() const {
    if (context_.progress) {
      context_.progress(progress_);
    }
  }

  const MaintainContext& context_;
  const Table& table_;
  const CompactionPlan& plan_;
  std::mutex mutex_;
  std::vector<DataFile> outputs_;
  Progress progress_;
};

RewriteFilesRequest MakeRequest(const CompactionPlan& plan, const std::string& branch,
                                const TableMetadata& metadata,
                                const RewriteDataFilesOptions& options,
                                std::vector<DataFile> outputs) {
  RewriteFilesRequest request;
  request.branch = branch;
  request.starting_snapshot_id = plan.starting_snapshot_id;
  request.removed_delete_files = plan.obsolete_deletes;
  request.added_data_files = std::move(outputs);
  if (options.use_starting_sequence_number && metadata.format_version >= 2) {
    request.data_sequence_number = plan.starting_sequence_number;
  }
  for (const FileGroup& group : plan.groups) {
    for (const FileScanTask& task : group.inputs) {
      request.removed_data_files.push_back(task.file);
    }
  }
  return request;
}

}  // namespace

Result<RewriteDataFilesResult> RewriteDataFiles(const MaintainContext& context, const Table& table,
                                                const std::string& branch,
                                                const ExpressionPtr& where,
                                                const RewriteDataFilesOptions& options) {
  RewriteDataFilesResult result;
  FIRN_ASSIGN(const CompactionPlan plan, PlanCompaction(context, table, branch, where, options));
  if (plan.groups.empty()) {
    return result;
  }
  GroupRunner runner(context, table, plan);
  FIRN_ASSIGN(std::vector<DataFile> outputs,
              runner.Run(static_cast<size_t>(options.max_concurrent_file_group_rewrites)));
  result.added_data_files_count = static_cast<int32_t>(outputs.size());
  const RewriteFilesRequest request =
      MakeRequest(plan, branch, *table.metadata, options, std::move(outputs));
  result.rewritten_data_files_count = static_cast<int32_t>(request.removed_data_files.size());
  for (const FileGroup& group : plan.groups) {
    result.rewritten_bytes_count += group.input_bytes;
  }
  FIRN_ASSIGN(const CommitResult committed, CommitRewriteFiles(context.commit, table, request));
  result.removed_delete_files_count = static_cast<int32_t>(committed.removed_delete_files);
  result.snapshot_id = committed.snapshot_id;
  return result;
}

}  // namespace firn
