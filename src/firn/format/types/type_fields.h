#pragma once

#include <functional>
#include <vector>

#include "firn/format/types/type.h"

namespace firn {

/// The same kind of nested type with other fields in the place of its own.
TypePtr ReplaceFields(const Type& type, std::vector<NestedField> fields);

/// Give `fields` and all that they contain new ids, level by level as Java and PyIceberg do: all
/// fields of a struct first, then what is in them; of a list the element, of a map the key and the
/// value. `next_id` is told each field with its old id, in that order.
std::vector<NestedField> AssignFreshIds(
    std::vector<NestedField> fields,
    const std::function<int32_t(const NestedField& field)>& next_id);

}  // namespace firn
