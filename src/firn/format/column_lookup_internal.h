#pragma once

#include <string_view>

#include "firn/format/schema.h"

namespace firn {

/// The column by its full name. Errors: kInvalidInput, with the name that was probably meant and
/// the columns there are.
Result<const NestedField*> FindColumn(const Schema& schema, std::string_view full_name);

}  // namespace firn
