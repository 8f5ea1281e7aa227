#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// Randomness is passed in, so that a seed repeats a run.

namespace firn {

/// Thread-safe.
class Random {
 public:
  virtual ~Random() = default;
  virtual uint64_t Next() = 0;

  /// Uniform in [0, bound); `bound` > 0.
  uint64_t Below(uint64_t bound);
};

/// Seeded from the operating system; one for the process.
Random& SystemRandom();

/// The same numbers for the same seed.
std::unique_ptr<Random> MakeSeededRandom(uint64_t seed);

/// 16 bytes, big-endian as printed.
using UuidBytes = std::array<std::byte, 16>;

/// A version 4 UUID.
UuidBytes MakeUuid(Random& random);

/// "f79c3e09-677c-4bbd-a479-3f349cb785e7".
std::string FormatUuid(const UuidBytes& uuid);

/// 36 characters in that form, of either case; nullopt if `text` is anything else.
std::optional<UuidBytes> ParseUuid(std::string_view text);

}  // namespace firn
