#pragma once

#include "firn/catalog/catalog.h"

namespace firn {

/// Number the columns of a new table from 1, level by level as Java and PyIceberg do (the fields of
/// a struct first, then what is in them), its partition fields from 1000, its schema and spec 0 and
/// its sort order 1 (0 if unsorted). Ids in `request` only say which column a partition field, a
/// sort field or an identifier means. Errors: kInvalidInput for an id that no column has.
Result<CreateTableRequest> AssignFreshIds(CreateTableRequest request);

}  // namespace firn
