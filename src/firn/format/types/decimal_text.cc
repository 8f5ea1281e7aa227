#include "firn/format/types/decimal_text.h"

#include <optional>

#include <fmt/format.h>

#include "firn/base/number.h"

namespace firn {
namespace {

std::string FormatScientific(std::string_view digits, int64_t exponent) {
  std::string text(digits.substr(0, 1));
  if (digits.size() > 1) text += fmt::format(".{}", digits.substr(1));
  if (exponent != 0) text += fmt::format("E{:+}", exponent);
  return text;
}

std::string FormatPlain(std::string_view digits, size_t scale) {
  if (scale == 0) return std::string(digits);
  std::string padded(digits);
  if (padded.size() <= scale) padded.insert(0, scale + 1 - padded.size(), '0');
  padded.insert(padded.size() - scale, 1, '.');
  return padded;
}

// A number as digits * 10^exponent, without zeros at either end of the digits; 0 has no digits.
struct Digits {
  bool is_negative = false;
  std::string digits;
  int64_t exponent = 0;
};

// Take digits off the front of `text` and append them to `digits`.
size_t TakeDigits(std::string_view& text, std::string& digits) {
  const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  digits += text.substr(0, count);
  text.remove_prefix(count);
  return count;
}

std::optional<Digits> ParseDigits(std::string_view text) {
  Digits number;
  number.is_negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  TakeDigits(text, number.digits);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    number.exponent = -static_cast<int64_t>(TakeDigits(text, number.digits));
  }
  if (number.digits.empty()) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
    const std::optional<int32_t> exponent = ParseInt32(text);
    if (!exponent) return std::nullopt;
    number.exponent += *exponent;
    text = {};
  }
  if (!text.empty()) return std::nullopt;
  number.digits.erase(0, number.digits.find_first_not_of('0'));
  const size_t kept = number.digits.find_last_not_of('0') + 1;  // 0 if there is none.
  number.exponent += static_cast<int64_t>(number.digits.size() - kept);
  number.digits.resize(kept);
  return number;
}

}  // namespace

std::string FormatDecimal(Int128 unscaled, int32_t scale) {
  if (scale < 0) return FormatDecimalAsJava(unscaled, scale);
  const std::string text = FormatInt128(unscaled);
  const bool is_negative = unscaled < 0;
  const std::string_view digits = std::string_view(text).substr(is_negative ? 1 : 0);
  return (is_negative ? "-" : "") + FormatPlain(digits, static_cast<size_t>(scale));
}

std::string FormatDecimalAsJava(Int128 unscaled, int32_t scale) {
  const std::string text = FormatInt128(unscaled);
  const bool is_negative = unscaled < 0;
  const std::string_view digits = std::string_view(text).substr(is_negative ? 1 : 0);
  const int64_t exponent = static_cast<int64_t>(digits.size()) - 1 - scale;
  if (scale >= 0 && exponent >= -6) return FormatDecimal(unscaled, scale);
  return (is_negative ? "-" : "") + FormatScientific(digits, exponent);
}

Result<Int128> ParseDecimal(std::string_view text, int32_t precision, int32_t scale) {
  const std::optional<Digits> number = ParseDigits(text);
  if (!number) {
    return MakeError(ErrorCode::kInvalidInput, "'{}' is not a number, expected one such as '14.20'",
                     text.substr(0, 80));
  }
  if (number->digits.empty()) return Int128{0};
  const int64_t zeros = number->exponent + scale;
  if (zeros < 0) {
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' has more than {} digits behind the point, which decimal({},{}) cannot "
                     "hold",
                     text.substr(0, 80), scale, precision, scale);
  }
  if (static_cast<int64_t>(number->digits.size()) + zeros > precision) {
    return MakeError(ErrorCode::kInvalidInput, "'{}' is too large for decimal({},{})",
                     text.substr(0, 80), precision, scale);
  }
  const Int128 unscaled =
      *ParseInt128(number->digits) * PowerOfTen(static_cast<int>(zeros));  // <= 38 digits.
  return number->is_negative ? -unscaled : unscaled;
}

}  // namespace firn
