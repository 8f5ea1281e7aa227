#pragma once

#include <optional>
#include <string>

#include "firn/change/change.h"
#include "firn/procedure/procedure.h"

/// What commands share that change rows: `delete`, `overwrite`, `update`.

namespace firn {

/// A table, or a branch of one, whose rows can be changed. Errors: as ResolveTable; kInvalidInput
/// for a tag or a metadata file.
Result<TableReference> ResolveRowsToChange(Session& session, const std::string& text);

/// What a change of its rows needs of the session. `reference` outlives it.
ChangeContext MakeChangeContext(Session& session, const TableReference& reference);

/// The argument `write_mode`; empty: that of the table.
Result<std::optional<WriteMode>> ParseWriteMode(const Arguments& arguments);
Argument WriteModeArgument(const std::string& command);

/// {deleted_rows, added_rows, snapshot_id}.
Result<ProcedureOutput> MakeRowChangeOutput(int64_t deleted_rows, int64_t added_rows,
                                            std::optional<SnapshotId> snapshot_id);

}  // namespace firn
