#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

/// Numbers of few digits, read eight at a time. What is not in the plain form is left to others.

namespace firn {

/// Up to eight characters as they stand in memory, the first one lowest. Reads no others.
inline uint64_t LoadCharacters(const char* text, size_t count) {
  uint64_t low = 0;
  if (count >= 8) {
    std::memcpy(&low, text, 8);
    return low;
  }
  if (count >= 4) {  // Both halves; where they overlap they are equal.
    uint32_t head = 0;
    uint32_t tail = 0;
    std::memcpy(&head, text, 4);
    std::memcpy(&tail, text + count - 4, 4);
    return head | static_cast<uint64_t>(tail) << (8 * (count - 4));
  }
  for (size_t i = 0; i < count; ++i)
    low |= static_cast<uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  return low;
}

/// The number of one to eight digits; nullopt if there is anything else.
inline std::optional<uint64_t> ReadEightDigits(const char* text, size_t count) {
  constexpr uint64_t kZeros = 0x3030303030303030ULL;
  constexpr uint64_t kHighs = 0xF0F0F0F0F0F0F0F0ULL;
  if (count == 0) return std::nullopt;
  uint64_t digits = LoadCharacters(text, count);
  // Zeros in front, so that there are eight.
  if (count < 8) digits = digits << (8 * (8 - count)) | kZeros >> (8 * count);
  const bool are_digits =
      (digits & kHighs) == kZeros && ((digits + 0x0606060606060606ULL) & kHighs) == kZeros;
  if (!are_digits) return std::nullopt;
  digits -= kZeros;
  digits = digits * 10 + (digits >> 8);  // Pairs, in every other byte.
  constexpr uint64_t kPairs = 0x000000FF000000FFULL;
  const uint64_t high = (digits & kPairs) * (100 + (uint64_t{1000000} << 32));
  const uint64_t low = ((digits >> 16) & kPairs) * (1 + (uint64_t{10000} << 32));
  return (high + low) >> 32;
}

/// The number of one to sixteen digits; nullopt if there is anything else.
inline std::optional<uint64_t> ReadDigits(std::string_view text) {
  if (text.size() <= 8) return ReadEightDigits(text.data(), text.size());
  if (text.size() > 16) return std::nullopt;
  const auto high = ReadEightDigits(text.data(), text.size() - 8);
  const auto low = ReadEightDigits(text.data() + text.size() - 8, 8);
  if (!high || !low) return std::nullopt;
  return *high * 100000000 + *low;
}

/// An integer of up to sixteen digits, with or without '-'; nullopt if there is anything else.
inline std::optional<int64_t> ReadPlainInteger(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const auto digits = ReadDigits(text);
  if (!digits) return std::nullopt;
  const auto value = static_cast<int64_t>(*digits);
  return is_negative ? -value : value;
}

/// The unscaled value of a number of up to sixteen digits that has exactly `scale` (1 to 8) of them
/// behind a point; nullopt if there is anything else.
inline std::optional<int64_t> ReadPlainDecimal(std::string_view text, size_t scale,
                                               int64_t power_of_scale) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.size() < scale + 2 || text.size() > 17) return std::nullopt;
  const size_t point = text.size() - scale - 1;
  if (text[point] != '.') return std::nullopt;
  const auto whole = ReadDigits(text.substr(0, point));
  const auto fraction = ReadEightDigits(text.data() + point + 1, scale);
  if (!whole || !fraction) return std::nullopt;
  const int64_t value =
      static_cast<int64_t>(*whole) * power_of_scale + static_cast<int64_t>(*fraction);
  return is_negative ? -value : value;
}

}  // namespace firn
