#include "firn/base/random.h"

#include <atomic>
#include <cerrno>
#include <cstring>

#include <sys/random.h>

#include "firn/base/bytes.h"
#include "firn/base/check.h"

namespace firn {
namespace {

// Asks the kernel each time: names made by processes that were forked or restored from one image
// must differ.
class OperatingSystemRandom final : public Random {
 public:
  uint64_t Next() override {
    uint64_t value = 0;
    ssize_t got = -1;
    do {
      got = getrandom(&value, sizeof(value), 0);
    } while (got < 0 && errno == EINTR);
    FIRN_CHECK(got == sizeof(value));
    return value;
  }
};

// SplitMix64: a counter whose values are mixed, so threads need no lock.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}

  uint64_t Next() override {
    constexpr uint64_t kStep = 0x9E3779B97F4A7C15U;
    uint64_t value = state_.fetch_add(kStep, std::memory_order_relaxed) + kStep;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9U;
    value = (value ^ value >> 27) * 0x94D049BB133111EBU;
    return value ^ value >> 31;
  }

 private:
  std::atomic<uint64_t> state_;
};

}  // namespace

uint64_t Random::Below(uint64_t bound) {
  FIRN_CHECK(bound > 0);
  // Values below `rest` would make the low remainders more likely: 2^64 is no multiple of bound.
  const uint64_t rest = (0 - bound) % bound;
  uint64_t value = Next();
  while (value < rest)
    value = Next();
  return value % bound;
}

Random& SystemRandom() {
  static OperatingSystemRandom random;
  return random;
}

std::unique_ptr<Random> MakeSeededRandom(uint64_t seed) {
  return std::make_unique<SeededRandom>(seed);
}

UuidBytes MakeUuid(Random& random) {
  UuidBytes uuid{};
  for (size_t half = 0; half < 2; ++half) {
    const uint64_t value = random.Next();
    for (size_t i = 0; i < 8; ++i)
      uuid[half * 8 + i] = static_cast<std::byte>(value >> (8 * i));
  }
  uuid[6] = (uuid[6] & std::byte{0x0F}) | std::byte{0x40};  // Version 4.
  uuid[8] = (uuid[8] & std::byte{0x3F}) | std::byte{0x80};  // The variant of RFC 4122.
  return uuid;
}

std::string FormatUuid(const UuidBytes& uuid) {
  std::string text = FormatHex(uuid);
  for (const size_t dash : {20U, 16U, 12U, 8U})
    text.insert(dash, 1, '-');
  return text;
}

std::optional<UuidBytes> ParseUuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash != (text[i] == '-')) return std::nullopt;
    if (!is_dash) digits.push_back(text[i]);
  }
  const std::optional<std::string> bytes = ParseHex(digits);
  if (!bytes) return std::nullopt;
  UuidBytes uuid{};
  std::memcpy(uuid.data(), bytes->data(), uuid.size());
  return uuid;
}

}  // namespace firn
