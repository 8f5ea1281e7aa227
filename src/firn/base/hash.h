#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace firn {

/// MurmurHash3 x86 32-bit, as the bucket transform and object-storage paths use it.
uint32_t HashMurmur3(std::span<const std::byte> bytes, uint32_t seed = 0);

/// XXH3, 64 bit: for hash tables; not stable over versions of firn, never stored.
uint64_t HashFast(std::span<const std::byte> bytes, uint64_t seed = 0);

/// CRC-32 with the IEEE polynomial, as zlib computes it.
uint32_t HashCrc32(std::span<const std::byte> bytes, uint32_t seed = 0);

}  // namespace firn
