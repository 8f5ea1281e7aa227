#include "firn/format/types/value_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>

#include "firn/base/utf8.h"
#include "firn/format/types/type.h"

namespace firn {
namespace {

constexpr int64_t kMicrosPerDay = 86'400'000'000;
constexpr int64_t kNanosPerDay = kMicrosPerDay * 1000;

template <std::unsigned_integral T>
std::string ToLittleEndian(T bits) {
  std::string bytes;
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes.push_back(static_cast<char>((bits >> (8 * i)) & 0xFF));
  return bytes;
}

template <std::unsigned_integral T>
T FromLittleEndian(std::span<const std::byte> bytes) {
  T bits = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    bits = static_cast<T>(bits | static_cast<T>(std::to_integer<T>(bytes[i]) << (8 * i)));
  }
  return bits;
}

struct ToBytes {
  std::string operator()(bool value) const { return std::string(1, value ? '\1' : '\0'); }
  std::string operator()(int32_t value) const {
    return ToLittleEndian(static_cast<uint32_t>(value));
  }
  std::string operator()(int64_t value) const {
    return ToLittleEndian(static_cast<uint64_t>(value));
  }
  std::string operator()(float value) const {
    return ToLittleEndian(std::bit_cast<uint32_t>(value));
  }
  std::string operator()(double value) const {
    return ToLittleEndian(std::bit_cast<uint64_t>(value));
  }
  std::string operator()(Int128 value) const { return ToBigEndian(value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const UuidBytes& value) const { return std::string(AsText(value)); }
  std::string operator()(const BinaryValue& value) const { return value.bytes; }
  template <typename T>
  std::string operator()(const T&) const {
    return {};  // Null and nested values: refused before.
  }
};

// Int, or a long that may be stored as the int that it was.
Value ReadLong(std::span<const std::byte> bytes) {
  if (bytes.size() == 4) return int64_t{static_cast<int32_t>(FromLittleEndian<uint32_t>(bytes))};
  if (bytes.size() == 8) return static_cast<int64_t>(FromLittleEndian<uint64_t>(bytes));
  return {};
}

Value ReadInt(std::span<const std::byte> bytes) {
  if (bytes.size() != 4) return {};
  return static_cast<int32_t>(FromLittleEndian<uint32_t>(bytes));
}

Value ReadFloat(std::span<const std::byte> bytes) {
  if (bytes.size() != 4) return {};
  const auto value = std::bit_cast<float>(FromLittleEndian<uint32_t>(bytes));
  return std::isnan(value) ? Value() : Value(value);
}

Value ReadDouble(std::span<const std::byte> bytes) {
  if (bytes.size() == 4) {
    const Value value = ReadFloat(bytes);
    return value.is_null() ? Value() : Value(double{value.get<float>()});
  }
  if (bytes.size() != 8) return {};
  const auto value = std::bit_cast<double>(FromLittleEndian<uint64_t>(bytes));
  return std::isnan(value) ? Value() : Value(value);
}

// Null if the day is out of the range of the timestamp.
Value DaysToTimestamp(int32_t days, int64_t steps_per_day) {
  const int64_t limit = std::numeric_limits<int64_t>::max() / steps_per_day;
  if (days > limit || days < -limit) return {};
  return int64_t{days} * steps_per_day;
}

// Eight bytes, or four of a date that was promoted.
Value ReadTimestamp(std::span<const std::byte> bytes, int64_t steps_per_day) {
  const Value value = ReadLong(bytes);
  if (bytes.size() != 4) return value;
  return DaysToTimestamp(static_cast<int32_t>(value.get<int64_t>()), steps_per_day);
}

Value ReadDecimal(std::span<const std::byte> bytes, int32_t precision) {
  const std::optional<Int128> unscaled = FromBigEndian(bytes);
  if (!unscaled) return {};
  const Int128 limit = PowerOfTen(precision);
  return *unscaled < limit && *unscaled > -limit ? Value(*unscaled) : Value();
}

Value ReadUuid(std::span<const std::byte> bytes) {
  UuidBytes uuid{};
  if (bytes.size() != uuid.size()) return {};
  std::copy(bytes.begin(), bytes.end(), uuid.begin());
  return uuid;
}

Value ReadBinary(std::span<const std::byte> bytes) {
  return BinaryValue{std::string(AsText(bytes))};
}

std::string_view ValidPrefix(std::string_view text, int32_t width) {
  size_t size = 0;
  for (int32_t count = 0; count < width; ++count) {
    const auto code_point = DecodeUtf8(text.substr(size));
    if (!code_point) break;
    size += code_point->size;
  }
  return text.substr(0, size);
}

// The least text that is greater than all texts that start with `prefix`, which is valid UTF-8.
std::optional<std::string> IncrementText(std::string_view prefix) {
  while (!prefix.empty()) {
    size_t start = prefix.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(prefix[start]) & 0xC0) == 0x80)
      --start;
    char32_t value = DecodeUtf8(prefix.substr(start))->value;
    prefix = prefix.substr(0, start);
    if (value == 0x10FFFF) continue;
    value = value == 0xD7FF ? 0xE000 : value + 1;  // No surrogates in UTF-8.
    return std::string(prefix) + EncodeUtf8(value);
  }
  return std::nullopt;
}

std::optional<std::string> IncrementBytes(std::string bytes) {
  while (!bytes.empty() && static_cast<unsigned char>(bytes.back()) == 0xFF)
    bytes.pop_back();
  if (bytes.empty()) return std::nullopt;
  bytes.back() = static_cast<char>(static_cast<unsigned char>(bytes.back()) + 1);
  return bytes;
}

}  // namespace

Result<std::string> ToBoundBytes(const Value& value, const Type& type) {
  if (!HasFormOf(value, type) || type.is_nested()) {
    return MakeError(ErrorCode::kInternal, "a bound of type {} has another form (number {})",
                     FormatType(type), value.storage().index());
  }
  return std::visit(ToBytes{}, value.storage());
}

Value FromBoundBytes(std::span<const std::byte> bytes, const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return bytes.size() == 1 ? Value(bytes[0] != std::byte{0}) : Value();
    case TypeId::kInt:
    case TypeId::kDate:
      return ReadInt(bytes);
    case TypeId::kLong:
      return ReadLong(bytes);
    case TypeId::kTime:
    case TypeId::kTimestamptz:
    case TypeId::kTimestamptzNs:
      return bytes.size() == 8 ? ReadLong(bytes) : Value();
    case TypeId::kTimestamp:
      return ReadTimestamp(bytes, kMicrosPerDay);
    case TypeId::kTimestampNs:
      return ReadTimestamp(bytes, kNanosPerDay);
    case TypeId::kFloat:
      return ReadFloat(bytes);
    case TypeId::kDouble:
      return ReadDouble(bytes);
    case TypeId::kDecimal:
      return ReadDecimal(bytes, type.precision());
    case TypeId::kString:
      return IsValidUtf8(AsText(bytes)) ? Value(std::string(AsText(bytes))) : Value();
    case TypeId::kUuid:
      return ReadUuid(bytes);
    case TypeId::kFixed:
      return bytes.size() <= static_cast<size_t>(type.length()) ? ReadBinary(bytes) : Value();
    case TypeId::kBinary:
      return ReadBinary(bytes);
    case TypeId::kGeometry:
    case TypeId::kGeography:  // A point: X and Y, then Z and M.
      return bytes.size() >= 16 && bytes.size() <= 32 && bytes.size() % 8 == 0 ? ReadBinary(bytes)
                                                                               : Value();
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return {};
  }
  return {};
}

Result<Value> PromoteValue(const Value& value, const Type& from, const Type& to) {
  if (value.is_null() || from == to) return value;
  if (!IsPromotionAllowed(from, to, 3) || !HasFormOf(value, from)) {
    return MakeError(ErrorCode::kCorrupt,
                     "a value of type {} is read as {}, expected a type that "
                     "it may be promoted to",
                     FormatType(from), FormatType(to));
  }
  if (from.id() == TypeId::kInt) return Value(int64_t{value.get<int32_t>()});
  if (from.id() == TypeId::kFloat) return Value(double{value.get<float>()});
  if (from.id() != TypeId::kDate) return value;
  const int32_t days = value.get<int32_t>();
  const bool is_nanos = to.id() == TypeId::kTimestampNs;
  const Value timestamp = DaysToTimestamp(days, is_nanos ? kNanosPerDay : kMicrosPerDay);
  if (timestamp.is_null()) {
    return MakeError(ErrorCode::kCorrupt, "date {} (days since 1970) is out of the range of {}",
                     days, FormatType(to));
  }
  return timestamp;
}

Value TruncateLowerBound(const Value& value, int32_t width) {
  if (const auto* text = value.get_if<std::string>()) return std::string(ValidPrefix(*text, width));
  if (const auto* binary = value.get_if<BinaryValue>()) {
    return BinaryValue{binary->bytes.substr(0, static_cast<size_t>(width))};
  }
  return value;
}

std::optional<Value> TruncateUpperBound(const Value& value, int32_t width) {
  if (const auto* text = value.get_if<std::string>()) {
    const std::string_view prefix = ValidPrefix(*text, width);
    if (prefix.size() == text->size()) return value;
    if (auto bound = IncrementText(prefix)) return Value(*std::move(bound));
    return std::nullopt;
  }
  if (const auto* binary = value.get_if<BinaryValue>()) {
    if (binary->bytes.size() <= static_cast<size_t>(width)) return value;
    auto bound = IncrementBytes(binary->bytes.substr(0, static_cast<size_t>(width)));
    if (bound) return Value(BinaryValue{*std::move(bound)});
    return std::nullopt;
  }
  return value;
}

}  // namespace firn
