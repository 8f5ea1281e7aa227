#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/util/byte_size.h>

#include "firn/data/arrow_bridge.h"
#include "firn/data/row_gatherer_internal.h"

namespace firn {
namespace {

constexpr int64_t kBudgetShare = 8;
constexpr int64_t kBytesMin = int64_t{2} << 20;
// Texts of one column stay below the 2 GiB that 32-bit offsets reach.
constexpr int64_t kBytesMax = int64_t{1} << 30;
// The batches, and the one that is made of them.
constexpr int64_t kCopies = 2;

}  // namespace

RowGatherer RowGatherer::Make(MemoryBudget& budget) {
  int64_t bytes = std::clamp(budget.total_bytes() / kBudgetShare, kBytesMin, kBytesMax);
  while (true) {
    Result<MemoryReservation> memory = budget.TryReserve(kCopies * bytes);
    if (memory.ok()) return RowGatherer(std::move(*memory), bytes);
    if (bytes <= kBytesMin) return RowGatherer(MemoryReservation(), kBytesMin);
    bytes /= 2;
  }
}

void RowGatherer::Add(std::shared_ptr<arrow::RecordBatch> batch) {
  const auto size = arrow::util::ReferencedBufferSize(*batch);
  bytes_ += size.ok() ? *size : arrow::util::TotalBufferSize(*batch);
  batches_.push_back(std::move(batch));
}

Result<std::shared_ptr<arrow::RecordBatch>> RowGatherer::Take(arrow::MemoryPool* pool) {
  bytes_ = 0;
  if (batches_.empty()) return std::shared_ptr<arrow::RecordBatch>();
  const std::vector<std::shared_ptr<arrow::RecordBatch>> batches = std::exchange(batches_, {});
  if (batches.size() == 1) return batches[0];
  return GuardArrowResult(
      ErrorCode::kInternal, [&]() -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
        ARROW_ASSIGN_OR_RAISE(const auto table, arrow::Table::FromRecordBatches(batches));
        return table->CombineChunksToBatch(pool);
      });
}

}  // namespace firn
