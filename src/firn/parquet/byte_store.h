#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "firn/base/result.h"

namespace firn {

/// One block of memory that grows. Who reads pages draws all memory of size from such blocks, so
/// that the caller can count and cap it.
class ByteStore {
 public:
  /// Bytes behind the wanted ones that may be read and written: loops work on whole words.
  static constexpr size_t kSlack = 32;

  virtual ~ByteStore() = default;

  /// The block, with room for `size` bytes and kSlack more, of which the first `kept` are what they
  /// were. What was returned before is no longer valid. Errors: kResourceExhausted.
  virtual Result<std::byte*> Hold(size_t size, size_t kept) = 0;

  /// Bytes that fit without a new block.
  virtual size_t capacity() const = 0;

  /// Give the block back.
  virtual void Drop() = 0;

  /// What is kept for the next page, although it is not in use; larger blocks are given back.
  static constexpr size_t kIdleBytesMax = size_t{4} << 20;

  void DropIfLarge() {
    if (capacity() > kIdleBytesMax) Drop();
  }
};

using MakeByteStore = std::function<std::unique_ptr<ByteStore>()>;

/// Blocks of the heap, not counted.
std::unique_ptr<ByteStore> MakeHeapStore();

}  // namespace firn
