#include "firn/base/number.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "firn/base/text.h"

namespace firn {
namespace {

template <typename Number>
std::optional<Number> ParseInteger(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

// True if the digits of `text`, which is a number out of range, stand for one that is too small.
bool IsTooSmall(std::string_view text) {
  const size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) return text.substr(exponent + 1).starts_with('-');
  const size_t first = text.find_first_not_of("-0");
  return first != std::string_view::npos && text[first] == '.';
}

template <typename Number>
std::optional<Number> ParseFloating(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const std::string_view body = text.substr(is_negative ? 1 : 0);
  const Number sign = is_negative ? Number{-1} : Number{1};
  if (EqualsIgnoreCase(body, "infinity") || EqualsIgnoreCase(body, "inf")) {
    return sign * std::numeric_limits<Number>::infinity();
  }
  if (EqualsIgnoreCase(text, "nan")) return std::numeric_limits<Number>::quiet_NaN();
  // What from_chars takes beyond numbers, such as "nan(x)" and "-nan", starts with other letters.
  if (body.empty() || (body.front() != '.' && (body.front() < '0' || body.front() > '9'))) {
    return std::nullopt;
  }
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (stopped != end) return std::nullopt;
  if (error == std::errc::result_out_of_range && IsTooSmall(text)) {
    return std::copysign(Number{0}, sign);
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

template <typename Number>
std::string FormatShortest(Number value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  return error == std::errc() ? std::string(text, end) : std::string();
}

}  // namespace

std::optional<int64_t> ParseInt64(std::string_view text) { return ParseInteger<int64_t>(text); }
std::optional<int32_t> ParseInt32(std::string_view text) { return ParseInteger<int32_t>(text); }
std::optional<uint64_t> ParseUint64(std::string_view text) { return ParseInteger<uint64_t>(text); }

std::optional<double> ParseDouble(std::string_view text) { return ParseFloating<double>(text); }
std::optional<float> ParseFloat(std::string_view text) { return ParseFloating<float>(text); }

std::string FormatDouble(double value) { return FormatShortest(value); }
std::string FormatFloat(float value) { return FormatShortest(value); }

}  // namespace firn
