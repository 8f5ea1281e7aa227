#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/change/change.h"
#include "firn/procedure/procedure.h"

/// What commands share that change rows: `delete`, `overwrite`, `update`.

namespace firn {

/// The table of the argument `table`, and the branch of `branch` or of its name, whose rows can be
/// changed; in a dry run nothing can. Errors: as ResolveTable; kInvalidInput for a tag or a
/// metadata file, or two branches.
Result<TableReference> ResolveRowsToChange(const ProcedureContext& context,
                                           const Arguments& arguments);

/// With `branch`, `stage_only` and `wap_id` behind `arguments`.
std::vector<Argument> WithSnapshotOptions(std::vector<Argument> arguments);

/// The branch to change: that of the argument `branch`, else of `reference`, else main. Errors:
/// kInvalidInput: both, and different ones.
Result<std::string> ChooseBranch(const Arguments& arguments, const TableReference& reference);

/// What WithSnapshotOptions and `idempotency_key` say. Errors: kInvalidInput.
Result<SnapshotOptions> ParseSnapshotOptions(const Arguments& arguments,
                                             const TableReference& reference);

/// What a change of its rows needs of the session. `reference` outlives it.
ChangeContext MakeChangeContext(Session& session, const TableReference& reference);

/// The argument `write_mode`; empty: that of the table.
Result<std::optional<WriteMode>> ParseWriteMode(const Arguments& arguments);
Argument WriteModeArgument(const std::string& command);

/// {deleted_rows, added_rows, snapshot_id}.
Result<ProcedureOutput> MakeRowChangeOutput(int64_t deleted_rows, int64_t added_rows,
                                            std::optional<SnapshotId> snapshot_id);

}  // namespace firn
