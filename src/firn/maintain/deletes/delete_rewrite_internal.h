#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "firn/data/read/row_positions.h"
#include "firn/maintain/compaction/option_reader_internal.h"
#include "firn/maintain/deletes/delete_rewrite.h"

namespace firn {

struct ConvertEqualityDeletesOptions;
struct RewritePositionDeletesOptions;

/// What running a group gave.
struct DeleteGroupResult {
  int64_t index = 0;
  std::vector<DeleteFile> added;       ///< With the data sequence numbers that they get.
  std::vector<DeleteFilePtr> removed;  ///< Besides the inputs of the group.
};

/// Keys of delete files, see FileKey.
using DeleteFileKeys = std::unordered_set<std::string>;

/// Plan groups for a table. With `only`, of these delete files, or of the partitions that they are
/// in where a data file can have one vector only; null: of all that the caller asked for.
using DeletePlanner =
    std::function<Result<DeleteRewritePlan>(const Table& table, const DeleteFileKeys* only)>;

using DeleteGroupRunner =
    std::function<Result<DeleteGroupResult>(const Table& table, const DeleteGroup& group)>;

/// Plan, run the groups, several at a time, and commit what they give: all at once, or in batches
/// (partial progress). Groups that another writer was in the way of are planned and run again. A
/// group that memory was not enough for while others ran is tried again alone. On an error no file
/// is left, but those of a commit whose outcome is unknown and of a group that failed as kInternal,
/// as evidence.
Result<DeleteRewriteResult> RunDeleteRewrite(const MaintainContext& context, const Table& table,
                                             const std::string& branch,
                                             const DeleteRewriteOptions& options,
                                             const DeletePlanner& planner,
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

/// The planners of both kinds, see DeletePlanner.
Result<DeleteRewritePlan> PlanPositionDeletes(const MaintainContext& context, const Table& table,
                                              const std::string& branch, const ExpressionPtr& where,
                                              const RewritePositionDeletesOptions& options,
                                              const DeleteFileKeys* only);
Result<DeleteRewritePlan> PlanEqualityDeletes(const MaintainContext& context, const Table& table,
                                              const std::string& branch, const ExpressionPtr& where,
                                              const ConvertEqualityDeletesOptions& options,
                                              const DeleteFileKeys* only);

/// The files themselves.
std::vector<DataFile> FilesOf(const std::vector<DeleteFile>& deletes);

}  // namespace firn
