#pragma once

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "firn/base/utf8.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value.h"
#include "firn/format/types/value_render.h"

// Types and values at random, for the property tests of this module, and how tests print them.

namespace firn {

/// For GoogleTest: the form and a readable text.
inline void PrintTo(const Value& value, std::ostream* out) {
  std::string text;
  AppendRowJson(text, value, *Type::Primitive(TypeId::kUnknown));
  *out << text << " (form " << value.storage().index() << ")";
}

/// For RapidCheck.
inline void showValue(const Value& value, std::ostream& out) { PrintTo(value, &out); }
inline void showValue(const TypePtr& type, std::ostream& out) { out << FormatType(*type); }

/// The types that have bounds, literals and an order, with parameters.
inline rc::Gen<TypePtr> AnyBoundedType() {
  static const std::vector<TypePtr> types = [] {
    std::vector<TypePtr> result;
    for (const TypeId id : {TypeId::kBoolean, TypeId::kInt, TypeId::kLong, TypeId::kFloat,
                            TypeId::kDouble, TypeId::kDate, TypeId::kTime, TypeId::kTimestamp,
                            TypeId::kTimestamptz, TypeId::kTimestampNs, TypeId::kTimestamptzNs,
                            TypeId::kString, TypeId::kUuid, TypeId::kBinary}) {
      result.push_back(Type::Primitive(id));
    }
    for (const int32_t precision : {1, 9, 18, 38}) {
      result.push_back(Type::Decimal(precision, precision / 2));
    }
    result.push_back(Type::Fixed(3));
    return result;
  }();
  return rc::gen::elementOf(types);
}

/// Text of any code points, more of them near the edges of UTF-8's lengths.
inline std::string AnyText() {
  const auto code_points = *rc::gen::container<std::vector<uint32_t>>(rc::gen::oneOf(
      rc::gen::inRange<uint32_t>(0, 0x80), rc::gen::inRange<uint32_t>(0xD700, 0xD800),
      rc::gen::inRange<uint32_t>(0xE000, 0x110000),
      rc::gen::elementOf(std::vector<uint32_t>{0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF,
                                               0x10000, 0x10FFFF})));
  std::string text;
  for (const uint32_t code_point : code_points)
    text += EncodeUtf8(static_cast<char32_t>(code_point));
  return text;
}

inline std::string AnyBytes(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) {
    bytes.push_back(static_cast<char>(*rc::gen::element(0, 1, 0x7F, 0x80, 0xFE, 0xFF)));
  }
  return bytes;
}

template <typename T>
T AnyNumber() {
  return *rc::gen::oneOf(
      rc::gen::arbitrary<T>(), rc::gen::inRange<T>(-100, 100),
      rc::gen::element(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

template <typename T>
T AnyFloat() {
  using Limits = std::numeric_limits<T>;
  return *rc::gen::oneOf(rc::gen::arbitrary<T>(),
                         rc::gen::element(T{0}, -T{0}, T{1}, Limits::min(), Limits::denorm_min(),
                                          Limits::max(), Limits::lowest(), Limits::infinity(),
                                          -Limits::infinity(), static_cast<T>(0.1)));
}

inline Int128 AnyDecimal(int32_t precision) {
  Int128 value = 0;
  const auto digits = *rc::gen::inRange<int32_t>(1, precision + 1);
  for (int32_t i = 0; i < digits; ++i)
    value = value * 10 + *rc::gen::element(0, 1, 5, 9);
  return *rc::gen::arbitrary<bool>() ? value : -value;
}

/// Not null and not NaN.
inline Value AnyValue(const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return *rc::gen::arbitrary<bool>();
    case TypeId::kInt:
    case TypeId::kDate:
      return AnyNumber<int32_t>();
    case TypeId::kTime:
      return *rc::gen::inRange<int64_t>(0, 86'400'000'000);
    case TypeId::kLong:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return AnyNumber<int64_t>();
    case TypeId::kFloat:
      return AnyFloat<float>();
    case TypeId::kDouble:
      return AnyFloat<double>();
    case TypeId::kDecimal:
      return AnyDecimal(type.precision());
    case TypeId::kString:
      return AnyText();
    case TypeId::kUuid: {
      UuidBytes uuid{};
      const std::string bytes = AnyBytes(uuid.size());
      for (size_t i = 0; i < uuid.size(); ++i)
        uuid[i] = static_cast<std::byte>(bytes[i]);
      return uuid;
    }
    case TypeId::kFixed:
      return BinaryValue{AnyBytes(static_cast<size_t>(type.length()))};
    case TypeId::kBinary:
      return BinaryValue{AnyBytes(*rc::gen::inRange<size_t>(0, 6))};
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return {};
  }
  return {};
}

}  // namespace firn
