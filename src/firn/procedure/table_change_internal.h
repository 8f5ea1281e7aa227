#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/catalog/change_table.h"
#include "firn/commit/commit.h"
#include "firn/procedure/procedure.h"

/// What commands share that change a table as a whole: its schema, its layout, its refs.

namespace firn {

/// A table as a whole, of a catalog. Errors: as ResolveTable; kInvalidInput for a branch, a tag or
/// a metadata file.
Result<TableReference> ResolveWholeTable(Session& session, std::string_view text);

/// The same of one that can be changed. Errors: besides, what its catalog would refuse every commit
/// with, such as that the table was copied from another place.
Result<TableReference> ResolveChangeableTable(Session& session, std::string_view text);

/// Whether a snapshot could be committed to the table, loaded, of a catalog: to be asked before any
/// work. Errors: what every commit would give.
Status CheckCanCommitSnapshot(const TableReference& reference);

/// What a commit to the table needs of the session. `reference` has a catalog and outlives it.
CommitContext MakeCommitContext(Session& session, const TableReference& reference);

/// The argument `table` of such a command.
Argument ChangedTableArgument();

/// Resolve the argument `table` and commit what `plan` says; see `ChangeTable`. Tells if nothing
/// is to be changed. In a dry run the result is what the table would be.
Result<Table> ChangeTableOf(ProcedureContext& context, const Arguments& arguments,
                            const PlanUpdates& plan);

/// The full name that a text such as "a.`b c`" means. Errors: kInvalidInput with the position.
Result<std::string> ParseColumnName(const std::string& text);

}  // namespace firn
