#pragma once

#include "firn/procedure/procedure.h"

namespace firn {

/// The columns of `table describe`.
TypePtr TableDescriptionType();

/// The one row of `table describe`; `reference` is loaded.
StructValue DescribeTable(const TableReference& reference);

}  // namespace firn
