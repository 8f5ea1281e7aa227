#include <optional>

#include <fmt/format.h>

#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/format/types/decimal_text.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value.h"
#include "firn/format/types/value_text_internal.h"

// Literals: values as people write them.

namespace firn {
namespace {

Error MakeLiteralError(std::string_view text, const Type& type, std::string_view expected) {
  return MakeError(ErrorCode::kInvalidInput, "'{}' is not a value of type {}, expected {}",
                   text.substr(0, 80), FormatType(type), expected);
}

Result<Value> ParseBoolean(std::string_view text, const Type& type) {
  if (EqualsIgnoreCase(text, "true")) return Value(true);
  if (EqualsIgnoreCase(text, "false")) return Value(false);
  return MakeLiteralError(text, type, "true or false");
}

Result<Value> ParseBinary(std::string_view text, const Type& type) {
  std::optional<std::string> bytes = ParseHex(text);
  if (!bytes) return MakeLiteralError(text, type, "two hexadecimal digits a byte");
  if (type.id() == TypeId::kFixed && bytes->size() != static_cast<size_t>(type.length())) {
    return MakeLiteralError(text, type, fmt::format("{} hexadecimal digits", 2 * type.length()));
  }
  return Value(BinaryValue{*std::move(bytes)});
}

Result<Value> ParseTimestampValue(std::string_view text, const Type& type) {
  const bool has_zone = type.id() == TypeId::kTimestamptz || type.id() == TypeId::kTimestamptzNs;
  const auto parsed = ParseTimestamp(text, UnitOf(type));
  if (!parsed) {
    return MakeLiteralError(text, type,
                            has_zone ? "a time such as '2026-01-31T10:00:00.5+00:00' in range"
                                     : "a time such as '2026-01-31T10:00:00.5' in range");
  }
  if (parsed->has_zone && !has_zone) {
    return MakeLiteralError(text, type, "no zone, since the type has none");
  }
  return Value(parsed->value);
}

template <typename T>
Result<Value> ToResult(const std::optional<T>& value, std::string_view text, const Type& type,
                       std::string_view expected) {
  if (value) return Value(*value);
  return MakeLiteralError(text, type, expected);
}

}  // namespace

Result<Value> ParseValue(std::string_view text, const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return ParseBoolean(text, type);
    case TypeId::kInt:
      return ToResult(ParseInt32(text), text, type,
                      "a whole number from -2147483648 to 2147483647");
    case TypeId::kLong:
      return ToResult(ParseInt64(text), text, type,
                      "a whole number from -9223372036854775808 to 9223372036854775807");
    case TypeId::kFloat:
      return ToResult(ParseFloat(text), text, type, "a number in the range of a 32-bit float");
    case TypeId::kDouble:
      return ToResult(ParseDouble(text), text, type, "a number in the range of a 64-bit float");
    case TypeId::kDecimal: {
      FIRN_ASSIGN(const Int128 unscaled, ParseDecimal(text, type.precision(), type.scale()));
      return Value(unscaled);
    }
    case TypeId::kDate:
      return ToResult(ParseDate(text), text, type, "a date such as '2026-01-31'");
    case TypeId::kTime:
      return ToResult(ParseTime(text, TimeUnit::kMicros), text, type,
                      "a time such as '10:00:00.123456'");
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return ParseTimestampValue(text, type);
    case TypeId::kString:
      return Value(std::string(text));
    case TypeId::kUuid:
      return ToResult(ParseUuid(text), text, type,
                      "a UUID such as 'f79c3e09-677c-4bbd-a479-3f349cb785e7'");
    case TypeId::kFixed:
    case TypeId::kBinary:
      return ParseBinary(text, type);
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return MakeLiteralError(text, type, "a type that has literals");
  }
  return MakeLiteralError(text, type, "a type that has literals");
}

}  // namespace firn
