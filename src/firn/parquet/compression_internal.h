#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "firn/parquet/footer.h"

namespace firn {

/// Bytes that grow without being cleared, with room behind the end that may be read.
class PageBuffer {
 public:
  /// Bytes behind the end that are allocated: what decodes eight bytes at a time may read there.
  static constexpr size_t kSlack = 16;

  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const std::byte> span() const { return {bytes_.get(), size_}; }
  size_t capacity() const { return capacity_; }

  void Clear() { size_ = 0; }
  /// Give memory back that is more than `capacity_max`; the bytes are lost then.
  void DropIfAbove(size_t capacity_max) {
    if (capacity_ > capacity_max) *this = PageBuffer();
  }
  /// Make room for `size` bytes in all, and no more.
  void Reserve(size_t size);
  /// Give the buffer `size` bytes, of which the first ones stay.
  void Resize(size_t size);
  /// Make it `count` bytes longer. Returns the first of these.
  std::byte* Grow(size_t count);
  void Append(std::span<const std::byte> bytes);

 private:
  void Move(size_t capacity);

  std::unique_ptr<std::byte[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

/// Whether pages of this codec can be read and written here.
bool IsSupported(ParquetCodec codec);

/// Whether they can be read.
bool CanDecompress(ParquetCodec codec);

/// CRC-32 as page headers have it.
uint32_t PageChecksum(std::span<const std::byte> stored);

/// Compresses and decompresses pages, with contexts that are kept between them. Single-threaded.
class PageCodec {
 public:
  PageCodec();
  PageCodec(PageCodec&&) noexcept;
  PageCodec& operator=(PageCodec&&) noexcept;
  ~PageCodec();

  /// Fill `out`, of which the size is known. Errors: kCorrupt; kUnsupported for other codecs.
  Status Decompress(ParquetCodec codec, std::span<const std::byte> in, std::span<std::byte> out);

  /// Append `in`, compressed, to `out`. `level` empty: the codec's default. Errors: kUnsupported:
  /// the codec, or the level with it; kInternal.
  Status Compress(ParquetCodec codec, std::optional<int> level, std::span<const std::byte> in,
                  PageBuffer& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firn
