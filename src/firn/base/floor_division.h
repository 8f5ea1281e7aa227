#pragma once

#include <concepts>

/// Division that rounds towards negative infinity, as time before 1970 and the truncate transform
/// need it; `/` and `%` of C++ round towards zero. The divisor is > 0.

namespace firn {

template <std::signed_integral T>
constexpr T FloorDivide(T value, T divisor) {
  return static_cast<T>(value / divisor - (value % divisor < 0 ? 1 : 0));
}

/// value - divisor * FloorDivide(value, divisor): 0 <= result < divisor.
template <std::signed_integral T>
constexpr T FloorModulo(T value, T divisor) {
  const T rest = static_cast<T>(value % divisor);
  return static_cast<T>(rest < 0 ? rest + divisor : rest);
}

}  // namespace firn
