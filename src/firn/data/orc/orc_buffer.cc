#include <algorithm>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/orc/orc_buffer_internal.h"

namespace firn {

Status OrcBuffer::Resize(int64_t size) {
  if (buffer_ == nullptr) {
    auto made = arrow::AllocateResizableBuffer(size, pool_);
    if (!made.ok()) return FromArrowStatus(made.status(), ErrorCode::kInternal);
    buffer_ = std::move(made).ValueUnsafe();
    return {};
  }
  const arrow::Status resized = buffer_->Resize(size, /*shrink_to_fit=*/false);
  return resized.ok() ? Status() : FromArrowStatus(resized, ErrorCode::kInternal);
}

Status OrcBuffer::Grow(int64_t size, int64_t size_max) {
  if (buffer_ != nullptr && size <= buffer_->size()) return {};
  return Resize(std::min(size_max, std::max(size, 2 * this->size())));
}

}  // namespace firn
