#pragma once

#include <vector>

#include "firn/format/evolution/schema_change.h"
#include "firn/ingest/input/row_source_internal.h"

namespace firn {

/// What the table must learn to hold the columns of a source: new columns, and new fields of
/// structs at any depth, all optional; and wider types. Where the source has texts only, columns
/// are widened that do not hold its values, and no field of a struct is added.
/// Columns are matched as FitColumns does it; what cannot be mended is left for it to report.
std::vector<SchemaChange> FindSchemaChanges(const std::vector<SourceColumn>& columns,
                                            const TableMetadata& metadata, bool has_own_types);

}  // namespace firn
