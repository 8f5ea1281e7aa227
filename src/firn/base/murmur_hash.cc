#include "firn/base/murmur_hash.h"

#include <bit>
#include <cstring>

namespace firn {
namespace {

constexpr uint64_t kLowFactor = 0x87C3'7B91'1142'53D5ULL;
constexpr uint64_t kHighFactor = 0x4CF5'AD43'2745'937FULL;
constexpr size_t kBlockBytes = 16;
constexpr size_t kLaneBytes = 8;

uint64_t MixLow(uint64_t lane) { return std::rotl(lane * kLowFactor, 31) * kHighFactor; }
uint64_t MixHigh(uint64_t lane) { return std::rotl(lane * kHighFactor, 33) * kLowFactor; }

uint64_t Finish(uint64_t hash) {
  hash = (hash ^ hash >> 33) * 0xFF51'AFD7'ED55'8CCDULL;
  hash = (hash ^ hash >> 33) * 0xC4CE'B9FE'1A85'EC53ULL;
  return hash ^ hash >> 33;
}

uint64_t Load(const std::byte* bytes) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t lane = 0;
  std::memcpy(&lane, bytes, sizeof(lane));
  return lane;
}

// 1 to 7 bytes, little endian; missing ones are 0. Parts that overlap hold the same bytes.
uint64_t LoadTail(const std::byte* bytes, size_t size) {
  constexpr size_t kHalf = sizeof(uint32_t);
  if (size >= kHalf) {
    uint32_t begin = 0;
    uint32_t end = 0;
    std::memcpy(&begin, bytes, kHalf);
    std::memcpy(&end, bytes + size - kHalf, kHalf);
    return begin | uint64_t{end} << 8 * (size - kHalf);
  }
  const auto at = [bytes](size_t place) {
    return std::to_integer<uint64_t>(bytes[place]) << 8 * place;
  };
  return at(0) | at(size / 2) | at(size - 1);
}

}  // namespace

uint64_t HashMurmur3Wide(std::span<const std::byte> bytes, uint64_t seed) {
  uint64_t low = seed;
  uint64_t high = seed;
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= kBlockBytes; left -= kBlockBytes, at += kBlockBytes) {
    low = std::rotl(low ^ MixLow(Load(at)), 27) + high;
    low = low * 5 + 0x52DC'E729ULL;
    high = std::rotl(high ^ MixHigh(Load(at + kLaneBytes)), 31) + low;
    high = high * 5 + 0x3849'5AB5ULL;
  }
  if (left > kLaneBytes) {
    high ^= MixHigh(LoadTail(at + kLaneBytes, left - kLaneBytes));
    left = kLaneBytes;
  }
  if (left == kLaneBytes) {
    low ^= MixLow(Load(at));
  } else if (left > 0) {
    low ^= MixLow(LoadTail(at, left));
  }
  low ^= bytes.size();
  high ^= bytes.size();
  low += high;
  high += low;
  return Finish(low) + Finish(high);
}

}  // namespace firn
