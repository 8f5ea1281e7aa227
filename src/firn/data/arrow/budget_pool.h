#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <arrow/memory_pool.h>

/// The memory that Arrow takes for one stream, counted and capped. Waiting for memory is the
/// business of `MemoryBudget` reservations, made by estimate before work starts; this pool is what
/// keeps a wrong estimate (one value of many gigabytes) from breaking the user's cap.

namespace firn {

class BudgetPool final : public arrow::MemoryPool {
 public:
  /// Allocations beyond `bytes_max` in all fail, and those by which all pools of the process would
  /// hold much more than that. The pool stays until the last of its memory is freed, whoever holds
  /// it.
  static std::shared_ptr<BudgetPool> Make(int64_t bytes_max);

  /// Count `bytes` (>= 0) that are allocated elsewhere, until they are given back. Errors:
  /// OutOfMemory: they would exceed the maximum.
  arrow::Status Take(int64_t bytes);
  void Give(int64_t bytes);

  using MemoryPool::Allocate;
  using MemoryPool::Free;
  using MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** pointer) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;

  int64_t bytes_allocated() const override { return allocated_.load(); }
  int64_t max_memory() const override { return peak_.load(); }
  int64_t total_bytes_allocated() const override { return total_.load(); }
  int64_t num_allocations() const override { return count_.load(); }
  std::string backend_name() const override { return base_->backend_name(); }

 private:
  explicit BudgetPool(int64_t bytes_max);
  ~BudgetPool() override = default;

  void DropReference();

  arrow::MemoryPool* base_;
  const int64_t bytes_max_;
  std::atomic<int64_t> references_{1};  // The owner, and each allocation.
  std::atomic<int64_t> allocated_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> total_{0};
  std::atomic<int64_t> count_{0};
};

}  // namespace firn
