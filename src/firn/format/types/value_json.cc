#include "firn/format/types/value_json.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firn/base/number.h"
#include "firn/format/json/json_reader.h"
#include "firn/format/json/json_writer.h"
#include "firn/format/types/decimal_text.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value_text_internal.h"

namespace firn {
namespace {

// A number, or one of the words that Java quotes: JSON has no infinite numbers.
Result<Value> ReadFloat(JsonValue& json, const Type& type) {
  FIRN_ASSIGN(const JsonKind kind, json.Kind());
  const std::string expected = fmt::format("a number in the range of {}", FormatType(type));
  if (kind != JsonKind::kNumber && kind != JsonKind::kString) return json.MakeMismatch(expected);
  FIRN_ASSIGN(const std::string_view text, json.ReadScalarText());
  const bool is_word = text == "NaN" || text == "Infinity" || text == "-Infinity";
  if (kind == JsonKind::kString && !is_word) {
    return json.MakePathError(fmt::format("found '{}', expected {}", text.substr(0, 80), expected));
  }
  auto value = ParseValue(text, type);
  if (!value.ok()) return json.MakePathError(value.error().message());
  return value;
}

// Values that are written as text.
Result<Value> ReadText(JsonValue& json, const Type& type) {
  FIRN_ASSIGN(const std::string_view text, json.ReadString());
  const bool has_zone = type.id() == TypeId::kTimestamptz || type.id() == TypeId::kTimestamptzNs;
  if (has_zone && !text.ends_with("+00:00") && !text.ends_with('Z')) {
    return json.MakePathError(
        fmt::format("found '{}', expected a time with offset +00:00", text.substr(0, 80)));
  }
  auto value = ParseValue(text, type);
  if (!value.ok()) return json.MakePathError(value.error().message());
  return value;
}

Result<std::vector<Value>> ReadElements(JsonValue& json, const Type& type) {
  std::vector<Value> elements;
  FIRN_RETURN_IF_ERROR(json.VisitElements([&](JsonValue& element) -> Status {
    FIRN_ASSIGN(elements.emplace_back(), ReadValueJson(element, type));
    return {};
  }));
  return elements;
}

Result<Value> ReadStruct(JsonValue& json, const Type& type) {
  std::vector<Value> fields;
  FIRN_RETURN_IF_ERROR(json.VisitMembers([&](std::string_view key, JsonValue& member) -> Status {
    fields.resize(type.fields().size());
    for (size_t i = 0; i < fields.size(); ++i) {
      if (ParseInt32(key) != type.fields()[i].id) continue;
      FIRN_ASSIGN(fields[i], ReadValueJson(member, *type.fields()[i].type));
    }
    return {};
  }));
  return Value::Struct(std::move(fields));
}

Result<Value> ReadMap(JsonValue& json, const Type& type) {
  std::optional<std::vector<Value>> keys;
  std::optional<std::vector<Value>> values;
  FIRN_RETURN_IF_ERROR(json.VisitMembers([&](std::string_view name, JsonValue& member) -> Status {
    if (name == "keys") {
      FIRN_ASSIGN(keys, ReadElements(member, *type.key().type));
    } else if (name == "values") {
      FIRN_ASSIGN(values, ReadElements(member, *type.value().type));
    }
    return {};
  }));
  if (!keys || !values || keys->size() != values->size()) {
    return json.MakePathError(
        "found no map, expected {\"keys\":[..],\"values\":[..]} with as many keys as values");
  }
  std::vector<std::pair<Value, Value>> entries;
  for (size_t i = 0; i < keys->size(); ++i) {
    if ((*keys)[i].is_null()) return json.MakePathError("found a null key, expected none");
    entries.emplace_back(std::move((*keys)[i]), std::move((*values)[i]));
  }
  return Value::Map(std::move(entries));
}

void AppendText(std::string& out, std::string_view text) {
  out += '"';
  out += text;
  out += '"';
}

std::string FormatTimeTrimmed(int64_t micros) {
  std::string text = FormatTime(micros, TimeUnit::kMicros);
  text.erase(text.find_last_not_of('0') + 1);
  // The seconds stay: 10:00:00.
  if (text.ends_with('.')) text.pop_back();
  return text;
}

void AppendFloat(std::string& out, double value, const std::string& text) {
  if (std::isfinite(value)) {
    out += text;
  } else {
    AppendText(out, text);
  }
}

void AppendElements(std::string& out, const std::vector<Value>& elements, const Type& type) {
  out += '[';
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) out += ',';
    out += FormatValueJson(elements[i], type);
  }
  out += ']';
}

struct AppendVisitor {
  std::string& out;
  const Type& type;

  void operator()(std::monostate) const { out += "null"; }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(int32_t value) const {
    if (type.id() == TypeId::kDate) return AppendText(out, FormatDate(value));
    out += fmt::to_string(value);
  }
  void operator()(int64_t value) const {
    if (type.id() == TypeId::kTime) return AppendText(out, FormatTimeTrimmed(value));
    if (type.is_timestamp()) return AppendText(out, FormatTimestampTrimmed(value, type));
    out += fmt::to_string(value);
  }
  void operator()(float value) const { AppendFloat(out, double{value}, FormatFloatAsJava(value)); }
  void operator()(double value) const { AppendFloat(out, value, FormatFloatAsJava(value)); }
  void operator()(Int128 value) const { AppendText(out, FormatDecimal(value, type.scale())); }
  void operator()(const std::string& value) const { AppendJsonString(out, value); }
  void operator()(const UuidBytes& value) const { AppendText(out, FormatUuid(value)); }
  void operator()(const BinaryValue& value) const {
    AppendText(out, FormatHex(AsBytes(value.bytes)));
  }
  void operator()(const std::shared_ptr<const StructValue>& value) const {
    out += '{';
    std::string_view separator;
    for (size_t i = 0; i < value->fields.size(); ++i) {
      if (value->fields[i].is_null()) continue;
      out += separator;
      AppendText(out, fmt::to_string(type.fields()[i].id));
      out += ':';
      out += FormatValueJson(value->fields[i], *type.fields()[i].type);
      separator = ",";
    }
    out += '}';
  }
  void operator()(const std::shared_ptr<const ListValue>& value) const {
    AppendElements(out, value->elements, *type.element().type);
  }
  void operator()(const std::shared_ptr<const MapValue>& value) const {
    std::vector<Value> keys;
    std::vector<Value> values;
    for (const auto& [key, entry] : value->entries) {
      keys.push_back(key);
      values.push_back(entry);
    }
    out += "{\"keys\":";
    AppendElements(out, keys, *type.key().type);
    out += ",\"values\":";
    AppendElements(out, values, *type.value().type);
    out += '}';
  }
};

}  // namespace

Result<Value> ReadValueJson(JsonValue& json, const Type& type) {
  if (json.IsNull()) return Value();
  switch (type.id()) {
    case TypeId::kBoolean: {
      FIRN_ASSIGN(const bool value, json.ReadBool());
      return Value(value);
    }
    case TypeId::kInt: {
      FIRN_ASSIGN(const int32_t value, json.ReadInt32());
      return Value(value);
    }
    case TypeId::kLong: {
      FIRN_ASSIGN(const int64_t value, json.ReadInt64());
      return Value(value);
    }
    case TypeId::kFloat:
    case TypeId::kDouble:
      return ReadFloat(json, type);
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
      return ReadText(json, type);
    case TypeId::kStruct:
      return ReadStruct(json, type);
    case TypeId::kList: {
      FIRN_ASSIGN(auto elements, ReadElements(json, *type.element().type));
      return Value::List(std::move(elements));
    }
    case TypeId::kMap:
      return ReadMap(json, type);
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return json.MakeMismatch(fmt::format("null, the only default of {}", FormatType(type)));
  }
  return json.MakeMismatch("null");
}

Result<Value> ParseValueJson(std::string_view json, const Type& type) {
  Value value;
  FIRN_RETURN_IF_ERROR(VisitJson(json, "value", [&](JsonValue& root) -> Status {
    FIRN_ASSIGN(value, ReadValueJson(root, type));
    return {};
  }));
  return value;
}

std::string FormatValueJson(const Value& value, const Type& type) {
  std::string out;
  std::visit(AppendVisitor{out, type}, value.storage());
  return out;
}

}  // namespace firn
