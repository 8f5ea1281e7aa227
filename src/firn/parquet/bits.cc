#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "firn/parquet/bits_internal.h"

namespace firn {
namespace {

constexpr size_t kGroup = 8;
constexpr size_t kWidths = 33;

uint64_t LoadWord(const std::byte* in) {
  uint64_t word = 0;
  std::memcpy(&word, in, sizeof(word));
  return word;
}

void StoreWord(std::byte* out, uint64_t word) { std::memcpy(out, &word, sizeof(word)); }

constexpr uint64_t LowBits(size_t count) { return (uint64_t{1} << count) - 1; }

// With the width known, all shifts of a group are.
template <size_t kWidth>
void UnpackGroups(const std::byte* in, size_t groups, uint32_t* out) {
  constexpr uint64_t kMask = LowBits(kWidth);
  for (size_t group = 0; group < groups; ++group, in += kWidth, out += kGroup) {
    if constexpr (kWidth <= 8) {
      const uint64_t word = LoadWord(in);
      for (size_t i = 0; i < kGroup; ++i)
        out[i] = static_cast<uint32_t>((word >> (i * kWidth)) & kMask);
    } else {
      for (size_t i = 0; i < kGroup; ++i) {
        const size_t bit = i * kWidth;
        out[i] = static_cast<uint32_t>((LoadWord(in + bit / 8) >> (bit % 8)) & kMask);
      }
    }
  }
}

using GroupUnpacker = void (*)(const std::byte*, size_t, uint32_t*);

template <size_t... kWidth>
constexpr std::array<GroupUnpacker, kWidths> MakeUnpackers(std::index_sequence<kWidth...>) {
  return {UnpackGroups<kWidth>...};
}

constexpr std::array<GroupUnpacker, kWidths> kUnpackers =
    MakeUnpackers(std::make_index_sequence<kWidths>());

uint32_t UnpackOne(const std::byte* in, size_t width, size_t i) {
  const size_t bit = i * width;
  return static_cast<uint32_t>((LoadWord(in + bit / 8) >> (bit % 8)) & LowBits(width));
}

}  // namespace

void UnpackNumbers(const std::byte* in, int width, size_t first, size_t count, uint32_t* out) {
  const auto bits = static_cast<size_t>(width);
  const size_t end = first + count;
  size_t i = first;
  for (; i < end && i % kGroup != 0; ++i)
    *out++ = UnpackOne(in, bits, i);
  const size_t groups = (end - i) / kGroup;
  kUnpackers[bits](in + i / kGroup * bits, groups, out);
  out += groups * kGroup;
  for (i += groups * kGroup; i < end; ++i)
    *out++ = UnpackOne(in, bits, i);
}

size_t CopyBits(const std::byte* in, size_t in_bit, std::byte* out, size_t out_bit, size_t count) {
  constexpr size_t kStep = 56;  // What two words that begin within a byte have in common.
  size_t set = 0;
  while (count > 0) {
    const size_t step = std::min(count, kStep);
    const uint64_t bits = (LoadWord(in + in_bit / 8) >> (in_bit % 8)) & LowBits(step);
    set += static_cast<size_t>(std::popcount(bits));
    std::byte* const to = out + out_bit / 8;
    StoreWord(to, (static_cast<uint64_t>(*to) & LowBits(out_bit % 8)) | bits << (out_bit % 8));
    in_bit += step;
    out_bit += step;
    count -= step;
  }
  return set;
}

void FillBits(bool bit, std::byte* out, size_t out_bit, size_t count) {
  const uint64_t pattern = bit ? ~uint64_t{0} : 0;
  while (count > 0) {
    std::byte* const to = out + out_bit / 8;
    const size_t head = out_bit % 8;
    const size_t step = std::min(count, 64 - head);
    StoreWord(to, (static_cast<uint64_t>(*to) & LowBits(head)) | pattern << head);
    out_bit += step;
    count -= step;
  }
}

}  // namespace firn
