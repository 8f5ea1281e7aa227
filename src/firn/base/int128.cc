#include "firn/base/int128.h"

#include <algorithm>

#include "firn/base/check.h"

namespace firn {
namespace {

constexpr UInt128 kSignBit = UInt128{1} << 127;

UInt128 Magnitude(Int128 value) {
  const auto bits = static_cast<UInt128>(value);
  return value < 0 ? ~bits + 1 : bits;
}

}  // namespace

std::string FormatInt128(Int128 value) {
  UInt128 left = Magnitude(value);
  std::string text;
  do {
    text.push_back(static_cast<char>('0' + static_cast<int>(left % 10)));
    left /= 10;
  } while (left != 0);
  if (value < 0) text.push_back('-');
  std::reverse(text.begin(), text.end());
  return text;
}

std::optional<Int128> ParseInt128(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const UInt128 limit = is_negative ? kSignBit : kSignBit - 1;
  UInt128 magnitude = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<UInt128>(c - '0');
    if (magnitude > (limit - digit) / 10) return std::nullopt;
    magnitude = magnitude * 10 + digit;
  }
  return static_cast<Int128>(is_negative ? ~magnitude + 1 : magnitude);
}

std::string ToBigEndian(Int128 value) {
  const auto bits = static_cast<UInt128>(value);
  std::string bytes;
  for (int shift = 120; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(bits >> shift)));
  }
  const char fill = value < 0 ? '\xFF' : '\0';
  size_t first = 0;
  while (first + 1 < bytes.size() && bytes[first] == fill &&
         ((bytes[first + 1] ^ fill) & 0x80) == 0) {
    ++first;
  }
  return bytes.substr(first);
}

std::optional<Int128> FromBigEndian(std::span<const std::byte> bytes) {
  if (bytes.empty()) return std::nullopt;
  const bool is_negative = (bytes.front() & std::byte{0x80}) != std::byte{0};
  const std::byte fill = is_negative ? std::byte{0xFF} : std::byte{0};
  while (bytes.size() > sizeof(Int128)) {
    if (bytes.front() != fill) return std::nullopt;
    bytes = bytes.subspan(1);
  }
  UInt128 bits = is_negative ? ~UInt128{0} : 0;
  for (const std::byte byte : bytes)
    bits = bits << 8 | std::to_integer<unsigned>(byte);
  const auto value = static_cast<Int128>(bits);
  if ((value < 0) != is_negative) return std::nullopt;
  return value;
}

Int128 PowerOfTen(int exponent) {
  FIRN_CHECK(exponent >= 0 && exponent <= 38);
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i)
    power *= 10;
  return power;
}

}  // namespace firn
