#pragma once

#include <memory>

#include <arrow/buffer.h>
#include <arrow/type_fwd.h>

#include "firn/parquet/byte_store.h"

namespace firn {

/// Memory of an Arrow pool, which outlives it.
class PoolStore final : public ByteStore {
 public:
  explicit PoolStore(arrow::MemoryPool* pool) : pool_(pool) {}

  Result<std::byte*> Hold(size_t size, size_t kept) override;
  size_t capacity() const override;
  void Drop() override { buffer_ = nullptr; }

  /// The block as an Arrow buffer of `size` bytes, which fit; the store is empty then.
  Result<std::shared_ptr<arrow::Buffer>> Take(size_t size);

 private:
  arrow::MemoryPool* pool_;
  std::unique_ptr<arrow::ResizableBuffer> buffer_;
};

/// A new block of `size` bytes, with ByteStore::kSlack behind them. Errors: kResourceExhausted.
Result<std::shared_ptr<arrow::ResizableBuffer>> AllocateWithSlack(size_t size,
                                                                  arrow::MemoryPool* pool);

}  // namespace firn
