#include <algorithm>
#include <cstring>

#include "firn/data/tracked_pool_internal.h"

namespace firn {
namespace {

// Larger requests fail with the pool below; Arrow's writer reports those.
constexpr int64_t kGrantedBytesMax = int64_t{256} << 10;

}  // namespace

arrow::Status TrackedPool::overdraft() const {
  const std::lock_guard lock(mutex_);
  return overdraft_;
}

void TrackedPool::FreeAll() {
  const std::lock_guard lock(mutex_);
  for (const auto& [pointer, block] : blocks_)
    block.owner->Free(pointer, block.size, block.alignment);
  blocks_.clear();
}

arrow::Status TrackedPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  arrow::MemoryPool* owner = base_;
  const arrow::Status status = base_->Allocate(size, alignment, out);
  if (!status.ok()) {
    if (size > kGrantedBytesMax) return status;
    owner = arrow::default_memory_pool();
    ARROW_RETURN_NOT_OK(owner->Allocate(size, alignment, out));
    const std::lock_guard lock(mutex_);
    overdraft_ = status;
  }
  Replace(nullptr, *out, {size, alignment, owner});
  return arrow::Status::OK();
}

arrow::Status TrackedPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                                      uint8_t** pointer) {
  uint8_t* const before = *pointer;
  arrow::MemoryPool* const owner = OwnerOf(before);
  Replace(before, nullptr, {});  // At once: its address may be another's as soon as it is free.
  const arrow::Status status = owner->Reallocate(old_size, new_size, alignment, pointer);
  if (status.ok()) {
    Replace(nullptr, *pointer, {new_size, alignment, owner});
    return status;
  }
  Replace(nullptr, before, {old_size, alignment, owner});
  if (new_size > kGrantedBytesMax) return status;
  uint8_t* after = nullptr;
  ARROW_RETURN_NOT_OK(Allocate(new_size, alignment, &after));
  std::memcpy(after, before, static_cast<size_t>(std::min(old_size, new_size)));
  Free(before, old_size, alignment);
  *pointer = after;
  return arrow::Status::OK();
}

void TrackedPool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  arrow::MemoryPool* const owner = OwnerOf(buffer);
  Replace(buffer, nullptr, {});
  owner->Free(buffer, size, alignment);
}

arrow::MemoryPool* TrackedPool::OwnerOf(uint8_t* pointer) {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(pointer);
  return block == blocks_.end() ? base_ : block->second.owner;
}

void TrackedPool::Replace(uint8_t* before, uint8_t* after, const Block& block) {
  const std::lock_guard lock(mutex_);
  blocks_.erase(before);
  if (after != nullptr && block.size > 0) blocks_[after] = block;
}

}  // namespace firn
