#include "firn/data/arrow/budget_pool.h"

#include <algorithm>

#include <arrow/status.h>

#include "firn/data/arrow/arrow_bridge.h"

namespace firn {
namespace {

// Below this a stream is asked to be small rather than fast.
constexpr int64_t kSmallBytes = int64_t{256} << 20;

// All pools of the process together may have so much more than one, since what reads and what
// writes have pools of their own.
constexpr int64_t kSharedExcess = 8;

// What all pools hold: the user's cap is for the process.
std::atomic<int64_t> process_bytes{0};

// Arrow's default (mimalloc) is the fastest on free cores but keeps much of what is freed; jemalloc
// gives it back, at once if told to, so that the process stays close to what the pool counts.
arrow::MemoryPool* ChooseBasePool(int64_t bytes_max) {
  arrow::MemoryPool* pool = nullptr;
  const bool is_found = bytes_max < kSmallBytes && arrow::jemalloc_memory_pool(&pool).ok();
  if (!is_found) return arrow::default_memory_pool();
  static const bool is_told = arrow::jemalloc_set_decay_ms(0).ok();
  static_cast<void>(is_told);
  return pool;
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
  const int64_t everywhere = process_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const bool is_too_much =
      allocated > bytes_max_ || everywhere - bytes_max_ > bytes_max_ / kSharedExcess;
  if (bytes > 0 && is_too_much) {
    Give(bytes);
    return ToArrowStatus(MakeError(
        ErrorCode::kResourceExhausted,
        "{} bytes more are needed while {} of {} bytes are in use; give more with --memory", bytes,
        std::max(allocated, everywhere) - bytes, bytes_max_));
  }
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (allocated > peak && !peak_.compare_exchange_weak(peak, allocated)) {
  }
  if (bytes > 0) total_.fetch_add(bytes, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
  return arrow::Status::OK();
}

void BudgetPool::Give(int64_t bytes) {
  allocated_.fetch_sub(bytes, std::memory_order_relaxed);
  process_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

void BudgetPool::DropReference() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace firn
