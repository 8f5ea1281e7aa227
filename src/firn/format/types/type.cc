#include "firn/format/types/type.h"

#include <array>
#include <utility>

#include "firn/base/check.h"
#include "firn/base/text.h"

namespace firn {
namespace {

constexpr std::string_view kDefaultCrs = "OGC:CRS84";
constexpr std::string_view kDefaultAlgorithm = "spherical";

bool IsSameType(const TypePtr& a, const TypePtr& b) { return a == b || (a && b && *a == *b); }

}  // namespace

bool NestedField::operator==(const NestedField& other) const {
  return id == other.id && name == other.name && required == other.required && doc == other.doc &&
         initial_default == other.initial_default && write_default == other.write_default &&
         IsSameType(type, other.type);
}

TypePtr Type::Primitive(TypeId id) {
  FIRN_CHECK(id != TypeId::kDecimal && id != TypeId::kFixed && id < TypeId::kStruct);
  if (id == TypeId::kGeometry) return Geometry("");
  if (id == TypeId::kGeography) return Geography("", "");
  constexpr size_t kCount = static_cast<size_t>(TypeId::kStruct);
  static const std::array<TypePtr, kCount> kTypes = [] {
    std::array<TypePtr, kCount> types;
    for (size_t i = 0; i < kCount; ++i) {
      types[i] = std::make_shared<const Type>(Type(static_cast<TypeId>(i)));
    }
    return types;
  }();
  return kTypes[static_cast<size_t>(id)];
}

TypePtr Type::Decimal(int32_t precision, int32_t scale) {
  Type type(TypeId::kDecimal);
  type.precision_ = precision;
  type.scale_ = scale;
  return std::make_shared<const Type>(std::move(type));
}

TypePtr Type::Fixed(int32_t length) {
  Type type(TypeId::kFixed);
  type.length_ = length;
  return std::make_shared<const Type>(std::move(type));
}

TypePtr Type::Geometry(std::string crs) {
  Type type(TypeId::kGeometry);
  type.crs_ = crs.empty() ? std::string(kDefaultCrs) : std::move(crs);
  return std::make_shared<const Type>(std::move(type));
}

TypePtr Type::Geography(std::string crs, std::string algorithm) {
  Type type(TypeId::kGeography);
  type.crs_ = crs.empty() ? std::string(kDefaultCrs) : std::move(crs);
  type.algorithm_ = algorithm.empty() ? std::string(kDefaultAlgorithm) : LowerAscii(algorithm);
  return std::make_shared<const Type>(std::move(type));
}

TypePtr Type::Struct(std::vector<NestedField> fields, ExtraFields extra) {
  Type type(TypeId::kStruct);
  type.extra_ = std::move(extra);
  type.fields_ = std::move(fields);
  return std::make_shared<const Type>(std::move(type));
}

TypePtr Type::List(NestedField element, ExtraFields extra) {
  Type type(TypeId::kList);
  type.extra_ = std::move(extra);
  element.name = "element";
  type.fields_.push_back(std::move(element));
  return std::make_shared<const Type>(std::move(type));
}

TypePtr Type::Map(NestedField key, NestedField value, ExtraFields extra) {
  Type type(TypeId::kMap);
  type.extra_ = std::move(extra);
  key.name = "key";
  key.required = true;
  value.name = "value";
  type.fields_.push_back(std::move(key));
  type.fields_.push_back(std::move(value));
  return std::make_shared<const Type>(std::move(type));
}

bool Type::is_nested() const {
  return id_ == TypeId::kStruct || id_ == TypeId::kList || id_ == TypeId::kMap;
}

bool Type::is_primitive() const { return !is_nested() && id_ != TypeId::kVariant; }

bool Type::is_timestamp() const {
  return id_ == TypeId::kTimestamp || id_ == TypeId::kTimestamptz || id_ == TypeId::kTimestampNs ||
         id_ == TypeId::kTimestamptzNs;
}

bool Type::operator==(const Type& other) const {
  return id_ == other.id_ && precision_ == other.precision_ && scale_ == other.scale_ &&
         length_ == other.length_ && algorithm_ == other.algorithm_ &&
         EqualsIgnoreCase(crs_, other.crs_) && fields_ == other.fields_;
}

int MinFormatVersion(TypeId id) {
  switch (id) {
    case TypeId::kUnknown:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return 3;
    case TypeId::kBoolean:
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kDate:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return 1;
  }
  return 1;
}

bool IsPromotionAllowed(const Type& from, const Type& to, int format_version) {
  if (from == to) return true;
  if (from.id() == TypeId::kInt) return to.id() == TypeId::kLong;
  if (from.id() == TypeId::kFloat) return to.id() == TypeId::kDouble;
  if (from.id() == TypeId::kDecimal) {
    return to.id() == TypeId::kDecimal && to.scale() == from.scale() &&
           to.precision() > from.precision();
  }
  if (format_version < 3) return false;
  if (from.id() == TypeId::kDate) {
    return to.id() == TypeId::kTimestamp || to.id() == TypeId::kTimestampNs;
  }
  return from.id() == TypeId::kUnknown;
}

int32_t DecimalByteWidth(int32_t precision) {
  FIRN_CHECK(precision >= 1 && precision <= 38);
  // Most digits that fit into two's complement of 1, 2, ... 16 bytes.
  constexpr std::array<int32_t, 16> kDigits = {2,  4,  6,  9,  11, 14, 16, 18,
                                               21, 23, 26, 28, 31, 33, 35, 38};
  int32_t bytes = 1;
  for (const int32_t digits : kDigits) {
    if (precision <= digits) break;
    ++bytes;
  }
  return bytes;
}

}  // namespace firn
