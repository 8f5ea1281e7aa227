#include "firn/data/budget_pool.h"

#include <arrow/status.h>

#include "firn/data/arrow_bridge.h"

namespace firn {
namespace {

// Below this a stream is asked to be small rather than fast.
constexpr int64_t kSmallBytes = int64_t{256} << 20;

// Arrow's default (mimalloc) is the fastest on free cores but keeps much of what is freed; jemalloc
// gives it back, so that the process stays close to what the pool counts.
arrow::MemoryPool* ChooseBasePool(int64_t bytes_max) {
  arrow::MemoryPool* pool = nullptr;
  const bool is_found = bytes_max < kSmallBytes && arrow::jemalloc_memory_pool(&pool).ok();
  return is_found ? pool : arrow::default_memory_pool();
}

}  // namespace

BudgetPool::BudgetPool(int64_t bytes_max)
    : base_(ChooseBasePool(bytes_max)), bytes_max_(bytes_max) {}

std::shared_ptr<BudgetPool> BudgetPool::Make(int64_t bytes_max) {
  return {new BudgetPool(bytes_max), [](BudgetPool* pool) { pool->DropReference(); }};
}

arrow::Status BudgetPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  ARROW_RETURN_NOT_OK(Take(size));
  const arrow::Status status = base_->Allocate(size, alignment, out);
  if (!status.ok()) {
    Give(size);
    return status;
  }
  references_.fetch_add(1, std::memory_order_relaxed);
  return status;
}

arrow::Status BudgetPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                                     uint8_t** pointer) {
  ARROW_RETURN_NOT_OK(Take(new_size - old_size));
  const arrow::Status status = base_->Reallocate(old_size, new_size, alignment, pointer);
  if (!status.ok()) Give(new_size - old_size);
  return status;
}

void BudgetPool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  base_->Free(buffer, size, alignment);
  Give(size);
  DropReference();
}

arrow::Status BudgetPool::Take(int64_t bytes) {
  const int64_t allocated = allocated_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (bytes > 0 && allocated > bytes_max_) {
    Give(bytes);
    return ToArrowStatus(MakeError(
        ErrorCode::kResourceExhausted,
        "{} bytes more are needed while {} of {} bytes are in use; give more with --memory", bytes,
        allocated - bytes, bytes_max_));
  }
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (allocated > peak && !peak_.compare_exchange_weak(peak, allocated)) {
  }
  if (bytes > 0) total_.fetch_add(bytes, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
  return arrow::Status::OK();
}

void BudgetPool::Give(int64_t bytes) { allocated_.fetch_sub(bytes, std::memory_order_relaxed); }

void BudgetPool::DropReference() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace firn
