#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "firn/base/bytes.h"
#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/expression/literal_placement_internal.h"
#include "firn/expression/number_literal_internal.h"

namespace firn {
namespace {

using Kind = Literal::Kind;

constexpr int64_t kSecondsPerDay = 86'400;

Error Mismatch(const Literal& literal, const Type& type, std::string_view term,
               std::string_view expected) {
  return MakeError(ErrorCode::kInvalidInput,
                   "filter: '{}' has type {} and is compared with '{}', expected {}", term,
                   FormatType(type), literal.text, expected);
}

PlacedLiteral Exactly(Value value) { return {Place::kExact, std::move(value)}; }

PlacedLiteral Beyond(bool is_negative) {
  return {is_negative ? Place::kBelowAll : Place::kAboveAll, Value()};
}

// A whole number (of steps, units or unscaled) as a value of T, by its place in T's range.
template <typename T>
PlacedLiteral PlaceWhole(Int128 value, bool is_exact) {
  if (value < Int128{std::numeric_limits<T>::min()}) return Beyond(true);
  if (value > Int128{std::numeric_limits<T>::max()}) return Beyond(false);
  return {is_exact ? Place::kExact : Place::kBetween, Value(static_cast<T>(value))};
}

template <typename T>
PlacedLiteral PlaceInteger(const DecimalNumber& number) {
  const ScaledFloor floor = FloorScaled(number, 0);
  if (floor.is_too_large) return Beyond(number.is_negative);
  return PlaceWhole<T>(floor.value, floor.is_exact);
}

PlacedLiteral PlaceDecimal(const DecimalNumber& number, const Type& type) {
  const ScaledFloor floor = FloorScaled(number, type.scale());
  if (floor.is_too_large) return Beyond(number.is_negative);
  const Int128 limit = PowerOfTen(type.precision());
  if (floor.value <= -limit) return Beyond(true);
  if (floor.value >= limit) return Beyond(false);
  return {floor.is_exact ? Place::kExact : Place::kBetween, Value(floor.value)};
}

// The nearest float. Beyond the finite range the literal lies between the greatest finite number
// and infinity, and below the smallest number beside zero.
template <typename T>
PlacedLiteral PlaceFloat(const DecimalNumber& number, std::optional<T> nearest) {
  using Limits = std::numeric_limits<T>;
  if (!nearest || std::isinf(*nearest)) {
    return {Place::kBetween, Value(number.is_negative ? -Limits::infinity() : Limits::max())};
  }
  if (*nearest == 0 && !number.is_zero()) {
    return {Place::kBetween, Value(number.is_negative ? -Limits::denorm_min() : T{0})};
  }
  return Exactly(Value(*nearest));
}

template <typename T>
PlacedLiteral PlaceSpecialFloat(T value) {
  return std::isnan(value) ? PlacedLiteral{Place::kNan, Value()} : Exactly(Value(value));
}

// Number, or text that holds one.
Result<PlacedLiteral> PlaceNumber(const Literal& literal, const Type& type, std::string_view term) {
  if (literal.kind != Kind::kNumber && literal.kind != Kind::kText) {
    return Mismatch(literal, type, term, "a number");
  }
  const std::string_view text = TrimText(literal.text);
  const auto number = ParseDecimalNumber(text);
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  if (type.id() == TypeId::kFloat) {
    const auto nearest = ParseFloat(digits);
    if (number) return PlaceFloat<float>(*number, nearest);
    if (nearest) return PlaceSpecialFloat(*nearest);
  } else if (type.id() == TypeId::kDouble) {
    const auto nearest = ParseDouble(digits);
    if (number) return PlaceFloat<double>(*number, nearest);
    if (nearest) return PlaceSpecialFloat(*nearest);
  }
  if (!number) return Mismatch(literal, type, term, "a number");
  if (type.id() == TypeId::kInt) return PlaceInteger<int32_t>(*number);
  if (type.id() == TypeId::kLong) return PlaceInteger<int64_t>(*number);
  return PlaceDecimal(*number, type);
}

// `text` with at most `digits` digits of fraction of a second; whether what was cut was not 0.
struct CutText {
  std::string text;
  bool has_more = false;
};

CutText CutFraction(std::string_view text, size_t digits) {
  const size_t point = text.find('.');
  if (point == std::string_view::npos) return {std::string(text), false};
  size_t end = point + 1;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9')
    ++end;
  if (end - point - 1 <= digits) return {std::string(text), false};
  const std::string_view cut = text.substr(point + 1 + digits, end - point - 1 - digits);
  return {std::string(text.substr(0, point + 1 + digits)) + std::string(text.substr(end)),
          cut.find_first_not_of('0') != std::string_view::npos};
}

size_t FractionDigits(TimeUnit unit) { return unit == TimeUnit::kMicros ? 6 : 9; }

struct PlacedInstant {
  PlacedLiteral literal;
  bool has_zone = false;
};

// A timestamp as steps of `unit`. Nullopt: the text is none.
std::optional<PlacedInstant> PlaceInstant(std::string_view text, TimeUnit unit) {
  const CutText cut = CutFraction(text, FractionDigits(unit));
  if (const auto parsed = ParseTimestamp(cut.text, unit)) {
    return PlacedInstant{PlaceWhole<int64_t>(parsed->value, !cut.has_more), parsed->has_zone};
  }
  if (unit == TimeUnit::kMicros) return std::nullopt;
  // Nanoseconds reach from 1677 to 2262 only.
  const auto wide = ParseTimestamp(CutFraction(text, 6).text, TimeUnit::kMicros);
  if (!wide) return std::nullopt;
  return PlacedInstant{Beyond(wide->value < 0), wide->has_zone};
}

TimeUnit UnitOf(const Type& type) {
  const bool is_nanos = type.id() == TypeId::kTimestampNs || type.id() == TypeId::kTimestamptzNs;
  return is_nanos ? TimeUnit::kNanos : TimeUnit::kMicros;
}

Result<PlacedLiteral> PlaceTimestamp(const Literal& literal, const Type& type,
                                     std::string_view term) {
  const bool is_text = literal.kind == Kind::kText || literal.kind == Kind::kTimestamp ||
                       literal.kind == Kind::kDate;
  const auto placed = is_text && (literal.kind != Kind::kDate || ParseDate(literal.text))
                          ? PlaceInstant(TrimText(literal.text), UnitOf(type))
                          : std::nullopt;
  if (!placed) {
    return Mismatch(literal, type, term,
                    "a timestamp such as TIMESTAMP '2026-01-31 10:00:00' or a date");
  }
  const bool is_zoned = type.id() == TypeId::kTimestamptz || type.id() == TypeId::kTimestamptzNs;
  if (placed->has_zone && !is_zoned) {
    return Mismatch(literal, type, term, "a timestamp without zone, since the column has none");
  }
  return placed->literal;
}

Result<PlacedLiteral> PlaceDate(const Literal& literal, const Type& type, std::string_view term) {
  const std::string_view text = TrimText(literal.text);
  if (literal.kind == Kind::kDate || literal.kind == Kind::kText) {
    if (const auto days = ParseDate(text)) return Exactly(Value(*days));
  }
  if (literal.kind == Kind::kTimestamp) {
    const auto placed = PlaceInstant(text, TimeUnit::kMicros);
    if (placed && !placed->has_zone) {
      const int64_t micros = placed->literal.value.get<int64_t>();
      const int64_t step = kSecondsPerDay * StepsPerSecond(TimeUnit::kMicros);
      const int64_t days = micros / step - (micros % step < 0 ? 1 : 0);
      return PlaceWhole<int32_t>(days,
                                 placed->literal.place == Place::kExact && days * step == micros);
    }
  }
  return Mismatch(literal, type, term, "a date such as DATE '2026-01-31'");
}

Result<PlacedLiteral> PlaceTime(const Literal& literal, const Type& type, std::string_view term) {
  if (literal.kind == Kind::kTime || literal.kind == Kind::kText) {
    const CutText cut = CutFraction(TrimText(literal.text), FractionDigits(TimeUnit::kMicros));
    if (const auto micros = ParseTime(cut.text, TimeUnit::kMicros)) {
      return PlaceWhole<int64_t>(*micros, !cut.has_more);
    }
  }
  return Mismatch(literal, type, term, "a time such as TIME '10:00:00'");
}

Result<PlacedLiteral> PlaceUuid(const Literal& literal, const Type& type, std::string_view term) {
  if (literal.kind == Kind::kUuid || literal.kind == Kind::kText) {
    auto value = ParseValue(LowerAscii(TrimText(literal.text)), type);
    if (value.ok()) return Exactly(std::move(*value));
  }
  return Mismatch(literal, type, term, "a UUID such as 'f79c3e09-677c-4bbd-a479-3f349cb785e7'");
}

int HexDigit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

Result<PlacedLiteral> PlaceBinary(const Literal& literal, const Type& type, std::string_view term) {
  if (literal.kind != Kind::kBinary || literal.text.size() % 2 != 0 ||
      literal.text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return Mismatch(literal, type, term, "bytes such as X'0aff'");
  }
  BinaryValue value;
  for (size_t i = 0; i < literal.text.size(); i += 2) {
    value.bytes +=
        static_cast<char>(HexDigit(literal.text[i]) * 16 + HexDigit(literal.text[i + 1]));
  }
  return Exactly(Value(std::move(value)));
}

Result<PlacedLiteral> PlaceString(const Literal& literal, const Type& type, std::string_view term) {
  if (literal.kind != Kind::kText) return Mismatch(literal, type, term, "text in single quotes");
  return Exactly(Value(literal.text));
}

Result<PlacedLiteral> PlaceBoolean(const Literal& literal, const Type& type,
                                   std::string_view term) {
  if (literal.kind == Kind::kBoolean || literal.kind == Kind::kText) {
    if (EqualsIgnoreCase(literal.text, "true")) return Exactly(Value(true));
    if (EqualsIgnoreCase(literal.text, "false")) return Exactly(Value(false));
  }
  return Mismatch(literal, type, term, "TRUE or FALSE");
}

}  // namespace

Result<PlacedLiteral> PlaceLiteral(const Literal& literal, const Type& type,
                                   std::string_view term) {
  if (literal.kind == Kind::kNull) return PlacedLiteral{};
  switch (type.id()) {
    case TypeId::kBoolean:
      return PlaceBoolean(literal, type, term);
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
      return PlaceNumber(literal, type, term);
    case TypeId::kDate:
      return PlaceDate(literal, type, term);
    case TypeId::kTime:
      return PlaceTime(literal, type, term);
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return PlaceTimestamp(literal, type, term);
    case TypeId::kString:
      return PlaceString(literal, type, term);
    case TypeId::kUuid:
      return PlaceUuid(literal, type, term);
    case TypeId::kFixed:
    case TypeId::kBinary:
      return PlaceBinary(literal, type, term);
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return Mismatch(literal, type, term, "IS NULL or IS NOT NULL: such values have no order");
}

}  // namespace firn
