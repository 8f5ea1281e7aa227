#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/data/arrow/gather_rows_internal.h"

/// How many bytes single rows of a batch have: most are small, and a few may be as large as all
/// others together.

namespace firn {

/// Bytes of the values of one row.
int64_t RowBytes(const arrow::RecordBatch& batch, int64_t row);

/// No row has more: the sum of the largest values of all columns.
int64_t LargestRowBytes(const arrow::RecordBatch& batch);

/// How many of `places`, from the first one on, have `bytes_max` at most together; one at least.
size_t CountRowsWithin(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                       std::span<const RowPlace> places, int64_t bytes_max);

}  // namespace firn
