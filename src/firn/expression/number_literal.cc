#include <algorithm>

#include "firn/expression/number_literal_internal.h"

namespace firn {
namespace {

constexpr int64_t kExponentMax = 1'000'000'000;
constexpr int64_t kDigitsMax = 38;  // 10^38 fits in 128 bits.

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Take the leading digits of `text`.
std::string_view TakeDigits(std::string_view& text) {
  size_t count = 0;
  while (count < text.size() && IsDigit(text[count]))
    ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

// After 'e'. Nullopt if `text` is not a whole number.
std::optional<int64_t> ParseExponent(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view digits = TakeDigits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  int64_t exponent = 0;
  for (const char digit : digits)
    exponent = std::min(exponent * 10 + (digit - '0'), kExponentMax);
  return is_negative ? -exponent : exponent;
}

// Position of the first digit left of which all is 0: 12 has 2, 0.05 has -1.
int64_t Magnitude(const DecimalNumber& number) {
  return static_cast<int64_t>(number.digits.size()) + number.exponent;
}

std::strong_ordering CompareSizes(const DecimalNumber& a, const DecimalNumber& b) {
  if (Magnitude(a) != Magnitude(b)) return Magnitude(a) <=> Magnitude(b);
  return a.digits <=> b.digits;  // No zeros at the ends: the order of text is that of numbers.
}

std::strong_ordering CompareNumbers(const DecimalNumber& a, const DecimalNumber& b) {
  const int a_sign = a.is_zero() ? 0 : (a.is_negative ? -1 : 1);
  const int b_sign = b.is_zero() ? 0 : (b.is_negative ? -1 : 1);
  if (a_sign != b_sign || a_sign == 0) return a_sign <=> b_sign;
  return a_sign > 0 ? CompareSizes(a, b) : CompareSizes(b, a);
}

}  // namespace

std::optional<DecimalNumber> ParseDecimalNumber(std::string_view text) {
  DecimalNumber number;
  number.is_negative = text.starts_with('-');
  if (number.is_negative || text.starts_with('+')) text.remove_prefix(1);
  number.digits = TakeDigits(text);
  size_t digit_count = number.digits.size();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::string_view fraction = TakeDigits(text);
    number.digits += fraction;
    digit_count += fraction.size();
    number.exponent = -static_cast<int64_t>(fraction.size());
  }
  if (digit_count == 0) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    const auto exponent = ParseExponent(text.substr(1));
    if (!exponent) return std::nullopt;
    number.exponent += *exponent;
  } else if (!text.empty()) {
    return std::nullopt;
  }
  const size_t end = number.digits.find_last_not_of('0') + 1;  // npos + 1 is 0.
  number.exponent += static_cast<int64_t>(number.digits.size() - end);
  number.digits.resize(end);
  number.digits.erase(0, number.digits.find_first_not_of('0'));
  if (number.is_zero()) number.exponent = 0;
  return number;
}

std::strong_ordering CompareNumberTexts(std::string_view a, std::string_view b) {
  return CompareNumbers(ParseDecimalNumber(a).value_or(DecimalNumber{}),
                        ParseDecimalNumber(b).value_or(DecimalNumber{}));
}

ScaledFloor FloorScaled(const DecimalNumber& number, int scale) {
  if (number.is_zero()) return {.is_exact = true};
  const int64_t whole_digits = Magnitude(number) + scale;
  if (whole_digits > kDigitsMax) return {.is_too_large = true};
  const auto digit_count = static_cast<int64_t>(number.digits.size());
  const bool is_exact = whole_digits >= digit_count;
  Int128 value = 0;
  if (whole_digits > 0) {
    const auto kept = static_cast<size_t>(std::min(whole_digits, digit_count));
    for (const char digit : std::string_view(number.digits).substr(0, kept))
      value = value * 10 + (digit - '0');
    if (is_exact) value *= PowerOfTen(static_cast<int>(whole_digits - digit_count));
  }
  if (number.is_negative) value = is_exact ? -value : -value - 1;
  return {.is_exact = is_exact, .value = value};
}

}  // namespace firn
