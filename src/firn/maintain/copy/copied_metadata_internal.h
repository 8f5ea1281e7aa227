#pragma once

#include "firn/format/metadata/table_metadata.h"
#include "firn/maintain/copy/path_prefix_internal.h"

namespace firn {

/// `metadata` with the paths that its copy has: location, manifest lists, logs, statistics, and
/// properties that are folders of the table. Errors: kInvalidInput: a path outside the prefix.
Result<TableMetadata> RenameMetadata(const TableMetadata& metadata, const PathPrefix& prefix);

}  // namespace firn
