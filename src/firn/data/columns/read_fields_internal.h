#pragma once

#include <set>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/metadata/table_metadata.h"

/// Which fields a read needs: those of the result and, behind them, those that only filters and
/// equality deletes test.

namespace firn {

/// The field with `id`, inside the structs around it, as it was in the newest schema that has it
/// (with `type`, if given, and such a schema exists). The result is a top-level field that holds
/// nothing but the path to the field. Errors: kCorrupt if no schema has the id, or if it lies
/// inside a list or a map.
Result<NestedField> FindFieldPath(const TableMetadata& metadata, int32_t id,
                                  const Type* type = nullptr);

/// The field at the end of such a path.
int32_t LeafId(const NestedField& path);

/// Let the field, and those in the structs below it, be missing.
void MakeOptional(NestedField& field);

/// Add `path` (as FindFieldPath makes it) to `fields`, behind what is there already at each level.
void AddFieldPath(std::vector<NestedField>& fields, const NestedField& path);

/// Places of the field with `id` from the root through structs; empty if it is missing.
std::vector<int> FindFieldPlaces(const std::vector<NestedField>& fields, int32_t id);

}  // namespace firn
