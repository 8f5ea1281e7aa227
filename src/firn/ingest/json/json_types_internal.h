#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "firn/format/json/json_reader.h"
#include "firn/ingest/text/text_types_internal.h"

/// Which type the JSON values of one place (a column, a field, an element) have in common.

namespace firn {

/// Why a type is as wide as it is.
struct JsonTypeReason {
  std::string path;   ///< Below the column; empty: the column itself.
  std::string shown;  ///< The value, as messages show it.
  TextPlace place;
};

/// Learns the type of the values of one place. Booleans, numbers and texts that are all dates or
/// times widen as `TextType` says; objects are structs of all their keys; arrays are lists; kinds
/// that have nothing in common are text.
class JsonType {
 public:
  /// A key of the objects.
  struct Field;

  explicit JsonType(bool infers_decimals = false);
  JsonType(JsonType&&) noexcept;
  JsonType& operator=(JsonType&&) noexcept;
  ~JsonType();

  /// `new_fields` counts the fields that are new, here and below. Errors: kCorrupt: no JSON, and
  /// part of it may be counted; kInvalidInput: too many keys.
  Status Add(JsonValue& json, const TextPlace& place, size_t& new_fields);

  /// Of the values of both; `other` is of later places. Errors: kInvalidInput: too many keys.
  Status Merge(JsonType other, const std::string& path = {});

  /// String if there was no value, or none but empty objects.
  TypePtr type() const { return MakeType(false); }
  /// The same of the narrowest types of a table that hold the values, see TextType.
  TypePtr narrow_type() const { return MakeType(true); }
  bool has_values() const { return shape_ != Shape::kNone; }

  /// The keys of the objects, in the order of first sight; empty if there are other values too.
  const std::deque<Field>& fields() const;

  /// Fields at all levels.
  size_t CountFields() const;

  /// What made this type, and the types in it, so wide.
  std::vector<JsonTypeReason> Reasons() const;

 private:
  enum class Shape { kNone, kScalar, kObject, kArray, kMixed };
  struct Fields;

  TypePtr MakeType(bool is_narrow) const;
  bool TakeShape(Shape shape, std::string_view shown, const TextPlace& place);
  Status AddScalar(JsonValue& json, JsonKind kind, const TextPlace& place);
  Status AddObject(JsonValue& json, const TextPlace& place, size_t& new_fields);
  Status AddArray(JsonValue& json, const TextPlace& place, size_t& new_fields);
  JsonType& FieldType(std::string_view key, size_t guess);
  void CollectReasons(const std::string& path, std::vector<JsonTypeReason>& reasons) const;

  bool infers_decimals_;
  Shape shape_ = Shape::kNone;
  std::string first_shown_;  // The value that decided the shape.
  TextPlace first_place_;
  TextType scalar_;
  std::unique_ptr<Fields> object_;
  std::unique_ptr<JsonType> element_;
};

struct JsonType::Field {
  std::string name;
  JsonType type;
};

/// More distinct keys than these, at one level and at all, are data, not columns.
inline constexpr size_t kJsonKeysMax = 10'000;
inline constexpr size_t kJsonFieldsMax = 100'000;

/// kInvalidInput: there are more than `max` distinct keys at `path` (empty: of the rows).
Error MakeTooManyKeysError(const std::string& path, size_t max = kJsonKeysMax);

}  // namespace firn
