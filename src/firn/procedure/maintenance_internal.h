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

/// The table and the branch that a rewrite works on: an argument, a suffix of the name, or main.
/// Errors: kInvalidInput if they do not agree, or for a tag.
Result<TableReference> ResolveRewrittenBranch(ProcedureContext& context,
                                              const Arguments& arguments);

/// The arguments `branch` and `options` of a rewrite.
Argument RewrittenBranchArgument();
Argument RewriteOptionsArgument();

/// "counts", "content" or "off". Errors: kInvalidInput.
Result<Verification> ParseVerification(const std::string& text);

/// Rows of a dry run, one for each file: action, kind, path, bytes. `visit_files` hands all files
/// on and may run on another thread, after this returned.
using VisitFiles = std::function<Status(const std::function<Status(FileToDelete)>&)>;
Result<ProcedureOutput> MakeFileRows(std::string_view action, VisitFiles visit_files);

/// The same of delete files, and of those that the commits of a plan take out.
Result<ProcedureOutput> MakeDeleteFileRows(std::string_view action,
                                           std::vector<DeleteFilePtr> files);
Result<ProcedureOutput> MakeDeletePlanRows(std::string_view action, const DeleteRewritePlan& plan);

}  // namespace firn
