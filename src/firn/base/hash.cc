#include "firn/base/hash.h"

#include <bit>
#include <cstring>

#include <xxhash.h>
#include <zlib.h>

namespace firn {
namespace {

uint32_t MixBlock(uint32_t block) {
  block *= 0xCC9E2D51U;
  block = std::rotl(block, 15);
  return block * 0x1B873593U;
}

}  // namespace

uint32_t HashMurmur3(std::span<const std::byte> bytes, uint32_t seed) {
  static_assert(std::endian::native == std::endian::little);
  uint32_t hash = seed;
  const size_t block_end = bytes.size() / 4 * 4;
  for (size_t at = 0; at < block_end; at += 4) {
    uint32_t block = 0;
    std::memcpy(&block, bytes.data() + at, sizeof(block));
    hash = std::rotl(hash ^ MixBlock(block), 13) * 5 + 0xE6546B64U;
  }
  uint32_t tail = 0;
  for (size_t at = bytes.size(); at > block_end; --at) {
    tail = tail << 8 | std::to_integer<uint32_t>(bytes[at - 1]);
  }
  hash ^= MixBlock(tail);  // An empty tail mixes to 0.
  hash ^= static_cast<uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85EBCA6BU;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35U;
  return hash ^ hash >> 16;
}

uint64_t HashFast(std::span<const std::byte> bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

uint32_t HashCrc32(std::span<const std::byte> bytes, uint32_t seed) {
  if (bytes.empty()) return seed;  // A null pointer would ask zlib for its initial value.
  return static_cast<uint32_t>(
      crc32_z(seed, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace firn
