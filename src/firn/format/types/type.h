#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/json/extra_fields.h"
#include "firn/format/types/value.h"

/// The types of the Iceberg spec (v1 to v3), immutable and shared.

namespace firn {

enum class TypeId {
  kUnknown,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,
  kTimestamptz,
  kTimestampNs,
  kTimestamptzNs,
  kString,
  kUuid,
  kFixed,
  kBinary,
  kVariant,
  kGeometry,
  kGeography,
  kStruct,
  kList,
  kMap,
};

class Type;
using TypePtr = std::shared_ptr<const Type>;

/// A field of a struct, the element of a list ("element"), or the key or value of a map.
struct NestedField {
  int32_t id = 0;
  std::string name;
  TypePtr type;
  bool required = false;
  std::string doc;
  std::optional<Value> initial_default;  ///< Value(): an explicit null.
  std::optional<Value> write_default;
  ExtraFields extra;  ///< Not compared.

  bool operator==(const NestedField& other) const;
};

/// One type with its parameters. Compare with `==` (deep), never by pointer.
class Type {
 public:
  static TypePtr Primitive(TypeId id);  ///< Of a type without parameters.
  static TypePtr Decimal(int32_t precision, int32_t scale);
  static TypePtr Fixed(int32_t length);
  static TypePtr Geometry(std::string crs);  ///< Empty: the default, OGC:CRS84.
  static TypePtr Geography(std::string crs, std::string algorithm);
  /// `extra` are members of its schema JSON that firn does not know; they are not compared.
  static TypePtr Struct(std::vector<NestedField> fields, ExtraFields extra = {});
  static TypePtr List(NestedField element, ExtraFields extra = {});
  static TypePtr Map(NestedField key, NestedField value, ExtraFields extra = {});

  TypeId id() const { return id_; }
  int32_t precision() const { return precision_; }  ///< Of a decimal.
  int32_t scale() const { return scale_; }          ///< Of a decimal.
  int32_t length() const { return length_; }        ///< Of a fixed, bytes.
  const std::string& crs() const { return crs_; }
  const std::string& algorithm() const { return algorithm_; }

  /// Struct: its fields. List: the element. Map: key, then value. Otherwise empty.
  const std::vector<NestedField>& fields() const { return fields_; }
  const NestedField& element() const { return fields_[0]; }
  const NestedField& key() const { return fields_[0]; }
  const NestedField& value() const { return fields_[1]; }
  const ExtraFields& extra() const { return extra_; }

  bool is_nested() const;     ///< Struct, list or map.
  bool is_primitive() const;  ///< Neither nested nor variant.
  bool is_timestamp() const;  ///< Any of the four timestamp types.
  bool is_float() const { return id_ == TypeId::kFloat || id_ == TypeId::kDouble; }

  bool operator==(const Type& other) const;

 private:
  explicit Type(TypeId id) : id_(id) {}
  TypeId id_;
  int32_t precision_ = 0;
  int32_t scale_ = 0;
  int32_t length_ = 0;
  std::string crs_;
  std::string algorithm_;
  std::vector<NestedField> fields_;
  ExtraFields extra_;
};

/// "decimal(9,2)", "fixed[16]", "struct<1: a: optional int>": canonical text of the spec for
/// primitives, readable text for nested types.
std::string FormatType(const Type& type);

/// A primitive (or variant) type from the text of schema JSON, case and blanks as leniently as
/// Java. Errors: kCorrupt, with the text.
Result<TypePtr> ParsePrimitiveType(std::string_view text);

/// Least format version that may use the type itself (not its children).
int MinFormatVersion(TypeId id);

/// True if a file or bound written as `from` may be read as `to` in `format_version`: equal types
/// and the promotions of the spec, 2.5.
bool IsPromotionAllowed(const Type& from, const Type& to, int format_version);

/// Bytes of a fixed that holds a decimal of `precision` digits (Avro, Parquet).
int32_t DecimalByteWidth(int32_t precision);

}  // namespace firn
