#pragma once

#include <cstddef>
#include <cstdint>

/// Bits packed from the lowest one of each byte on, as Parquet packs numbers and Arrow validity.

namespace firn {

/// Numbers [first, first + count) of those of `width` (1 to 32) bits that begin at `in`. Eight
/// bytes behind the last one can be read.
void UnpackNumbers(const std::byte* in, int width, size_t first, size_t count, uint32_t* out);

/// Copy `count` bits. Returns how many are set. Eight bytes behind both ends can be read, and the
/// bits behind the end of `out` written.
size_t CopyBits(const std::byte* in, size_t in_bit, std::byte* out, size_t out_bit, size_t count);

/// Make `count` bits 1, or 0. Eight bytes behind the end of `out` can be written.
void FillBits(bool bit, std::byte* out, size_t out_bit, size_t count);

inline bool TestBit(const std::byte* bits, size_t i) {
  return ((static_cast<unsigned>(bits[i >> 3]) >> (i & 7)) & 1U) != 0;
}

inline void PutBit(std::byte* bits, size_t i, bool bit) {
  const auto mask = static_cast<std::byte>(1U << (i & 7));
  bits[i >> 3] = bit ? bits[i >> 3] | mask : bits[i >> 3] & ~mask;
}

}  // namespace firn
