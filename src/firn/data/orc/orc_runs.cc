#include <algorithm>
#include <bit>
#include <cstring>

#include "firn/data/orc/orc_runs_internal.h"

namespace firn {
namespace {

constexpr size_t kRepeatMin = 3;
constexpr unsigned kVarintBitsMax = 64;
constexpr unsigned kWordBits = 64;
constexpr size_t kPackedSlack = 8;  // Loads of whole words may reach beyond the last value.

// Widths that a code of five bits stands for.
constexpr uint8_t kWidths[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                               17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64};

// The smallest of these that holds `bits`.
unsigned WidthFor(unsigned bits) {
  const auto* const found = std::lower_bound(std::begin(kWidths), std::end(kWidths), bits);
  return found == std::end(kWidths) ? kWordBits : *found;
}

unsigned WidthOf(uint8_t head) { return kWidths[(head >> 1) & 0x1f]; }

uint64_t LoadBigEndian(const uint8_t* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

}  // namespace

void OrcByteRuns::Read(std::span<uint8_t> out) {
  while (!out.empty()) {
    if (left_ == 0) {
      const uint8_t head = bytes_.Byte();
      repeats_ = head < 0x80;
      left_ = repeats_ ? head + kRepeatMin : size_t{256} - head;
      if (repeats_) value_ = bytes_.Byte();
    }
    const size_t count = std::min(left_, out.size());
    if (repeats_) {
      std::memset(out.data(), value_, count);
    } else {
      bytes_.Read(out.first(count));
    }
    left_ -= count;
    out = out.subspan(count);
    if (!bytes_.ok()) left_ = 0;
  }
}

void OrcBits::Read(std::span<uint8_t> out) {
  size_t done = 0;
  while (done < out.size() && bits_left_ > 0)
    out[done++] = (byte_ >> --bits_left_) & 1;
  constexpr size_t kStep = 512;
  uint8_t bytes[kStep];
  while (done < out.size()) {
    const size_t left = out.size() - done;
    const size_t count = std::min(kStep, (left + 7) / 8);
    runs_.Read({bytes, count});
    const size_t whole = std::min(count, left / 8);
    for (size_t i = 0; i < whole; ++i, done += 8) {
      for (unsigned bit = 0; bit < 8; ++bit)
        out[done + bit] = (bytes[i] >> (7 - bit)) & 1;
    }
    if (whole == count) continue;
    byte_ = bytes[whole];
    bits_left_ = 8;
    while (done < out.size())
      out[done++] = (byte_ >> --bits_left_) & 1;
  }
}

void OrcIntegers::Read(std::span<int64_t> out) {
  while (!out.empty()) {
    if (at_ == count_) {
      ReadRun();
      if (!bytes_.ok()) {
        at_ = count_ = 0;
        std::fill(out.begin(), out.end(), 0);
        return;
      }
    }
    const size_t count = std::min(count_ - at_, out.size());
    std::memcpy(out.data(), run_.data() + at_, count * sizeof(int64_t));
    at_ += count;
    out = out.subspan(count);
  }
}

int64_t OrcIntegers::Value(uint64_t stored) const {
  return form_.is_signed ? DecodeZigzag(stored) : static_cast<int64_t>(stored);
}

uint64_t OrcIntegers::Varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < kVarintBitsMax; shift += 7) {
    const uint8_t byte = bytes_.Byte();
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  bytes_.Fail("a number of it has more than 64 bits");
  return 0;
}

uint64_t OrcIntegers::BigEndian(unsigned byte_count) {
  uint64_t value = 0;
  for (unsigned i = 0; i < byte_count; ++i)
    value = value << 8 | bytes_.Byte();
  return value;
}

void OrcIntegers::Unpack(uint64_t* out, size_t count, unsigned bits) {
  uint8_t packed[kRunMax * sizeof(uint64_t) + kPackedSlack];
  const size_t size = (count * bits + 7) / 8;
  bytes_.Read({packed, size});
  std::memset(packed + size, 0, kPackedSlack);
  const unsigned drop = kWordBits - bits;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i, at += bits) {
    const unsigned shift = at & 7;
    uint64_t word = LoadBigEndian(packed + at / 8) << shift;
    if (shift + bits > kWordBits) word |= packed[at / 8 + 8] >> (8 - shift);
    out[i] = word >> drop;
  }
}

void OrcIntegers::ReadRun() {
  at_ = 0;
  if (!form_.is_version_2) return ReadRunOfVersion1();
  const uint8_t head = bytes_.Byte();
  switch (head >> 6) {
    case 0:
      return ReadShortRepeat(head);
    case 1:
      return ReadDirect(head);
    case 2:
      return ReadPatchedBase(head);
    default:
      return ReadDelta(head);
  }
}

void OrcIntegers::ReadRunOfVersion1() {
  const uint8_t head = bytes_.Byte();
  if (head >= 0x80) {
    count_ = size_t{256} - head;
    for (size_t i = 0; i < count_; ++i)
      run_[i] = static_cast<uint64_t>(Value(Varint()));
    return;
  }
  count_ = head + kRepeatMin;
  const auto delta = static_cast<uint64_t>(int64_t{static_cast<int8_t>(bytes_.Byte())});
  uint64_t value = static_cast<uint64_t>(Value(Varint()));
  for (size_t i = 0; i < count_; ++i, value += delta)
    run_[i] = value;
}

void OrcIntegers::ReadShortRepeat(uint8_t head) {
  count_ = (head & 7U) + kRepeatMin;
  const int64_t value = Value(BigEndian(((head >> 3) & 7U) + 1));
  std::fill_n(run_.begin(), count_, static_cast<uint64_t>(value));
}

size_t OrcIntegers::RunLength(uint8_t head) { return (size_t{head & 1U} << 8 | bytes_.Byte()) + 1; }

void OrcIntegers::ReadDirect(uint8_t head) {
  count_ = RunLength(head);
  Unpack(run_.data(), count_, WidthOf(head));
  if (!form_.is_signed) return;
  for (size_t i = 0; i < count_; ++i)
    run_[i] = static_cast<uint64_t>(DecodeZigzag(run_[i]));
}

void OrcIntegers::ReadDelta(uint8_t head) {
  const bool is_even = (head & 0x3e) == 0;  // All deltas are the same.
  count_ = RunLength(head);
  run_[0] = static_cast<uint64_t>(Value(Varint()));
  const int64_t delta = DecodeZigzag(Varint());
  if (is_even) {
    for (size_t i = 1; i < count_; ++i)
      run_[i] = run_[i - 1] + static_cast<uint64_t>(delta);
    return;
  }
  if (count_ < 2) return bytes_.Fail("a run of one value has deltas");
  run_[1] = run_[0] + static_cast<uint64_t>(delta);
  Unpack(run_.data() + 2, count_ - 2, WidthOf(head));
  for (size_t i = 2; i < count_; ++i)
    run_[i] = delta < 0 ? run_[i - 1] - run_[i] : run_[i - 1] + run_[i];
}

// Most values of the run are small beyond the base; the high bits of the others are in a list.
void OrcIntegers::ReadPatchedBase(uint8_t head) {
  const unsigned value_bits = WidthOf(head);
  count_ = RunLength(head);
  const uint8_t third = bytes_.Byte();
  const uint8_t fourth = bytes_.Byte();
  const unsigned base_bytes = (third >> 5) + 1U;
  const unsigned patch_bits = kWidths[third & 0x1f];
  const unsigned gap_bits = (fourth >> 5) + 1U;
  const size_t patch_count = fourth & 0x1f;
  if (patch_count == 0 || patch_bits + gap_bits > kWordBits) {
    return bytes_.Fail("a run with patches is damaged");
  }
  // The highest bit is the sign.
  uint64_t base = BigEndian(base_bytes);
  const uint64_t sign = uint64_t{1} << (base_bytes * 8 - 1);
  if ((base & sign) != 0) base = 0 - (base & ~sign);
  Unpack(run_.data(), count_, value_bits);
  uint64_t patches[32];
  Unpack(patches, patch_count, WidthFor(patch_bits + gap_bits));
  if (!ApplyPatches({patches, patch_count}, patch_bits, value_bits)) {
    return bytes_.Fail("a run with patches is damaged");
  }
  for (size_t i = 0; i < count_; ++i)
    run_[i] += base;
}

bool OrcIntegers::ApplyPatches(std::span<const uint64_t> patches, unsigned patch_bits,
                               unsigned value_bits) {
  const uint64_t patch_mask = ~uint64_t{0} >> (kWordBits - patch_bits);
  size_t at = 0;
  for (const uint64_t entry : patches) {
    at += patch_bits == kWordBits ? 0 : entry >> patch_bits;
    const uint64_t patch = entry & patch_mask;
    if (patch == 0) continue;  // Gaps above 255 take several entries.
    if (at >= count_) return false;
    if (value_bits < kWordBits) run_[at] |= patch << value_bits;
  }
  return true;
}

}  // namespace firn
