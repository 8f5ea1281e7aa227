#pragma once

#include "firn/format/metadata/column_properties.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// Warn of names that lead to other columns of `after` by what becomes of the name mapping, if the
/// table may have files that know their columns by name only.
void WarnOfMovedNames(const TableMetadata& metadata, const PropertyChange& change,
                      const Schema& after);

}  // namespace firn
