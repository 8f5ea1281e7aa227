#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "firn/data/row_positions.h"
#include "firn/maintain/compaction/option_reader_internal.h"
#include "firn/maintain/deletes/delete_rewrite.h"

namespace firn {

/// What running a group gave.
struct DeleteGroupResult {
  int64_t index = 0;
  std::vector<DeleteFile> added;       ///< With the data sequence numbers that they get.
  std::vector<DeleteFilePtr> removed;  ///< Besides the inputs of the group.
};

/// Takes finished groups and commits them: all at once, or in batches as they come (partial
/// progress). Thread-safe; one commit at a time. The counterpart for data files is RewriteCommits.
class DeleteCommits {
 public:
  /// All outlive this.
  DeleteCommits(const MaintainContext& context, const Table& table, const DeleteRewritePlan& plan,
                std::string branch, const DeleteRewriteOptions& options);

  /// With partial progress this may commit a batch. Errors: kCommitUnknown, after which nothing
  /// more is committed. Conflicts are kept for `Finish`.
  Status Add(DeleteGroupResult result);

  /// A group could not be written; its delete files stay.
  void AddFailure(const DeleteGroup& group, const Error& error);

  /// Commit what is left. Errors: those of the only commit; with partial progress the first
  /// failure, if nothing was committed.
  Result<DeleteRewriteResult> Finish();

  /// The run ends early: delete the outputs of groups that are not committed.
  void Abandon();

 private:
  Status CommitBatch(std::vector<DeleteGroupResult> batch);
  Status OnFailure(std::vector<DeleteGroupResult> batch, const Error& error);
  void Count(const std::vector<DeleteGroupResult>& batch);
  void Discard(const DeleteGroupResult& result) const;

  const MaintainContext& context_;
  const Table& table_;
  const DeleteRewritePlan& plan_;
  const std::string branch_;
  const DeleteRewriteOptions& options_;
  size_t groups_per_commit_ = 0;

  std::mutex mutex_;
  std::vector<DeleteGroupResult> waiting_;
  bool is_unknown_ = false;
  std::optional<Error> first_failure_;
  DeleteRewriteResult result_;
};

using DeleteGroupRunner = std::function<Result<DeleteGroupResult>(const DeleteGroup&)>;

/// Run the groups of a plan, several at a time, and commit what they give. A group that memory was
/// not enough for while others ran is tried again alone. On an error no file is left, but those of
/// a commit whose outcome is unknown and of a group that failed as kInternal, as evidence.
Result<DeleteRewriteResult> RunDeleteRewrite(const MaintainContext& context, const Table& table,
                                             const DeleteRewritePlan& plan,
                                             const std::string& branch,
                                             const DeleteRewriteOptions& options,
                                             const DeleteGroupRunner& run_group);

/// The head of a branch; null: `main` has none. Errors: kNotFound.
Result<const Snapshot*> HeadOfBranch(const TableMetadata& metadata, const std::string& branch);

/// Read the options that both kinds of rewrites have.
Status ReadDeleteRewriteOptions(OptionReader& reader, DeleteRewriteOptions& options);

/// Live delete files of `content` in the snapshot, in the order of manifests and entries; deletion
/// vectors are none of them. `where`, bound, is asked of partitions only; null: all.
Result<std::vector<DeleteFilePtr>> ListDeleteFiles(const MaintainContext& context,
                                                   const Table& table, const Snapshot& snapshot,
                                                   FileContent content, const ExpressionPtr& where);

/// In the order that `rewrite-job-order` names; numbers the groups.
void OrderGroups(std::vector<DeleteGroup>& groups, const std::string& job_order);

/// Ends of runs of tasks whose deleted positions, however many, fit together into a share of the
/// memory of which `concurrent` are in use at a time.
std::vector<size_t> SplitByMemory(const MaintainContext& context,
                                  const std::vector<FileScanTask>& tasks, size_t concurrent);

/// Deletion vectors in version 3, position delete files of one data file each in version 2.
/// `numbers` are the sequence numbers that they get, in the order of `deletes`.
Result<std::vector<DeleteFile>> WriteDeletes(const MaintainContext& context, const Table& table,
                                             const std::vector<FileDeletes>& deletes,
                                             const std::vector<int64_t>& numbers);

/// Compare what was written with what was to be, as far as `context.verification` asks for: counts,
/// or by reading it. Errors: kInternal.
Status VerifyDeletes(const MaintainContext& context, const Table& table,
                     const std::vector<FileDeletes>& expected,
                     const std::vector<DeleteFile>& written);

/// The files themselves.
std::vector<DataFile> FilesOf(const std::vector<DeleteFile>& deletes);

}  // namespace firn
