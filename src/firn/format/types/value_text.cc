#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/format/types/decimal_text.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value.h"
#include "firn/format/types/value_render.h"
#include "firn/format/types/value_text_internal.h"

// Values as people read them in partition paths.

namespace firn {
namespace {

// The significant digits of a positive number d.ddd * 10^exponent, as Java chooses them: the fewest
// that read back as `value`, but not fewer than two.
struct Digits {
  std::string digits;
  int exponent = 0;
};

template <typename T>
Digits ShortestDigits(T value) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
  if (text[1] != '.') {  // Of the texts with two digits the nearest one.
    end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific, 1).ptr;
  }
  const std::string_view all(text, static_cast<size_t>(end - text));
  const size_t e = all.find('e');
  Digits result;
  result.digits = all.substr(0, 1);
  result.digits += all.substr(2, e - 2);
  std::string_view exponent = all.substr(e + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  result.exponent = ParseInt32(exponent).value_or(0);
  return result;
}

template <typename T>
std::string FormatJava(T value) {
  if (std::isnan(value)) return "NaN";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "Infinity";
  if (value == 0) return sign + "0.0";
  const auto [digits, exponent] = ShortestDigits(std::abs(value));
  std::string text = digits;
  if (exponent < -3 || exponent > 6) {
    return fmt::format("{}{}.{}E{}", sign, text.substr(0, 1), text.substr(1), exponent);
  }
  if (exponent < 0) {
    text = std::string(static_cast<size_t>(-exponent), '0') + text;
  } else if (text.size() < static_cast<size_t>(exponent) + 2) {
    text.resize(static_cast<size_t>(exponent) + 2, '0');
  }
  text.insert(exponent < 0 ? 1 : static_cast<size_t>(exponent) + 1, 1, '.');
  // Two digits were asked for, but one of them may be a zero behind the others.
  while (text.ends_with('0') && !text.ends_with(".0"))
    text.pop_back();
  return sign + text;
}

// As Java's LocalTime prints itself: no seconds if they are 0, else none, three or six digits.
std::string FormatTimeAsJava(int64_t micros) {
  std::string text = FormatTime(micros, TimeUnit::kMicros);
  if (text.ends_with(":00.000000")) return text.substr(0, text.size() - 10);
  if (text.ends_with(".000000")) return text.substr(0, text.size() - 7);
  if (text.ends_with("000")) return text.substr(0, text.size() - 3);
  return text;
}

// Dates of partition paths have no '+' before the year 10000.
std::string FormatDateAsJava(int32_t days) {
  const CivilDate date = CivilFromDays(days);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

struct FormatByForm {
  const Type& type;

  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int32_t value) const { return fmt::format("{}", value); }
  std::string operator()(int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(float value) const { return FormatFloatAsJava(value); }
  std::string operator()(double value) const { return FormatFloatAsJava(value); }
  std::string operator()(Int128 value) const { return FormatDecimalAsJava(value, type.scale()); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const UuidBytes& value) const { return FormatUuid(value); }
  std::string operator()(const BinaryValue& value) const {
    return FormatBase64(AsBytes(value.bytes));
  }
  template <typename T>
  std::string operator()(const std::shared_ptr<const T>& value) const {
    std::string text;
    AppendRowJson(text, Value(value), type);
    return text;
  }
};

}  // namespace

TimeUnit UnitOf(const Type& type) {
  return type.id() == TypeId::kTimestampNs || type.id() == TypeId::kTimestamptzNs
             ? TimeUnit::kNanos
             : TimeUnit::kMicros;
}

std::string FormatTimestampTrimmed(int64_t value, const Type& type) {
  std::string text = FormatTimestamp(value, UnitOf(type));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  const bool has_zone = type.id() == TypeId::kTimestamptz || type.id() == TypeId::kTimestamptzNs;
  return has_zone ? text + "+00:00" : text;
}

std::string FormatFloatAsJava(float value) { return FormatJava(value); }
std::string FormatFloatAsJava(double value) { return FormatJava(value); }

std::string FormatValue(const Value& value, const Type& type) {
  if (HasFormOf(value, type)) {
    if (type.id() == TypeId::kDate) return FormatDateAsJava(value.get<int32_t>());
    if (type.id() == TypeId::kTime) return FormatTimeAsJava(value.get<int64_t>());
    if (type.is_timestamp()) return FormatTimestampTrimmed(value.get<int64_t>(), type);
  }
  return std::visit(FormatByForm{type}, value.storage());
}

}  // namespace firn
