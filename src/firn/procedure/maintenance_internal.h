#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/maintain/deletes/delete_rewrite.h"
#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/maintain_context.h"
#include "firn/procedure/procedure.h"

/// What commands of table maintenance share.

namespace firn {

/// What maintenance of a table needs of the session. `reference` has a catalog; both outlive it.
MaintainContext MakeMaintainContext(ProcedureContext& context, const TableReference& reference);

/// The argument `max_concurrent_deletes`, and its value, 0 if it is not given. Errors:
/// kInvalidInput below 1.
Argument ConcurrentDeletesArgument();
Result<int64_t> ConcurrentDeletes(const Arguments& arguments);

/// What a rewrite of files works on, and how.
struct RewriteCall {
  TableReference reference;
  std::string branch;
  ExpressionPtr where;  ///< Unbound; null: all.
  MaintainContext maintain;

  const Table& table() const { return reference.table; }
};

/// Read the arguments that rewrites share: the table and its branch (an argument, a suffix of the
/// name, or main), `where` and `verify`. Errors: kInvalidInput: two branches, a tag, what cannot be
/// parsed; those of loading.
Result<RewriteCall> BeginRewrite(ProcedureContext& context, const Arguments& arguments);

/// The argument `branch` of a rewrite.
Argument RewrittenBranchArgument();

/// Rows of a dry run, one for each file: action, kind, path, bytes. `visit_files` hands all files
/// on and may run on another thread, after this returned.
using VisitFiles = std::function<Status(const std::function<Status(FileToDelete)>&)>;
Result<ProcedureOutput> MakeFileRows(std::string_view action, VisitFiles visit_files);

/// Tell why an operation does nothing; in a dry run, would do nothing. An empty reason: it does
/// something.
void TellNothingToDo(const ProcedureContext& context, const std::string& reason);

/// The same of files that are known already, each with its action. Tells the totals, or the reason
/// why there are none, if one is known.
struct FileAction {
  std::string action;
  FileToDelete file;
};
Result<ProcedureOutput> MakeFileActionRows(const ProcedureContext& context,
                                           std::vector<FileAction> actions,
                                           const std::string& reason = {});

/// The same of files that leave a table, and of metadata files that the `commit_count` commits
/// which take them out delete besides.
Result<ProcedureOutput> MakeTakenOutRows(const ProcedureContext& context,
                                         const MaintainContext& maintain, const Table& table,
                                         std::vector<FileToDelete> files, int64_t commit_count,
                                         const std::string& reason);

/// A live file as such a row shows it: a deletion vector has only its own bytes.
FileToDelete DescribeFile(const DataFile& file);

/// What the commits of a plan take out.
std::vector<FileToDelete> DescribeInputs(const DeleteRewritePlan& plan);

/// How many commits `group_count` groups make.
int64_t CountCommits(size_t group_count, bool has_partial_progress, int64_t commits_max);

}  // namespace firn
