#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// 128-bit integers: the unscaled values of decimals.

namespace firn {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// Decimal digits, with '-' if negative.
std::string FormatInt128(Int128 value);

/// Whole text, optional sign; nullopt if it is not a number or does not fit.
std::optional<Int128> ParseInt128(std::string_view text);

/// Shortest two's complement, most significant byte first (the Iceberg form of decimals): 128 is
/// 00 80, -128 is 80, 0 is 00.
std::string ToBigEndian(Int128 value);

/// Read two's complement of 1 to 16 bytes (longer is legal while the extra bytes only extend the
/// sign), most significant byte first; nullopt if empty or too wide.
std::optional<Int128> FromBigEndian(std::span<const std::byte> bytes);

/// 10 to the power of `exponent`, 0 <= exponent <= 38.
Int128 PowerOfTen(int exponent);

}  // namespace firn
