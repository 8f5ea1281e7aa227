#include <algorithm>
#include <bit>
#include <cstring>

#include "firn/parquet/rle_internal.h"

namespace firn {
namespace {

constexpr int kBitWidthMax = 32;
// A group of bit-packed numbers.
constexpr size_t kGroup = 8;
// Shorter runs are packed: a run interrupts the packing, which costs two heads.
constexpr size_t kRunMin = 16;
// Groups in one packed run, so that its head has at most two bytes.
constexpr size_t kPackedGroupsMax = 8191;

struct RunHead {
  bool is_packed = false;
  uint64_t count = 0;  // Numbers; of a packed run as many as its groups hold.
  size_t bytes = 0;
};

std::optional<RunHead> ReadHead(std::span<const std::byte> in) {
  uint64_t head = 0;
  for (size_t i = 0; i < 5 && i < in.size(); ++i) {
    const auto byte = static_cast<uint8_t>(in[i]);
    head |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if ((byte & 0x80) != 0) continue;
    const bool is_packed = (head & 1) != 0;
    return RunHead{.is_packed = is_packed,
                   .count = is_packed ? (head >> 1) * kGroup : head >> 1,
                   .bytes = i + 1};
  }
  return std::nullopt;
}

size_t NumberBytes(int bit_width) { return static_cast<size_t>((bit_width + 7) / 8); }

uint32_t ReadNumber(const std::byte* in, int bit_width) {
  uint32_t number = 0;
  std::memcpy(&number, in, NumberBytes(bit_width));
  return number;
}

// Each number is in the eight bytes that begin with its first bit's byte.
template <typename T>
void Unpack(const std::byte* in, int bit_width, std::span<T> out) {
  const uint64_t mask = (uint64_t{1} << bit_width) - 1;
  size_t bit = 0;
  for (T& number : out) {
    uint64_t bits = 0;
    std::memcpy(&bits, in + (bit >> 3), sizeof(bits));
    number = static_cast<T>((bits >> (bit & 7)) & mask);
    bit += static_cast<size_t>(bit_width);
  }
}

template <typename T>
Status Decode(std::span<const std::byte> in, int bit_width, std::span<T> out) {
  if (bit_width < 0 || bit_width > kBitWidthMax) {
    return MakeError(ErrorCode::kCorrupt, "numbers of {} bits", bit_width);
  }
  if (bit_width == 0) {
    std::fill(out.begin(), out.end(), T{0});
    return {};
  }
  while (!out.empty()) {
    const std::optional<RunHead> head = ReadHead(in);
    if (!head || head->count == 0) {
      return MakeError(ErrorCode::kCorrupt, "{} numbers are missing in a run", out.size());
    }
    in = in.subspan(head->bytes);
    const size_t count = std::min<uint64_t>(head->count, out.size());
    // The last group may be cut short.
    const size_t bytes =
        head->is_packed ? (count * static_cast<size_t>(bit_width) + 7) / 8 : NumberBytes(bit_width);
    if (bytes > in.size()) {
      return MakeError(ErrorCode::kCorrupt, "a run of {} numbers ends too early", count);
    }
    if (head->is_packed) {
      Unpack(in.data(), bit_width, out.first(count));
    } else {
      const uint32_t number = ReadNumber(in.data(), bit_width);
      if (BitWidth(number) > bit_width) {
        return MakeError(ErrorCode::kCorrupt, "a run of {}, which has more than {} bits", number,
                         bit_width);
      }
      std::fill_n(out.begin(), count, static_cast<T>(number));
    }
    const size_t whole =
        head->is_packed ? static_cast<size_t>(head->count / kGroup) * static_cast<size_t>(bit_width)
                        : bytes;
    in = in.subspan(std::min(whole, in.size()));
    out = out.subspan(count);
  }
  return {};
}

void AppendVarint(uint64_t value, PageBuffer& out) {
  std::byte bytes[10];
  size_t count = 0;
  while (value >= 0x80) {
    bytes[count++] = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  bytes[count++] = static_cast<std::byte>(value);
  out.Append({bytes, count});
}

// `numbers` fill whole groups but for the last; zeros follow.
template <typename T>
void AppendPacked(std::span<const T> numbers, int bit_width, PageBuffer& out) {
  while (!numbers.empty()) {
    const size_t count = std::min(numbers.size(), kPackedGroupsMax * kGroup);
    const size_t groups = (count + kGroup - 1) / kGroup;
    AppendVarint(groups << 1 | 1, out);
    const size_t bytes = groups * static_cast<size_t>(bit_width);
    std::byte* to = out.Grow(bytes);
    uint64_t bits = 0;
    int filled = 0;
    const std::byte* end = to + bytes;
    for (const T number : numbers.first(count)) {
      bits |= static_cast<uint64_t>(number) << filled;
      filled += bit_width;
      if (filled < 32) continue;
      const auto low = static_cast<uint32_t>(bits);
      std::memcpy(to, &low, sizeof(low));
      to += sizeof(low);
      bits >>= 32;
      filled -= 32;
    }
    while (to < end) {
      *to++ = static_cast<std::byte>(bits);
      bits >>= 8;
    }
    numbers = numbers.subspan(count);
  }
}

template <typename T>
void Encode(std::span<const T> numbers, int bit_width, PageBuffer& out) {
  if (bit_width == 0) return;
  size_t packed_from = 0;
  size_t at = 0;
  while (at < numbers.size()) {
    size_t end = at + 1;
    while (end < numbers.size() && numbers[end] == numbers[at])
      ++end;
    if (end - at < kRunMin) {
      // On to the next group: a run can begin only where the packed numbers fill theirs.
      at += std::max<size_t>(kGroup, (end - at) / kGroup * kGroup);
      continue;
    }
    AppendPacked(numbers.subspan(packed_from, at - packed_from), bit_width, out);
    EncodeRun(static_cast<uint32_t>(numbers[at]), end - at, bit_width, out);
    packed_from = at = end;
  }
  AppendPacked(numbers.subspan(packed_from), bit_width, out);
}

}  // namespace

int BitWidth(uint64_t largest) { return static_cast<int>(std::bit_width(largest)); }

Status DecodeRle(std::span<const std::byte> in, int bit_width, std::span<uint32_t> out) {
  return Decode(in, bit_width, out);
}

Status DecodeRle(std::span<const std::byte> in, int bit_width, std::span<uint8_t> out) {
  return Decode(in, bit_width, out);
}

std::optional<uint32_t> SingleRun(std::span<const std::byte> in, int bit_width, size_t count) {
  if (bit_width == 0) return 0;
  const std::optional<RunHead> head = ReadHead(in);
  if (!head || head->is_packed || head->count < count) return std::nullopt;
  if (in.size() < head->bytes + NumberBytes(bit_width)) return std::nullopt;
  return ReadNumber(in.data() + head->bytes, bit_width);
}

void EncodeRun(uint32_t number, size_t count, int bit_width, PageBuffer& out) {
  AppendVarint(static_cast<uint64_t>(count) << 1, out);
  const std::byte* bytes = reinterpret_cast<const std::byte*>(&number);
  out.Append({bytes, NumberBytes(bit_width)});
}

void EncodeRle(std::span<const uint32_t> numbers, int bit_width, PageBuffer& out) {
  Encode(numbers, bit_width, out);
}

void EncodeRle(std::span<const uint8_t> numbers, int bit_width, PageBuffer& out) {
  Encode(numbers, bit_width, out);
}

}  // namespace firn
