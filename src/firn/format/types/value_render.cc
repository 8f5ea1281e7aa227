#include "firn/format/types/value_render.h"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/format/json/json_writer.h"
#include "firn/format/types/decimal_text.h"

namespace firn {
namespace {

template <typename T>
void AppendFloat(std::string& out, T value, std::string_view text) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  } else {
    out += text;
    if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
  }
}

// Append the text of a value that JSON writes as a string; false if it is of another kind.
bool AppendQuotable(std::string& out, const Value& value, const Type& type) {
  if (const auto* decimal = value.get_if<Int128>()) {
    AppendDecimal(out, *decimal, type.scale());
  } else if (const auto* uuid = value.get_if<UuidBytes>()) {
    AppendUuid(out, *uuid);
  } else if (const auto* binary = value.get_if<BinaryValue>()) {
    AppendHex(out, AsBytes(binary->bytes));
  } else if (type.id() == TypeId::kDate && value.is<int32_t>()) {
    AppendDate(out, value.get<int32_t>());
  } else if (type.id() == TypeId::kTime && value.is<int64_t>()) {
    AppendTime(out, value.get<int64_t>());
  } else if (type.is_timestamp() && value.is<int64_t>()) {
    const bool has_zone = type.id() == TypeId::kTimestamptz || type.id() == TypeId::kTimestamptzNs;
    const bool is_nanos = type.id() == TypeId::kTimestampNs || type.id() == TypeId::kTimestamptzNs;
    const int64_t time = value.get<int64_t>();
    is_nanos ? AppendTimestampNanos(out, time, has_zone)
             : AppendTimestampMicros(out, time, has_zone);
  } else {
    return false;
  }
  return true;
}

// The child of a nested type, or a type that lets the form of the value decide.
const Type& ChildType(const Type& type, size_t index) {
  if (index < type.fields().size()) return *type.fields()[index].type;
  return *Type::Primitive(TypeId::kUnknown);
}

struct JsonVisitor {
  std::string& out;
  const Type& type;

  void operator()(std::monostate) const { out += "null"; }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(int32_t value) const { out += fmt::to_string(value); }
  void operator()(int64_t value) const { out += fmt::to_string(value); }
  void operator()(float value) const { AppendJsonNumber(out, value); }
  void operator()(double value) const { AppendJsonNumber(out, value); }
  void operator()(const std::string& value) const { AppendJsonString(out, value); }
  void operator()(const std::shared_ptr<const StructValue>& value) const {
    out += '{';
    for (size_t i = 0; i < value->fields.size(); ++i) {
      if (i > 0) out += ',';
      const bool has_name = i < type.fields().size();
      AppendJsonString(out, has_name ? type.fields()[i].name : fmt::to_string(i));
      out += ':';
      AppendRowJson(out, value->fields[i], ChildType(type, i));
    }
    out += '}';
  }
  void operator()(const std::shared_ptr<const ListValue>& value) const {
    out += '[';
    std::string_view separator;
    for (const Value& element : value->elements) {
      out += separator;
      AppendRowJson(out, element, ChildType(type, 0));
      separator = ",";
    }
    out += ']';
  }
  void operator()(const std::shared_ptr<const MapValue>& value) const {
    out += '[';
    std::string_view separator;
    for (const auto& [key, entry] : value->entries) {
      out += separator;
      out += "{\"key\":";
      AppendRowJson(out, key, ChildType(type, 0));
      out += ",\"value\":";
      AppendRowJson(out, entry, ChildType(type, 1));
      out += '}';
      separator = ",";
    }
    out += ']';
  }
  template <typename T>
  void operator()(const T&) const {}  // AppendQuotable has them.
};

}  // namespace

void AppendRowJson(std::string& out, const Value& value, const Type& type) {
  const size_t start = out.size();
  out += '"';
  if (AppendQuotable(out, value, type)) {
    out += '"';
    return;
  }
  out.resize(start);
  std::visit(JsonVisitor{out, type}, value.storage());
}

void AppendCsvText(std::string& out, std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void AppendCsvCell(std::string& out, const Value& value, const Type& type) {
  if (value.is_null()) return;
  const size_t start = out.size();
  if (AppendQuotable(out, value, type)) {
    if (out.size() == start) out += "\"\"";  // No bytes: not null.
    return;
  }
  if (const auto* text = value.get_if<std::string>()) return AppendCsvText(out, *text);
  std::string json;
  AppendRowJson(json, value, type);
  const bool is_word = json.starts_with('"');  // "NaN": the quotes are those of JSON.
  AppendCsvText(out, is_word ? std::string_view(json).substr(1, json.size() - 2) : json);
}

void AppendRowCsv(std::string& out, const Value& row, const Type& type) {
  const auto& fields = row.as_struct().fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    AppendCsvCell(out, fields[i], ChildType(type, i));
  }
}

void AppendJsonNumber(std::string& out, float value) {
  AppendFloat(out, value, FormatFloat(value));
}
void AppendJsonNumber(std::string& out, double value) {
  AppendFloat(out, value, FormatDouble(value));
}
void AppendDate(std::string& out, int32_t days) { out += FormatDate(days); }
void AppendTime(std::string& out, int64_t micros) { out += FormatTime(micros, TimeUnit::kMicros); }
void AppendTimestampMicros(std::string& out, int64_t micros, bool has_zone) {
  out += FormatTimestamp(micros, TimeUnit::kMicros);
  if (has_zone) out += "+00:00";
}
void AppendTimestampNanos(std::string& out, int64_t nanos, bool has_zone) {
  out += FormatTimestamp(nanos, TimeUnit::kNanos);
  if (has_zone) out += "+00:00";
}
void AppendDecimal(std::string& out, Int128 unscaled, int32_t scale) {
  out += FormatDecimal(unscaled, scale);
}
void AppendUuid(std::string& out, const UuidBytes& uuid) { out += FormatUuid(uuid); }
void AppendHex(std::string& out, std::span<const std::byte> bytes) { out += FormatHex(bytes); }

}  // namespace firn
