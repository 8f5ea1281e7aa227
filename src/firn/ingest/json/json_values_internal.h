#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "firn/format/json/json_reader.h"
#include "firn/format/types/type.h"

/// JSON values as values of a table's types, in all forms that `firn read --output json` writes and
/// some more: numbers may be texts; a map with string keys may be an object; text and variants take
/// any value.

namespace firn {

/// Finds the fields of a struct by their names.
class JsonFieldNames {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  void Add(std::string name, size_t place) { places_.emplace(std::move(name), place); }

  /// The place of the field of this name; kNone if there is none.
  size_t Find(std::string_view name) const;
  /// The same; if there is none, of the only field of this name but for the case of ASCII letters.
  size_t FindIgnoringCase(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> places_;
};

/// A type that is ready to be read into. Immutable.
struct JsonTarget {
  TypePtr type;
  std::vector<JsonTarget> children;  ///< Of a nested type.
  JsonFieldNames names;              ///< Of a struct.
};
JsonTarget MakeJsonTarget(const TypePtr& type);

/// What is wrong with a value.
struct JsonValueFault {
  std::string path;
  std::string reason;
};

/// Converts values, and keeps what was wrong with the last that could not be.
class JsonValueReader {
 public:
  /// Errors: kInvalidInput: `fault()` tells more; those of the JSON text.
  Status Read(JsonValue& json, const JsonTarget& target, Value& out);

  /// The error of a value at `json`, noted as the fault.
  Error MakeFault(const JsonValue& json, std::string reason);
  Error MakeFault(std::string path, std::string reason);

  /// Of the last error of kInvalidInput.
  const JsonValueFault& fault() const { return fault_; }

 private:
  Error MakeMismatch(JsonValue& json, const Type& type);
  Status ReadScalar(JsonValue& json, JsonKind kind, const Type& type, Value& out);
  Status ReadVariant(JsonValue& json, Value& out);
  Status ReadStruct(JsonValue& json, const JsonTarget& target, Value& out);
  Status ReadList(JsonValue& json, const JsonTarget& target, Value& out);
  Status ReadMap(JsonValue& json, JsonKind kind, const JsonTarget& target, Value& out);
  Status ReadEntry(JsonValue& json, const JsonTarget& target, std::pair<Value, Value>& out);

  JsonValueFault fault_;
};

}  // namespace firn
