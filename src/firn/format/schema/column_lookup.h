#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/format/schema/schema.h"

/// Columns by the names that people type.

namespace firn {

/// The column by its full name. Unless one is called just so, the case of letters is free, as Spark
/// has it: then exactly one must fit. Errors: kInvalidInput, with the name that was probably meant
/// and the columns there are.
Result<const NestedField*> FindColumn(const Schema& schema, std::string_view full_name);

/// The same, but case counts: for names that other engines read too, as in properties.
Result<const NestedField*> FindColumnExactly(const Schema& schema, std::string_view full_name);

/// kInvalidInput: no column is called so, nor is one of `metadata_columns`, if these may be named.
Error MakeUnknownColumnError(const Schema& schema, std::string_view full_name,
                             const std::vector<std::string>& metadata_columns = {});

}  // namespace firn
