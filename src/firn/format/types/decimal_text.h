#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "firn/base/int128.h"
#include "firn/base/result.h"

/// Decimals as text. A decimal is its unscaled value: 1420 with scale 2 is 14.20.

namespace firn {

/// All digits and `scale` of them after the point: "14.20", "-0.05"; a negative scale gives
/// scientific notation: "2E+20".
std::string FormatDecimal(Int128 unscaled, int32_t scale);

/// As Java's BigDecimal prints itself: plain, but scientific when the number is below 10^-6 or the
/// scale is negative: "14.20", "1E-7", "0E-10".
std::string FormatDecimalAsJava(Int128 unscaled, int32_t scale);

/// The unscaled value at `scale` of plain or scientific notation. Digits behind the scale must be
/// 0. Errors: kInvalidInput: no number, too many digits behind the point, or more than `precision`
/// digits in all.
Result<Int128> ParseDecimal(std::string_view text, int32_t precision, int32_t scale);

}  // namespace firn
