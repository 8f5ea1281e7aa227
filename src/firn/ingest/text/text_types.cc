#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/ingest/text/text_column_internal.h"
#include "firn/ingest/text/text_numbers_internal.h"
#include "firn/ingest/text/text_types_internal.h"

namespace firn {
namespace {

// Integers beyond this lose digits as a double.
constexpr int64_t kExactDoubleMax = int64_t{1} << 53;
// Integers beyond this lose digits as a float; texts of so many digits lose none.
constexpr int64_t kExactFloatMax = int64_t{1} << 24;
constexpr size_t kFloatDigits = std::numeric_limits<float>::digits10;
constexpr int kIntDigits = std::numeric_limits<int32_t>::digits10;
constexpr int kDecimalDigitsMax = 38;
constexpr size_t kReasonBytesMax = 40;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool HasOnlyDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

// Whether the shortest text of the nearest float is the same number.
bool KeepsDigitsAsFloat(double value) {
  if (!std::isfinite(value)) return true;
  if (std::abs(value) > double{std::numeric_limits<float>::max()}) return false;
  return ParseDouble(fmt::format("{}", static_cast<float>(value))) == value;
}

bool LooksLikeTime(std::string_view text) {
  // "2026-01-31": four digits of the year, or a sign before more.
  return text.size() >= 8 && (IsDigit(text[0]) || text[0] == '-' || text[0] == '+') &&
         text.find('-', 1) != std::string_view::npos;
}

}  // namespace

// A number keeps its meaning only if its digits do: "007" is a name, and an integer beyond 64 bits
// would be rounded as a double.
TextType::Seen TextType::ClassifyNumber(std::string_view text) const {
  std::string_view digits = text;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const size_t point = digits.find('.');
  const std::string_view whole = digits.substr(0, point);
  if (whole.size() > 1 && whole[0] == '0' && IsDigit(whole[1])) return {};
  if (HasOnlyDigits(digits)) {
    const auto value = ParseIntegerText(text);
    if (!value) {
      const bool fits = infers_decimals_ && digits.size() <= kDecimalDigitsMax;
      if (!fits) return {};
      return {.kind = Kind::kDecimal,
              .integer_digits = static_cast<int>(digits.size()),
              .is_exact = false};
    }
    return {.kind = Kind::kLong,
            .integer_digits = static_cast<int>(digits.size()),
            .is_exact = *value <= kExactDoubleMax && *value >= -kExactDoubleMax,
            .fits_int = *value <= std::numeric_limits<int32_t>::max() &&
                        *value >= std::numeric_limits<int32_t>::min(),
            .fits_float = *value <= kExactFloatMax && *value >= -kExactFloatMax};
  }
  const auto number = ParseDoubleText(text);
  if (!number) return {};
  const bool is_plain = point != std::string_view::npos &&
                        HasOnlyDigits(digits.substr(point + 1)) &&
                        (whole.empty() || HasOnlyDigits(whole));
  if (infers_decimals_ && is_plain) {
    return {.kind = Kind::kDecimal,
            .integer_digits = static_cast<int>(std::min<size_t>(whole.size(), 1000)),
            .fraction_digits = static_cast<int>(std::min<size_t>(digits.size() - point - 1, 1000))};
  }
  return {.kind = Kind::kDouble, .fits_float = fits_float_ && KeepsDigitsAsFloat(*number)};
}

TextType::Seen TextType::ClassifyTime(std::string_view text) {
  if (!LooksLikeTime(text)) return {};
  if (ParseDate(text)) return {.kind = Kind::kDate};
  const auto time = ParseTimestamp(text, TimeUnit::kMicros);
  if (!time) return {};
  return {.kind = time->has_zone ? Kind::kTimestamptz : Kind::kTimestamp};
}

TextType::Seen TextType::Classify(std::string_view text) const {
  const std::string_view trimmed = TrimBlanks(text);
  if (trimmed.empty()) return {};
  if (EqualsIgnoreCase(trimmed, "true") || EqualsIgnoreCase(trimmed, "false")) {
    return {.kind = Kind::kBoolean};
  }
  const Seen time = ClassifyTime(trimmed);
  return time.kind == Kind::kString ? ClassifyNumber(trimmed) : time;
}

TextType::Kind TextType::Join(Kind a, Kind b) const {
  if (a == b || b == Kind::kNone) return a;
  if (a == Kind::kNone) return b;
  if (a > b) std::swap(a, b);
  if (a == Kind::kLong && (b == Kind::kDouble || b == Kind::kDecimal)) return b;
  if (a == Kind::kDouble && b == Kind::kDecimal) return Kind::kDouble;
  if (a == Kind::kDate && b == Kind::kTimestamp) return Kind::kTimestamp;
  return Kind::kString;
}

void TextType::Widen(const Seen& seen, std::string_view text, const TextPlace& place) {
  integer_digits_ = std::max(integer_digits_, seen.integer_digits);
  fraction_digits_ = std::max(fraction_digits_, seen.fraction_digits);
  are_exact_ = are_exact_ && seen.is_exact;
  fits_int_ = fits_int_ && seen.fits_int;
  fits_float_ = fits_float_ && seen.fits_float;
  Kind joined = Join(kind_, seen.kind);
  if (joined == Kind::kDecimal && integer_digits_ + fraction_digits_ > kDecimalDigitsMax) {
    joined = Kind::kString;
  }
  if (joined == Kind::kDouble && !are_exact_) joined = Kind::kString;
  if (joined == kind_) return;
  if (kind_ != Kind::kNone || joined == Kind::kString) {
    reason_text_ = std::string(text.substr(0, kReasonBytesMax));
    reason_place_ = place;
  }
  kind_ = joined;
}

// The texts of most columns look alike: those that leave all as it is are told by few looks.
bool TextType::ChangesNothing(std::string_view text) const {
  switch (kind_) {
    case Kind::kString:
      return true;
    case Kind::kLong: {
      // Of no more digits than were seen, of which no one is lost in a double, nor in what else
      // holds all so far.
      int digits_max = std::min(integer_digits_, 15);
      if (fits_int_) digits_max = std::min(digits_max, kIntDigits);
      if (fits_float_) digits_max = std::min(digits_max, static_cast<int>(kFloatDigits));
      const bool fits =
          text.size() <= static_cast<size_t>(digits_max) && (text[0] != '0' || text.size() == 1);
      return fits && ReadDigits(text);
    }
    case Kind::kDouble:
    case Kind::kDecimal: {
      const size_t point = text.find('.');
      if (point == std::string_view::npos || point == 0) return false;
      if (fits_float_ && text.size() > kFloatDigits + 1) return false;
      const size_t fraction = text.size() - point - 1;
      const bool has_seen =
          kind_ == Kind::kDouble || (point <= static_cast<size_t>(integer_digits_) &&
                                     fraction <= static_cast<size_t>(fraction_digits_));
      const bool is_plain = fraction <= 8 && (text[0] != '0' || point == 1);
      return has_seen && is_plain && ReadDigits(text.substr(0, point)) &&
             ReadEightDigits(text.data() + point + 1, fraction);
    }
    case Kind::kDate:
      return text.size() == 10 && ParseDate(text);
    case Kind::kNone:
    case Kind::kBoolean:
    case Kind::kTimestamp:
    case Kind::kTimestamptz:
      break;
  }
  return false;
}

void TextType::Add(std::string_view text, const TextPlace& place) {
  if (!text.empty() && ChangesNothing(text)) return;
  Widen(Classify(text), text, place);
}

void TextType::AddMarkedText(std::string_view text, const TextPlace& place) {
  if (kind_ == Kind::kString) return;
  Widen(ClassifyTime(text), text, place);
}

void TextType::Merge(const TextType& other) {
  const Seen seen{.kind = other.kind_,
                  .integer_digits = other.integer_digits_,
                  .fraction_digits = other.fraction_digits_,
                  .is_exact = other.are_exact_,
                  .fits_int = other.fits_int_,
                  .fits_float = other.fits_float_};
  if (other.kind_ == Kind::kNone) return;
  Widen(seen, other.reason_text_, other.reason_place_);
  if (reason_text_.empty() && kind_ == other.kind_) {
    reason_text_ = other.reason_text_;
    reason_place_ = other.reason_place_;
  }
}

TypePtr TextType::narrow_type() const {
  if (kind_ == Kind::kLong && fits_int_) return Type::Primitive(TypeId::kInt);
  if (kind_ == Kind::kDouble && fits_float_) return Type::Primitive(TypeId::kFloat);
  return type();
}

TypePtr TextType::type() const {
  switch (kind_) {
    case Kind::kBoolean:
      return Type::Primitive(TypeId::kBoolean);
    case Kind::kLong:
      return Type::Primitive(TypeId::kLong);
    case Kind::kDouble:
      return Type::Primitive(TypeId::kDouble);
    case Kind::kDecimal:
      return Type::Decimal(std::max(integer_digits_ + fraction_digits_, 1), fraction_digits_);
    case Kind::kDate:
      return Type::Primitive(TypeId::kDate);
    case Kind::kTimestamp:
      return Type::Primitive(TypeId::kTimestamp);
    case Kind::kTimestamptz:
      return Type::Primitive(TypeId::kTimestamptz);
    case Kind::kNone:
    case Kind::kString:
      break;
  }
  return Type::Primitive(TypeId::kString);
}

}  // namespace firn
