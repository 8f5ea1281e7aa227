#pragma once

#include <functional>
#include <string_view>

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

/// Rows of a dry run, one for each file: action, kind, path, bytes. `visit_files` hands all files
/// on and may run on another thread, after this returned.
using VisitFiles = std::function<Status(const std::function<Status(FileToDelete)>&)>;
Result<ProcedureOutput> MakeFileRows(std::string_view action, VisitFiles visit_files);

}  // namespace firn
