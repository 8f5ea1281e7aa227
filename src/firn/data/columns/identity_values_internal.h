#pragma once

#include <map>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/scan/scan.h"

namespace firn {

/// Values of identity partitions of the file of `task`, by source field id, of those columns that
/// `fields` have at any depth of structs: what rows have where the file lacks the column. Values
/// have the type of the field. Errors: kCorrupt, naming the partition field.
Result<std::map<int32_t, Value>> IdentityValues(const TableMetadata& metadata,
                                                const FileScanTask& task,
                                                const std::vector<NestedField>& fields);

}  // namespace firn
