#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "firn/format/avro/avro_schema.h"

namespace firn {

/// Reads Avro binary from bytes in memory. Every read is checked against the end; the first failure
/// sticks, empties the cursor and makes all later reads return zero or nothing, so callers test
/// `ok()` once per record. Never allocates. Text and bytes point into the input.
class AvroCursor {
 public:
  AvroCursor() = default;
  explicit AvroCursor(std::span<const std::byte> bytes)
      : begin_(reinterpret_cast<const uint8_t*>(bytes.data())),
        next_(begin_),
        end_(begin_ + bytes.size()),
        empty_items_left_(kEmptyItemsMin + static_cast<int64_t>(bytes.size())) {}

  bool ok() const { return failure_ == nullptr; }
  /// What went wrong, or null.
  const char* failure() const { return failure_; }
  /// Bytes read so far.
  size_t position() const { return static_cast<size_t>(next_ - begin_); }
  size_t remaining() const { return static_cast<size_t>(end_ - next_); }
  /// Record a failure, unless there is one already.
  void Fail(const char* reason);

  bool ReadBool() {
    if (next_ == end_) [[unlikely]] {
      return FailAtEnd(), false;
    }
    if (*next_ > 1) [[unlikely]] {
      return Fail("a boolean is neither 0 nor 1"), false;
    }
    return *next_++ != 0;
  }

  int64_t ReadLong() {
    const uint64_t raw = next_ != end_ && *next_ < 0x80 ? *next_++ : ReadLongVarint();
    return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  }

  /// Fails if the number does not fit 32 bits.
  int32_t ReadInt() {
    const int64_t value = ReadLong();
    const auto narrow = static_cast<int32_t>(value);
    if (narrow != value) [[unlikely]] {
      return Fail("an int does not fit 32 bits"), 0;
    }
    return narrow;
  }

  float ReadFloat() { return std::bit_cast<float>(ReadRaw<uint32_t>()); }
  double ReadDouble() { return std::bit_cast<double>(ReadRaw<uint64_t>()); }

  /// The content of a string or bytes.
  std::string_view ReadBytes() {
    const int64_t length = ReadLong();
    if (length < 0) [[unlikely]] {
      return Fail("a string or bytes has a negative length"), std::string_view();
    }
    return ReadFixed(static_cast<uint64_t>(length));
  }

  std::string_view ReadFixed(uint64_t length) {
    if (length > remaining()) [[unlikely]] {
      return FailAtEnd(), std::string_view();
    }
    const std::string_view bytes(reinterpret_cast<const char*>(next_), static_cast<size_t>(length));
    next_ += length;
    return bytes;
  }

  void SkipLong() {
    while (next_ != end_) {
      if (*next_++ < 0x80) return;
    }
    FailAtEnd();
  }
  void SkipBytes() { ReadBytes(); }

  /// Index of a union branch or an enum symbol: 0 <= index < `count`.
  int ReadIndex(size_t count) {
    const int64_t index = ReadLong();
    if (index < 0 || static_cast<uint64_t>(index) >= count) [[unlikely]] {
      return Fail("a union branch or enum symbol is out of range"), 0;
    }
    return static_cast<int>(index);
  }

  /// Start the next block of an array or a map: how many items follow, 0 at its end (or after a
  /// failure). `item_min_size` is the least bytes of an item (for a map including its key); a count
  /// that the remaining bytes cannot hold fails. Items without bytes are limited to about a million
  /// and the size of the input in all.
  int64_t ReadItemCount(int64_t item_min_size);

  /// Skip a value of the given type.
  void Skip(const AvroNode& node);

 private:
  static constexpr int64_t kEmptyItemsMin = int64_t{1} << 20;

  template <typename T>
  T ReadRaw() {
    T raw = 0;
    if (remaining() < sizeof(T)) [[unlikely]] {
      return FailAtEnd(), raw;
    }
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&raw, next_, sizeof(T));
    next_ += sizeof(T);
    return raw;
  }

  uint64_t ReadLongVarint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (next_ == end_) [[unlikely]] {
        return FailAtEnd(), uint64_t{0};
      }
      const uint64_t byte = *next_++;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return Fail("a number has more than 10 bytes"), uint64_t{0};
  }

  void FailAtEnd() { Fail("a value reaches beyond the end of the block"); }
  // Skip whole array or map blocks whose byte size is told; else return the item count.
  int64_t SkipSizedBlocks(int64_t item_min_size);

  const uint8_t* begin_ = nullptr;
  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
  const char* failure_ = nullptr;
  int64_t empty_items_left_ = 0;
};

}  // namespace firn
