#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/memory_budget.h"
#include "firn/commit/commit.h"
#include "firn/maintain/compaction/rewrite_order.h"
#include "firn/maintain/compaction/size_histogram.h"
#include "firn/maintain/maintain_context.h"
#include "firn/scan/scan.h"

/// Compaction: plan (manifests only), run (bytes), commit (one snapshot). Each step's input and
/// output is plain data.

namespace firn {

/// Option names are Spark's, with `_` for `-`.
struct RewriteDataFilesOptions {
  int64_t target_file_size_bytes = 536870912;
  int64_t min_file_size_bytes = 402653184;  ///< Smaller files are candidates.
  int64_t max_file_size_bytes = 966367641;  ///< Larger files are candidates.
  int64_t min_input_files = 5;
  bool rewrite_all = false;
  int64_t max_file_group_size_bytes = 107374182400;
  int64_t max_file_group_input_files = INT64_MAX;
  int64_t delete_file_threshold = 2147483647;
  double delete_ratio_threshold = 0.3;
  int64_t max_files_to_rewrite = 0;  ///< 0: no cap.
  std::string rewrite_job_order = "none";
  int64_t max_concurrent_file_group_rewrites = 5;
  bool use_starting_sequence_number = true;
  std::optional<int32_t> output_spec_id;  ///< Empty: the table's default spec.
  bool has_partial_progress = false;      ///< Commit batches of groups as they are finished.
  int64_t max_commits = 10;               ///< Batches are made as large as this asks for.
  int64_t max_failed_commits = 10;        ///< More make the whole run an error.
  RewriteOrder order;
  /// Write finished groups down, so that a run that ends early can be taken up by the next one, and
  /// take up such runs. Empty: for jobs over 1 GiB.
  std::optional<bool> has_journal;
};

/// Defaults from the table's properties, then `options` by Spark's names. Errors: kInvalidInput for
/// unknown names (listing the known ones), unparsable or inconsistent values.
Result<RewriteDataFilesOptions> ParseRewriteDataFilesOptions(
    const TableMetadata& metadata, const std::map<std::string, std::string>& options,
    RewriteOrder order = {});

struct FileGroup {
  int64_t index = 0;
  int32_t output_spec_id = 0;
  /// Of the output spec: all rows go there. Empty: the inputs have other specs, rows fan out.
  std::optional<StructValue> partition;
  std::string partition_path;  ///< For people.
  std::vector<FileScanTask> inputs;
  int64_t input_bytes = 0;
  int64_t expected_outputs = 1;
  int64_t split_bytes = 0;  ///< Roll outputs at this size.
};

/// What a planner has looked at.
struct CompactionSurvey {
  int64_t files = 0;              ///< Data files, of those that may hold rows of the filter.
  int64_t candidates = 0;         ///< Of these, by their size or their deletes.
  int64_t most_in_partition = 0;  ///< Candidates that may go together.
};

/// Why a plan has no groups, and which options would change that; for people.
std::string DescribeNothingToDo(const CompactionSurvey& survey,
                                const RewriteDataFilesOptions& options);

/// What makes files worth rewriting; for people.
std::string DescribeLimits(const RewriteDataFilesOptions& options);

struct CompactionPlan {
  SnapshotId starting_snapshot_id = 0;
  int64_t starting_sequence_number = 0;
  std::vector<FileGroup> groups;
  /// Delete files that apply to no data file of the snapshot but inputs of the groups; with a
  /// filter, only those that apply to some input. The commit of all groups removes them.
  std::vector<DeleteFilePtr> obsolete_deletes;
  CompactionSurvey survey;  ///< Not part of the plan as JSON.
};

struct RewriteDataFilesResult {
  int32_t rewritten_data_files_count = 0;
  int32_t added_data_files_count = 0;
  int64_t rewritten_bytes_count = 0;
  int32_t failed_data_files_count = 0;
  int32_t removed_delete_files_count = 0;
  SizeHistogram rewritten;  ///< Data files that were replaced.
  SizeHistogram added;
  std::optional<SnapshotId> snapshot_id;  ///< Of the last commit; empty: there was nothing to do.
  int32_t commit_count = 0;
  std::string reason;  ///< See DescribeNothingToDo; empty: there was something to do.
};

/// Reads manifests only; the same plan for the same snapshot.
Result<CompactionPlan> PlanCompaction(const MaintainContext& context, const Table& table,
                                      const std::string& branch, const ExpressionPtr& where,
                                      const RewriteDataFilesOptions& options);

/// What running a group gave.
struct GroupResult {
  int64_t index = 0;
  std::vector<DataFile> outputs;
  bool may_be_committed = false;  ///< By a run that died: its outputs are never deleted.
};

/// Read the inputs of one group with deletes applied and write its outputs, finished and durable.
/// Errors: those of reading and writing; kCorrupt if the counts of rows do not agree, kInternal if
/// the rows do not. On an error no output is left, but in the last case all are, as evidence.
Result<GroupResult> RunFileGroup(const MaintainContext& context, const Table& table,
                                 const FileGroup& group, const RewriteOrder& order = {});

/// Commit what the groups of a plan gave, wherever they ran: all of them, each once, or, with
/// partial progress, some. `table` is the one that was planned.
/// Groups that another writer was in the way of are run again here, as in RewriteDataFiles.
/// Errors: kInvalidInput: a result of no group, two of one, or, without partial progress, none of
/// one. Those of a commit; outputs that are not committed are deleted unless it may have happened.
Result<RewriteDataFilesResult> CommitGroupResults(const MaintainContext& context,
                                                  const Table& table, const std::string& branch,
                                                  const RewriteDataFilesOptions& options,
                                                  const CompactionPlan& plan,
                                                  std::vector<GroupResult> results);

/// Plan, run and commit. Groups that another writer was in the way of, as it took out an input or
/// deleted rows of one, are planned and run again on top of that, and no others; as often as
/// `commit.retry.num-retries` of the table says. The counts are of what was committed in the end:
/// nothing, where others have rewritten all.
/// Errors: those of planning, running and committing; kCommitConflict names the groups.
Result<RewriteDataFilesResult> RewriteDataFiles(const MaintainContext& context, const Table& table,
                                                const std::string& branch,
                                                const ExpressionPtr& where,
                                                const RewriteDataFilesOptions& options);

}  // namespace firn
