#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include <arrow/memory_pool.h>
#include <arrow/status.h>

namespace firn {

/// The memory of one Parquet file that Arrow writes. Arrow's writer does not look at every failed
/// allocation (the first one of a hash table is taken for granted, and crashes later), and its
/// destructor works on what it holds. So small requests are granted even where the pool below has
/// no more, which `overdraft` tells; and all that is allocated can be given back at once, when the
/// writer cannot be destroyed. Thread-safe.
class TrackedPool final : public arrow::MemoryPool {
 public:
  /// `base` outlives the pool.
  explicit TrackedPool(arrow::MemoryPool* base) : base_(base) {}

  /// Why the pool below refused what was granted; ok if it never did.
  arrow::Status overdraft() const;

  /// Free all that is allocated; none of it may be touched again.
  void FreeAll();

  using MemoryPool::Allocate;
  using MemoryPool::Free;
  using MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** pointer) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;

  int64_t bytes_allocated() const override { return base_->bytes_allocated(); }
  int64_t max_memory() const override { return base_->max_memory(); }
  int64_t total_bytes_allocated() const override { return base_->total_bytes_allocated(); }
  int64_t num_allocations() const override { return base_->num_allocations(); }
  std::string backend_name() const override { return base_->backend_name(); }

 private:
  struct Block {
    int64_t size = 0;
    int64_t alignment = 0;
    arrow::MemoryPool* owner = nullptr;
  };
  arrow::MemoryPool* OwnerOf(uint8_t* pointer);
  void Replace(uint8_t* before, uint8_t* after, const Block& block);

  arrow::MemoryPool* base_;
  mutable std::mutex mutex_;
  arrow::Status overdraft_;
  std::unordered_map<uint8_t*, Block> blocks_;  // But empty ones, which share an address.
};

}  // namespace firn
