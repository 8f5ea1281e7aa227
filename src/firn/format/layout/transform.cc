#include "firn/format/layout/transform.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "firn/base/check.h"
#include "firn/base/civil_time.h"
#include "firn/base/floor_division.h"
#include "firn/base/hash.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/base/utf8.h"

namespace firn {
namespace {

constexpr int64_t kHoursPerDay = 24;
constexpr int64_t kMicrosPerHour = 3'600'000'000;

bool IsNanos(TypeId id) { return id == TypeId::kTimestampNs || id == TypeId::kTimestamptzNs; }

bool CanBucket(TypeId id) {
  switch (id) {
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kDecimal:
    case TypeId::kDate:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary:
      return true;
    case TypeId::kUnknown:
    case TypeId::kBoolean:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return false;
  }
  return false;
}

bool CanTruncate(TypeId id) {
  return id == TypeId::kInt || id == TypeId::kLong || id == TypeId::kDecimal ||
         id == TypeId::kString || id == TypeId::kBinary;
}

uint32_t HashLong(int64_t value) {
  std::array<std::byte, 8> bytes{};
  const auto bits = static_cast<uint64_t>(value);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(bits >> (8 * i));
  return HashMurmur3(bytes);
}

// Floats hash as doubles; both zeros are one, and so are all NaN.
uint32_t HashDouble(double value) {
  if (value == 0) value = 0;
  if (std::isnan(value)) return HashLong(0x7FF8000000000000LL);
  return HashLong(std::bit_cast<int64_t>(value));
}

// Rounded down to a multiple of `width`; wraps below the least value, as Java does.
template <typename T, typename Unsigned>
T TruncateNumber(T value, int32_t width) {
  T rest = static_cast<T>(value % width);
  if (rest < 0) rest = static_cast<T>(rest + width);
  return static_cast<T>(static_cast<Unsigned>(value) - static_cast<Unsigned>(rest));
}

Value Truncate(const Value& value, int32_t width) {
  if (const auto* number = value.get_if<int32_t>()) {
    return TruncateNumber<int32_t, uint32_t>(*number, width);
  }
  if (const auto* number = value.get_if<int64_t>()) {
    return TruncateNumber<int64_t, uint64_t>(*number, width);
  }
  if (const auto* number = value.get_if<Int128>()) {
    return TruncateNumber<Int128, UInt128>(*number, width);
  }
  if (const auto* text = value.get_if<std::string>()) {
    return std::string(TakeCodePoints(*text, static_cast<size_t>(width)));
  }
  return BinaryValue{value.get<BinaryValue>().bytes.substr(0, static_cast<size_t>(width))};
}

// The hours of an extreme microsecond do not fit an int; their order is kept.
int32_t ToOrdinal(int64_t value) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
}

// Whole hours since the epoch, rounded down.
int64_t HoursSinceEpoch(TypeId source, const Value& value) {
  if (source == TypeId::kDate) return int64_t{value.get<int32_t>()} * kHoursPerDay;
  const int64_t steps = value.get<int64_t>();
  return FloorDivide(steps, IsNanos(source) ? kMicrosPerHour * 1000 : kMicrosPerHour);
}

int32_t TimeOrdinal(TransformKind kind, TypeId source, const Value& value) {
  const int64_t hours = HoursSinceEpoch(source, value);
  if (kind == TransformKind::kHour) return ToOrdinal(hours);
  const int64_t days = FloorDivide(hours, kHoursPerDay);
  if (kind == TransformKind::kDay) return ToOrdinal(days);
  const CivilDate date = CivilFromDays(days);
  if (kind == TransformKind::kYear) return ToOrdinal(date.year - 1970);
  return ToOrdinal((date.year - 1970) * 12 + date.month - 1);
}

// "name[width]"; no width if there are no brackets at the end.
struct Parts {
  std::string name;
  std::optional<std::string_view> width;
};

Parts SplitParts(std::string_view text) {
  text = TrimText(text);
  const size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']') {
    return {LowerAscii(text), std::nullopt};
  }
  return {LowerAscii(TrimText(text.substr(0, open))),
          TrimText(text.substr(open + 1, text.size() - open - 2))};
}

std::string FormatDayOrdinal(int64_t days) {
  const CivilDate date = CivilFromDays(days);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

}  // namespace

Result<Transform> ParseTransform(std::string_view text) {
  const Parts parts = SplitParts(text);
  const auto parameterless = [&]() -> std::optional<TransformKind> {
    if (parts.name == "identity") return TransformKind::kIdentity;
    if (parts.name == "year") return TransformKind::kYear;
    if (parts.name == "month") return TransformKind::kMonth;
    if (parts.name == "day") return TransformKind::kDay;
    if (parts.name == "hour") return TransformKind::kHour;
    if (parts.name == "void") return TransformKind::kVoid;
    return std::nullopt;
  }();
  if (!parts.width && parameterless) return Transform{.kind = *parameterless, .text = ""};
  const bool is_bucket = parts.name == "bucket";
  if (!parts.width || (!is_bucket && parts.name != "truncate")) {
    return Transform{.kind = TransformKind::kUnknown, .text = std::string(text)};
  }
  const std::optional<int32_t> width = ParseInt32(*parts.width);
  if (!width || *width <= 0) {
    return MakeError(ErrorCode::kCorrupt, "transform is '{}', expected a width from 1 to {}",
                     text.substr(0, 80), std::numeric_limits<int32_t>::max());
  }
  return Transform{.kind = is_bucket ? TransformKind::kBucket : TransformKind::kTruncate,
                   .width = *width,
                   .text = ""};
}

std::string FormatTransform(const Transform& transform) {
  switch (transform.kind) {
    case TransformKind::kIdentity:
      return "identity";
    case TransformKind::kBucket:
      return fmt::format("bucket[{}]", transform.width);
    case TransformKind::kTruncate:
      return fmt::format("truncate[{}]", transform.width);
    case TransformKind::kYear:
      return "year";
    case TransformKind::kMonth:
      return "month";
    case TransformKind::kDay:
      return "day";
    case TransformKind::kHour:
      return "hour";
    case TransformKind::kVoid:
      return "void";
    case TransformKind::kUnknown:
      return transform.text;
  }
  return transform.text;
}

bool CanTransform(const Transform& transform, const Type& source) {
  switch (transform.kind) {
    case TransformKind::kIdentity:
      return source.is_primitive() && source.id() != TypeId::kGeometry &&
             source.id() != TypeId::kGeography;
    case TransformKind::kBucket:
      return CanBucket(source.id());
    case TransformKind::kTruncate:
      return CanTruncate(source.id());
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
      return source.id() == TypeId::kDate || source.is_timestamp();
    case TransformKind::kHour:
      return source.is_timestamp();
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      return true;
  }
  return true;
}

TypePtr TransformResultType(const Transform& transform, const TypePtr& source) {
  switch (transform.kind) {
    case TransformKind::kIdentity:
    case TransformKind::kTruncate:
    case TransformKind::kVoid:
      return source;
    case TransformKind::kBucket:
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kHour:
      return Type::Primitive(TypeId::kInt);
    case TransformKind::kDay:
      return Type::Primitive(TypeId::kDate);
    case TransformKind::kUnknown:
      return Type::Primitive(TypeId::kString);
  }
  return source;
}

Result<Value> ApplyTransform(const Transform& transform, const Type& source, const Value& value) {
  if (transform.kind == TransformKind::kUnknown) {
    return MakeError(ErrorCode::kUnsupported,
                     "transform '{}' is not known, so no partition value can be computed; "
                     "known are identity, bucket, truncate, year, month, day, hour and void",
                     transform.text);
  }
  if (value.is_null() || transform.kind == TransformKind::kVoid) return Value();
  if (!CanTransform(transform, source) || !HasFormOf(value, source)) {
    return MakeError(ErrorCode::kInternal, "transform {} is applied to a value of type {}",
                     FormatTransform(transform), FormatType(source));
  }
  if (transform.kind == TransformKind::kIdentity) return value;
  if (transform.kind == TransformKind::kTruncate) return Truncate(value, transform.width);
  if (transform.kind == TransformKind::kBucket) {
    return Value((BucketHash(value, source) & INT32_MAX) % transform.width);
  }
  return Value(TimeOrdinal(transform.kind, source.id(), value));
}

int32_t BucketHash(const Value& value, const Type& source) {
  FIRN_CHECK(!value.is_null());
  const auto hash = [&]() -> uint32_t {
    if (const auto* flag = value.get_if<bool>()) return HashLong(*flag ? 1 : 0);
    if (const auto* number = value.get_if<int32_t>()) return HashLong(*number);
    if (const auto* number = value.get_if<int64_t>()) {
      return HashLong(IsNanos(source.id()) ? FloorDivide(*number, int64_t{1000}) : *number);
    }
    if (const auto* number = value.get_if<float>()) return HashDouble(double{*number});
    if (const auto* number = value.get_if<double>()) return HashDouble(*number);
    if (const auto* number = value.get_if<Int128>()) {
      return HashMurmur3(AsBytes(ToBigEndian(*number)));
    }
    if (const auto* text = value.get_if<std::string>()) return HashMurmur3(AsBytes(*text));
    if (const auto* uuid = value.get_if<UuidBytes>()) return HashMurmur3(*uuid);
    const auto* binary = value.get_if<BinaryValue>();
    FIRN_CHECK(binary != nullptr);  // Nested values have no hash.
    return HashMurmur3(AsBytes(binary->bytes));
  }();
  return static_cast<int32_t>(hash);
}

std::string FormatTransformed(const Transform& transform, const Type& result_type,
                              const Value& value) {
  if (transform.kind == TransformKind::kVoid) return "null";
  const int32_t* ordinal = value.get_if<int32_t>();
  if (!transform.is_time() || ordinal == nullptr) return FormatValue(value, result_type);
  if (transform.kind == TransformKind::kYear) return fmt::format("{:04}", int64_t{*ordinal} + 1970);
  if (transform.kind == TransformKind::kMonth) {
    return fmt::format("{:04}-{:02}", 1970 + FloorDivide(*ordinal, 12),
                       1 + FloorModulo(*ordinal, 12));
  }
  if (transform.kind == TransformKind::kDay) return FormatDayOrdinal(*ordinal);
  return fmt::format("{}-{:02}", FormatDayOrdinal(FloorDivide(*ordinal, 24)),
                     FloorModulo(*ordinal, 24));
}

}  // namespace firn
