#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"

namespace firn {

/// The column that `places` (from FindFieldPlaces) lead to, null where a struct around it is null.
Result<std::shared_ptr<arrow::Array>> LeafColumn(
    const std::vector<std::shared_ptr<arrow::Array>>& columns, const std::vector<int>& places,
    arrow::MemoryPool* pool);

/// One for each of `places`.
Result<std::vector<std::shared_ptr<arrow::Array>>> LeafColumns(
    const std::vector<std::shared_ptr<arrow::Array>>& columns,
    const std::vector<std::vector<int>>& places, arrow::MemoryPool* pool);

}  // namespace firn
