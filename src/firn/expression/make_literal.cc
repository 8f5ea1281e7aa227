#include <cmath>

#include <fmt/format.h>

#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/expression/expression.h"

namespace firn {
namespace {

using Kind = Literal::Kind;

// Digits with the decimal point at its place: Int128 1420 with scale 2 is "14.20".
std::string FormatDecimalDigits(Int128 unscaled, int32_t scale) {
  std::string digits = FormatInt128(unscaled < 0 ? -unscaled : unscaled);
  const auto fraction = static_cast<size_t>(scale > 0 ? scale : 0);
  if (digits.size() <= fraction) digits.insert(0, fraction + 1 - digits.size(), '0');
  if (fraction > 0) digits.insert(digits.size() - fraction, ".");
  if (scale < 0) digits += fmt::format("e{}", -scale);
  return (unscaled < 0 ? "-" : "") + digits;
}

std::string FormatZonedTimestamp(int64_t value, TimeUnit unit) {
  return FormatTimestamp(value, unit) + "+00:00";
}

Literal MakeFloatLiteral(double value, std::string digits) {
  if (std::isfinite(value)) return {.kind = Kind::kNumber, .text = std::move(digits)};
  if (std::isnan(value)) return {.kind = Kind::kText, .text = "NaN"};
  return {.kind = Kind::kText, .text = value < 0 ? "-Infinity" : "Infinity"};
}

Literal MakeText(const Value& value, const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return {.kind = Kind::kBoolean, .text = value.get<bool>() ? "true" : "false"};
    case TypeId::kInt:
      return {.kind = Kind::kNumber, .text = std::to_string(value.get<int32_t>())};
    case TypeId::kLong:
      return {.kind = Kind::kNumber, .text = std::to_string(value.get<int64_t>())};
    case TypeId::kFloat:
      return MakeFloatLiteral(double{value.get<float>()}, FormatFloat(value.get<float>()));
    case TypeId::kDouble:
      return MakeFloatLiteral(value.get<double>(), FormatDouble(value.get<double>()));
    case TypeId::kDecimal:
      return {.kind = Kind::kNumber,
              .text = FormatDecimalDigits(value.get<Int128>(), type.scale())};
    case TypeId::kDate:
      return {.kind = Kind::kDate, .text = FormatDate(value.get<int32_t>())};
    case TypeId::kTime:
      return {.kind = Kind::kTime, .text = FormatTime(value.get<int64_t>(), TimeUnit::kMicros)};
    case TypeId::kTimestamp:
      return {.kind = Kind::kTimestamp,
              .text = FormatTimestamp(value.get<int64_t>(), TimeUnit::kMicros)};
    case TypeId::kTimestampNs:
      return {.kind = Kind::kTimestamp,
              .text = FormatTimestamp(value.get<int64_t>(), TimeUnit::kNanos)};
    case TypeId::kTimestamptz:
      return {.kind = Kind::kTimestamp,
              .text = FormatZonedTimestamp(value.get<int64_t>(), TimeUnit::kMicros)};
    case TypeId::kTimestamptzNs:
      return {.kind = Kind::kTimestamp,
              .text = FormatZonedTimestamp(value.get<int64_t>(), TimeUnit::kNanos)};
    case TypeId::kString:
      return {.kind = Kind::kText, .text = value.get<std::string>()};
    case TypeId::kUuid:
      return {.kind = Kind::kUuid, .text = FormatUuid(value.get<UuidBytes>())};
    case TypeId::kFixed:
    case TypeId::kBinary:
      return {.kind = Kind::kBinary, .text = FormatHex(AsBytes(value.get<BinaryValue>().bytes))};
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return {};
}

}  // namespace

Literal MakeLiteral(const Value& value, const Type& type) {
  if (value.is_null()) return {};
  Literal literal = MakeText(value, type);
  literal.value = value;
  return literal;
}

}  // namespace firn
