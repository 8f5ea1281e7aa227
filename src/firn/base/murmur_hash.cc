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

// Up to 8 bytes, little endian; missing ones are 0.
uint64_t Load(const std::byte* bytes, size_t size) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t lane = 0;
  std::memcpy(&lane, bytes, size);
  return lane;
}

}  // namespace

uint64_t HashMurmur3Wide(std::span<const std::byte> bytes, uint64_t seed) {
  uint64_t low = seed;
  uint64_t high = seed;
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= kBlockBytes; left -= kBlockBytes, at += kBlockBytes) {
    low = std::rotl(low ^ MixLow(Load(at, kLaneBytes)), 27) + high;
    low = low * 5 + 0x52DC'E729ULL;
    high = std::rotl(high ^ MixHigh(Load(at + kLaneBytes, kLaneBytes)), 31) + low;
    high = high * 5 + 0x3849'5AB5ULL;
  }
  if (left > kLaneBytes) {
    high ^= MixHigh(Load(at + kLaneBytes, left - kLaneBytes));
    left = kLaneBytes;
  }
  if (left == kLaneBytes) {
    low ^= MixLow(Load(at, kLaneBytes));
  } else if (left > 0) {
    low ^= MixLow(Load(at, left));
  }
  low ^= bytes.size();
  high ^= bytes.size();
  low += high;
  high += low;
  return Finish(low) + Finish(high);
}

}  // namespace firn
