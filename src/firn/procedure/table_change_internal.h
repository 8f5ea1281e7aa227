#pragma once

#include <span>
#include <string_view>

#include "firn/commit/commit.h"
#include "firn/procedure/procedure.h"

namespace firn {

/// A table that can be changed as a whole. Errors: as ResolveTable; kInvalidInput for a branch, a
/// tag or a metadata file.
Result<TableReference> ResolveChangeableTable(Session& session, std::string_view text);

/// What a commit to the table needs of the session. `reference` has a catalog and outlives it.
CommitContext MakeCommitContext(Session& session, const TableReference& reference);

/// Commit `updates` to the table as it was loaded, whatever else was committed meanwhile, provided
/// that it is still the same table.
Result<Table> CommitUpdates(const TableReference& reference, std::span<const TableUpdate> updates);

}  // namespace firn
