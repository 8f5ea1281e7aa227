#include <utility>

#include <arrow/memory_pool.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/pool_store_internal.h"

namespace firn {
namespace {

Status FromArrow(const arrow::Status& status) {
  if (status.ok()) return {};
  return FromArrowStatus(status, ErrorCode::kInternal);
}

}  // namespace

size_t PoolStore::capacity() const {
  if (buffer_ == nullptr) return 0;
  const auto all = static_cast<size_t>(buffer_->capacity());
  return all < kSlack ? 0 : all - kSlack;
}

Result<std::byte*> PoolStore::Hold(size_t size, size_t kept) {
  if (buffer_ == nullptr || size > capacity()) {
    const auto wanted = static_cast<int64_t>(size + kSlack);
    if (kept == 0) buffer_ = nullptr;
    if (buffer_ != nullptr) {
      // Only what the size covers is kept.
      FIRN_RETURN_IF_ERROR(FromArrow(buffer_->Resize(wanted, /*shrink_to_fit=*/false)));
    } else {
      auto made = arrow::AllocateResizableBuffer(wanted, pool_);
      FIRN_RETURN_IF_ERROR(FromArrow(made.status()));
      buffer_ = std::move(*made);
    }
  }
  return reinterpret_cast<std::byte*>(buffer_->mutable_data());
}

Result<std::shared_ptr<arrow::Buffer>> PoolStore::Take(size_t size) {
  FIRN_RETURN_IF_ERROR(Hold(size, size));
  const bool wastes_much = capacity() > size + size / 4 + kIdleBytesMax;
  FIRN_RETURN_IF_ERROR(FromArrow(buffer_->Resize(static_cast<int64_t>(size), wastes_much)));
  return std::shared_ptr<arrow::Buffer>(std::exchange(buffer_, nullptr));
}

Result<std::shared_ptr<arrow::ResizableBuffer>> AllocateWithSlack(size_t size,
                                                                  arrow::MemoryPool* pool) {
  auto made = arrow::AllocateResizableBuffer(static_cast<int64_t>(size + ByteStore::kSlack), pool);
  FIRN_RETURN_IF_ERROR(FromArrow(made.status()));
  std::shared_ptr<arrow::ResizableBuffer> buffer = std::move(*made);
  FIRN_RETURN_IF_ERROR(
      FromArrow(buffer->Resize(static_cast<int64_t>(size), /*shrink_to_fit=*/false)));
  return buffer;
}

}  // namespace firn
