#pragma once

#include "firn/catalog/catalog.h"

namespace firn {

/// Number the columns of a new table from 1, level by level as Java and PyIceberg do (the fields of
/// a struct first, then what is in them), its partition fields from 1000, its schema and spec 0 and
/// its sort order 1 (0 if unsorted). Ids in `request` only say which column a partition field, a
/// sort field or an identifier means. Errors: kInvalidInput for an id that no column has.
Result<CreateTableRequest> AssignFreshIds(CreateTableRequest request);

/// The same for a table that takes the place of `base`: a column whose name the current schema has
/// keeps that column's id, if a reader of old files can read them as its type; others get ids that
/// were never given before. Partition fields are left without id.
Result<CreateTableRequest> AssignReplacementIds(CreateTableRequest request,
                                                const TableMetadata& base);

}  // namespace firn
