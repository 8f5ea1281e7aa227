#pragma once

#include <cstdint>
#include <memory>

#include <arrow/buffer.h>

#include "firn/base/result.h"

namespace firn {

/// Bytes of a pool that grow without being cleared.
class OrcBuffer {
 public:
  /// The pool outlives the buffer.
  explicit OrcBuffer(arrow::MemoryPool* pool) : pool_(pool) {}

  uint8_t* data() { return buffer_ == nullptr ? nullptr : buffer_->mutable_data(); }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data());
  }
  int64_t size() const { return buffer_ == nullptr ? 0 : buffer_->size(); }

  /// Give it `size` bytes; the first ones stay. Errors: kResourceExhausted.
  Status Resize(int64_t size);
  /// Make it at least `size` bytes long, more if that spares the next calls, but no more than
  /// `size_max` (>= `size`).
  Status Grow(int64_t size, int64_t size_max);
  /// Hand over the bytes as they are.
  std::shared_ptr<arrow::Buffer> Take() { return std::move(buffer_); }

 private:
  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::ResizableBuffer> buffer_;
};

}  // namespace firn
