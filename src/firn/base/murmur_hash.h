#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace firn {

/// The first 64 bits of MurmurHash3 x64 128-bit, as Apache DataSketches hashes what it counts.
uint64_t HashMurmur3Wide(std::span<const std::byte> bytes, uint64_t seed = 0);

}  // namespace firn
