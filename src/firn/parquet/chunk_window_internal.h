#pragma once

#include <memory>
#include <span>

#include "firn/io/io.h"
#include "firn/parquet/byte_store.h"

namespace firn {

/// The bytes of a column chunk, of which a window is in memory. It is read again and again into
/// the same memory, which stays in the processor's cache.
class ChunkWindow {
 public:
  /// Reads of the file have `read_bytes` or more, but for the end of the chunk. All outlive this.
  ChunkWindow(InputFile& file, std::unique_ptr<ByteStore> store, size_t read_bytes)
      : file_(file), store_(std::move(store)), read_bytes_(read_bytes) {}

  /// Go to another chunk, which lies in the file.
  void Begin(const ByteRange& chunk);

  size_t size() const { return size_; }

  /// The bytes from `offset` (at most the size) on: `size` of them or more, fewer only at the end
  /// of the chunk. They stay until the next call. Errors: kCorrupt: the file ends too early;
  /// kResourceExhausted; those of the file.
  Result<std::span<const std::byte>> At(size_t offset, size_t size);

  /// Whether such a call would read nothing and leave what was returned before.
  bool Holds(size_t offset, size_t size) const;

  /// What was returned is no longer needed: give the memory back if it is much.
  void DropIfLarge();

 private:
  InputFile& file_;
  std::unique_ptr<ByteStore> store_;
  const size_t read_bytes_;
  int64_t file_offset_ = 0;
  size_t size_ = 0;
  std::byte* bytes_ = nullptr;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace firn
