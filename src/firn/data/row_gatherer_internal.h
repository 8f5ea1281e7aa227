#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/memory_budget.h"

namespace firn {

/// Holds batches back until there are enough rows to be worth sorting by partition.
class RowGatherer {
 public:
  /// Takes its share of the budget, less if that is not free.
  static RowGatherer Make(MemoryBudget& budget);

  void Add(std::shared_ptr<arrow::RecordBatch> batch);
  bool is_full() const { return bytes_ >= bytes_max_; }

  /// All rows held, as one batch; null if there are none. Errors: kResourceExhausted.
  Result<std::shared_ptr<arrow::RecordBatch>> Take(arrow::MemoryPool* pool);

 private:
  RowGatherer(MemoryReservation memory, int64_t bytes_max)
      : memory_(std::move(memory)), bytes_max_(bytes_max) {}

  MemoryReservation memory_;
  int64_t bytes_max_;
  int64_t bytes_ = 0;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
};

}  // namespace firn
