#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"

namespace firn {

/// A row of one of several batches.
struct RowPlace {
  uint32_t batch = 0;
  uint32_t row = 0;
};

/// The rows at `places`, in that order, as one batch. All `batches` have the same schema; there is
/// at least one. Errors: kResourceExhausted: memory, or texts of one column beyond what its offsets
/// reach.
Result<std::shared_ptr<arrow::RecordBatch>> GatherRows(
    const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
    std::span<const RowPlace> places, arrow::MemoryPool* pool);

}  // namespace firn
