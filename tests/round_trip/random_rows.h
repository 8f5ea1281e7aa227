#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/base/random.h"
#include "firn/format/schema/schema.h"
#include "firn/format/types/type.h"

/// Schemas and rows by chance: every type, extreme values, nulls at every level.

namespace firn::round_trip {

/// A type of `format_version`; nested ones become rare with `depth`. Ids in it are 0.
TypePtr DrawType(Random& random, int format_version, int depth = 0);

/// Fields of a new table; their ids are 1 and up, those of nested fields after all of them.
std::vector<NestedField> DrawFields(Random& random, int format_version);

/// Never null.
Value DrawValue(Random& random, const Type& type);
/// Null at times, unless the field is required.
Value DrawFieldValue(Random& random, const NestedField& field);
StructValue DrawRow(Random& random, const Type& row_type);

}  // namespace firn::round_trip
