#include <algorithm>
#include <cstring>

#include "firn/parquet/page_header_internal.h"
#include "firn/parquet/plain_values_internal.h"
#include "firn/parquet/value_decoder_internal.h"

namespace firn {
namespace {

constexpr size_t kPrefix = sizeof(uint32_t);
constexpr size_t kWordBits = 64;

Error EndsEarly() { return MakeError(ErrorCode::kCorrupt, "a page of deltas ends too early"); }

// Bytes that are consumed from the front.
struct Input {
  std::span<const std::byte> bytes;

  Result<uint64_t> Varint() {
    uint64_t value = 0;
    for (size_t shift = 0; shift < kWordBits; shift += 7) {
      if (bytes.empty()) return EndsEarly();
      const auto byte = static_cast<uint8_t>(bytes[0]);
      bytes = bytes.subspan(1);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return MakeError(ErrorCode::kCorrupt, "a number of a page of deltas has more than 64 bits");
  }

  Result<uint64_t> Zigzag() {
    FIRN_ASSIGN(const uint64_t value, Varint());
    return (value >> 1) ^ (~(value & 1) + 1);
  }

  Result<std::span<const std::byte>> Take(size_t size) {
    if (size > bytes.size()) return EndsEarly();
    const auto taken = bytes.first(size);
    bytes = bytes.subspan(size);
    return taken;
  }
};

// Number `i` of those of `width` (0 to 64) bits; two words may be read.
uint64_t PackedNumber(const std::byte* in, size_t width, size_t i) {
  const size_t bit = i * width;
  uint64_t words[2];
  std::memcpy(words, in + bit / 8, sizeof(words));
  const size_t shift = bit % 8;
  uint64_t number = words[0] >> shift;
  if (shift > 0) number |= words[1] << (kWordBits - shift);
  return width == kWordBits ? number : number & ((uint64_t{1} << width) - 1);
}

// DELTA_BINARY_PACKED. `add` gets the values one by one, as 64 bits that wrap around.
template <typename Add>
Status DecodeDeltas(Input& in, size_t count_max, const Add& add) {
  FIRN_ASSIGN(const uint64_t block_size, in.Varint());
  FIRN_ASSIGN(const uint64_t miniblocks, in.Varint());
  FIRN_ASSIGN(const uint64_t count, in.Varint());
  FIRN_ASSIGN(uint64_t value, in.Zigzag());
  constexpr uint64_t kBlockMax = 1 << 20;
  if (miniblocks == 0 || block_size == 0 || block_size > kBlockMax ||
      block_size % miniblocks != 0 || block_size / miniblocks % 8 != 0 || count > count_max) {
    return MakeError(ErrorCode::kCorrupt, "{} deltas in blocks of {} in {} parts", count,
                     block_size, miniblocks);
  }
  if (count == 0) return {};
  add(value);
  const size_t size = block_size / miniblocks;
  for (uint64_t left = count - 1; left > 0;) {
    FIRN_ASSIGN(const uint64_t least, in.Zigzag());
    FIRN_ASSIGN(const auto widths, in.Take(miniblocks));
    for (size_t part = 0; part < miniblocks && left > 0; ++part) {
      const auto width = static_cast<size_t>(widths[part]);
      if (width > kWordBits) return MakeError(ErrorCode::kCorrupt, "deltas of {} bits", width);
      const size_t used = std::min<uint64_t>(size, left);
      // The last part may be cut short.
      if (in.bytes.size() < (used * width + 7) / 8) return EndsEarly();
      const std::byte* packed = in.bytes.data();
      in.bytes = in.bytes.subspan(std::min(in.bytes.size(), size * width / 8));
      for (size_t i = 0; i < used; ++i) {
        value += least + PackedNumber(packed, width, i);
        add(value);
      }
      left -= used;
    }
  }
  return {};
}

template <typename T>
Result<std::span<const std::byte>> IntegersOf(std::span<const std::byte> values, size_t count_max,
                                              ByteStore& to) {
  FIRN_ASSIGN(std::byte * out, to.Hold(count_max * sizeof(T), 0));
  size_t size = 0;
  Input in{values};
  FIRN_RETURN_IF_ERROR(DecodeDeltas(in, count_max, [&](uint64_t value) {
    const auto number = static_cast<T>(value);
    std::memcpy(out + size, &number, sizeof(T));
    size += sizeof(T);
  }));
  return std::span<const std::byte>(out, size);
}

using Lengths = std::span<const uint32_t>;

// Lengths of texts, which are neither negative nor larger than a page; at `to`, where `count_max`
// have room.
Result<Lengths> LengthsOf(Input& in, size_t count_max, uint32_t* to) {
  uint32_t* end = to;
  uint64_t largest = 0;
  FIRN_RETURN_IF_ERROR(DecodeDeltas(in, count_max, [&](uint64_t length) {
    largest = std::max(largest, length);
    *end++ = static_cast<uint32_t>(length);
  }));
  if (largest <= static_cast<uint64_t>(kPageBytesMax)) return Lengths(to, end);
  return MakeError(ErrorCode::kCorrupt, "a text has a length of {}", static_cast<int64_t>(largest));
}

// Texts as DELTA_BYTE_ARRAY has them: the first bytes of each are those of the one before.
// `prefixes` is empty where there are none.
Result<std::span<const std::byte>> JoinTexts(const FlatLeaf& leaf, Lengths prefixes,
                                             Lengths suffixes, Input in, PlainMemory& memory) {
  const bool has_lengths = leaf.type == PhysicalType::kByteArray;
  uint64_t size = 0;
  uint64_t before = 0;
  for (size_t i = 0; i < suffixes.size(); ++i) {
    const uint64_t prefix = prefixes.empty() ? 0 : prefixes[i];
    const uint64_t length = prefix + suffixes[i];
    if (prefix > before || (!has_lengths && length != static_cast<uint64_t>(leaf.type_length))) {
      return MakeError(ErrorCode::kCorrupt, "text {} of a page begins with {} bytes of one of {}",
                       i, prefix, before);
    }
    before = length;
    size += length + (has_lengths ? kPrefix : 0);
  }
  if (size > static_cast<uint64_t>(memory.bytes_max)) {
    return MakeError(ErrorCode::kUnsupported, "a page of {} bytes of texts", size);
  }
  FIRN_ASSIGN(std::byte * out, memory.values->Hold(size, 0));
  const std::byte* last = nullptr;
  size_t at = 0;
  for (size_t i = 0; i < suffixes.size(); ++i) {
    const size_t prefix = prefixes.empty() ? 0 : prefixes[i];
    FIRN_ASSIGN(const auto suffix, in.Take(suffixes[i]));
    if (has_lengths) {
      const auto length = static_cast<uint32_t>(prefix + suffix.size());
      std::memcpy(out + at, &length, kPrefix);
      at += kPrefix;
    }
    if (prefix > 0) std::memcpy(out + at, last, prefix);
    if (!suffix.empty()) std::memcpy(out + at + prefix, suffix.data(), suffix.size());
    last = out + at;
    at += prefix + suffix.size();
  }
  return std::span<const std::byte>(out, at);
}

Result<std::span<const std::byte>> TextsOf(ParquetEncoding encoding, const FlatLeaf& leaf,
                                           std::span<const std::byte> values, size_t count_max,
                                           PlainMemory& memory) {
  FIRN_ASSIGN(std::byte * held, memory.lengths->Hold(2 * count_max * sizeof(uint32_t), 0));
  uint32_t* const lengths = reinterpret_cast<uint32_t*>(held);
  Input in{values};
  Lengths prefixes;
  if (encoding == ParquetEncoding::kDeltaByteArray) {
    FIRN_ASSIGN(prefixes, LengthsOf(in, count_max, lengths));
  }
  FIRN_ASSIGN(const Lengths suffixes, LengthsOf(in, count_max, lengths + count_max));
  if (encoding == ParquetEncoding::kDeltaByteArray && prefixes.size() != suffixes.size()) {
    return MakeError(ErrorCode::kCorrupt, "a page has {} beginnings and {} ends of texts",
                     prefixes.size(), suffixes.size());
  }
  return JoinTexts(leaf, prefixes, suffixes, in, memory);
}

// BYTE_STREAM_SPLIT: all first bytes, then all second bytes, ...
Result<std::span<const std::byte>> JoinStreams(std::span<const std::byte> values, size_t width,
                                               ByteStore& to) {
  if (values.size() % width != 0) {
    return MakeError(ErrorCode::kCorrupt, "a page of {} bytes of values of {}", values.size(),
                     width);
  }
  const size_t count = values.size() / width;
  FIRN_ASSIGN(std::byte * out, to.Hold(values.size(), 0));
  for (size_t byte = 0; byte < width; ++byte) {
    const std::byte* in = values.data() + byte * count;
    for (size_t i = 0; i < count; ++i)
      out[i * width + byte] = in[i];
  }
  return std::span<const std::byte>(out, values.size());
}

}  // namespace

bool IsPagePadding(std::span<const std::byte> rest) {
  constexpr size_t kZeros = 8;
  if (rest.empty()) return true;
  return rest.size() == kZeros &&
         std::ranges::all_of(rest, [](std::byte byte) { return byte == std::byte{}; });
}

bool IsRewritten(ParquetEncoding encoding) {
  return encoding == ParquetEncoding::kDeltaBinaryPacked ||
         encoding == ParquetEncoding::kDeltaLengthByteArray ||
         encoding == ParquetEncoding::kDeltaByteArray ||
         encoding == ParquetEncoding::kByteStreamSplit;
}

Result<std::span<const std::byte>> ToPlain(ParquetEncoding encoding, const FlatLeaf& leaf,
                                           std::span<const std::byte> values, size_t count_max,
                                           PlainMemory& memory) {
  ByteStore& to = *memory.values;
  const bool is_text = leaf.type == PhysicalType::kByteArray;
  const bool is_fixed_text = leaf.type == PhysicalType::kFixedLenByteArray;
  if (encoding == ParquetEncoding::kDeltaBinaryPacked) {
    if (leaf.type == PhysicalType::kInt32) return IntegersOf<uint32_t>(values, count_max, to);
    if (leaf.type == PhysicalType::kInt64) return IntegersOf<uint64_t>(values, count_max, to);
  } else if (encoding == ParquetEncoding::kByteStreamSplit) {
    if (!is_text && leaf.type != PhysicalType::kBoolean) {
      return JoinStreams(values, leaf.stored_width(), to);
    }
  } else if (is_text || (is_fixed_text && encoding == ParquetEncoding::kDeltaByteArray)) {
    return TextsOf(encoding, leaf, values, count_max, memory);
  }
  return UnsupportedEncoding(encoding);
}

}  // namespace firn
