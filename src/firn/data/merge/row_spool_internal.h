#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/memory_budget.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/io/scratch_file.h"

namespace firn {

/// Holds rows until they can be used: in memory, up to a share of the budget, then all of them in a
/// scratch file.
class RowSpool {
 public:
  RowSpool(MemoryBudget* budget, std::shared_ptr<arrow::Schema> schema);
  ~RowSpool();

  /// Errors: kResourceExhausted: the disk is full.
  Status Add(std::shared_ptr<arrow::RecordBatch> batch);

  /// All rows are there. To be called once, before they are read.
  Status Finish();

  int64_t row_count() const { return rows_; }
  bool is_on_disk() const { return file_ != nullptr; }

  /// One pass over the rows, in order; outlived by the spool. May be called again.
  Result<std::unique_ptr<BatchStream>> Read() const;

  /// The last pass: memory is given back as it goes.
  static Result<std::unique_ptr<BatchStream>> Take(std::unique_ptr<RowSpool> spool);

 private:
  class MemoryRows;
  class TakenRows;
  Status MoveToDisk();
  bool ReserveFor(int64_t bytes);

  MemoryBudget* budget_;
  std::shared_ptr<arrow::Schema> schema_;
  int64_t rows_ = 0;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;  // Unless they are on disk.
  int64_t bytes_ = 0;                                         // Of `batches_`.
  std::vector<MemoryReservation> memory_;
  int64_t reserved_ = 0;
  std::shared_ptr<ScratchFile> file_;
  std::shared_ptr<BudgetPool> pool_;
  struct DiskWriter;
  std::unique_ptr<DiskWriter> writer_;
};

}  // namespace firn
