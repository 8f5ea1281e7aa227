#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "firn/base/int128.h"

/// Decimal numbers of any size, exactly as they were written. For this module only.

namespace firn {

/// The number is digits * 10^exponent, with the sign.
struct DecimalNumber {
  bool is_negative = false;
  std::string digits;    ///< Without zeros at both ends; empty: the number is 0.
  int64_t exponent = 0;  ///< 0 if the number is 0.

  bool is_zero() const { return digits.empty(); }
};

/// "12", "-1.50", "1e-3", ".5"; nullopt if it is no number. Exponents beyond a billion are cut
/// there, which changes no comparison with a value of any type.
std::optional<DecimalNumber> ParseDecimalNumber(std::string_view text);

/// Both texts are numbers of the filter language.
std::strong_ordering CompareNumberTexts(std::string_view a, std::string_view b);

/// The greatest whole number not above number * 10^scale.
struct ScaledFloor {
  bool is_too_large = false;  ///< Beyond 10^38 in size; the sign of the number tells which way.
  bool is_exact = false;
  Int128 value = 0;
};
ScaledFloor FloorScaled(const DecimalNumber& number, int scale);

}  // namespace firn
