#pragma once

#include <string>
#include <vector>

#include "firn/format/metadata/table_metadata.h"

/// Table properties that name columns: `write.metadata.metrics.column.NAME` and the like, and the
/// name mapping.

namespace firn {

/// Errors: kInvalidInput: a metrics property names a column that `schema` does not have.
Status CheckColumnProperties(const Properties& properties, const Schema& schema);

/// Properties to set and to remove.
struct PropertyChange {
  Properties updates;
  std::vector<std::string> removals;
};

/// What must become of `properties` when `before` becomes `after`: those that name a column follow
/// its name or go with it, and the name mapping learns new columns and new names.
/// Errors: kInvalidInput: the name mapping cannot be read.
Result<PropertyChange> FollowSchemaChange(const Properties& properties, const Schema& before,
                                          const Schema& after);

}  // namespace firn
