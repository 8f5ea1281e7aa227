#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "firn/base/utf8.h"
#include "firn/format/avro/avro_schema.h"

namespace firn {
namespace {

AvroNodePtr Primitive(AvroKind kind, std::string_view logical_type = "") {
  return FinishAvroNode({.kind = kind, .logical_type = std::string(logical_type)});
}

AvroNodePtr TimestampNode(std::string_view logical_type, bool adjust_to_utc) {
  return FinishAvroNode({.kind = AvroKind::kLong,
                         .logical_type = std::string(logical_type),
                         .adjust_to_utc = adjust_to_utc});
}

AvroNodePtr Fixed(std::string name, int64_t size) {
  return FinishAvroNode({.kind = AvroKind::kFixed, .name = std::move(name), .size = size});
}

AvroNodePtr Option(AvroNodePtr node) {
  if (node->kind == AvroKind::kNull) return node;
  AvroNode option{.kind = AvroKind::kUnion};
  option.children = {Primitive(AvroKind::kNull), std::move(node)};
  return FinishAvroNode(std::move(option));
}

AvroNodePtr Convert(const Type& type, const std::string& record_name);

AvroNodePtr ConvertNested(const NestedField& field) {
  AvroNodePtr node = Convert(*field.type, fmt::format("r{}", field.id));
  return field.required ? node : Option(std::move(node));
}

AvroField ConvertField(const NestedField& field, std::string avro_name) {
  AvroField result;
  result.name = std::move(avro_name);
  if (result.name != field.name) result.iceberg_name = field.name;
  result.doc = field.doc;
  result.field_id = field.id;
  result.has_null_default = !field.required;
  result.type = ConvertNested(field);
  return result;
}

AvroNodePtr ConvertStruct(const Type& type, const std::string& record_name) {
  // Two fields may become the same legal name; the one that was legal from the start keeps it.
  std::set<std::string> taken;
  for (const NestedField& field : type.fields()) {
    if (SanitizeAvroName(field.name) == field.name) taken.insert(field.name);
  }
  AvroNode node{.kind = AvroKind::kRecord, .name = record_name};
  for (const NestedField& field : type.fields()) {
    std::string name = SanitizeAvroName(field.name);
    if (name != field.name) {
      while (!taken.insert(name).second)
        name += fmt::format("_{}", field.id);
    }
    node.fields.push_back(ConvertField(field, std::move(name)));
  }
  return FinishAvroNode(std::move(node));
}

AvroNodePtr ConvertMap(const Type& type) {
  const NestedField& key = type.key();
  const NestedField& value = type.value();
  if (key.type->id() == TypeId::kString) {
    AvroNode node{.kind = AvroKind::kMap, .key_id = key.id, .value_id = value.id};
    node.children.push_back(ConvertNested(value));
    return FinishAvroNode(std::move(node));
  }
  AvroNode record{.kind = AvroKind::kRecord, .name = fmt::format("k{}_v{}", key.id, value.id)};
  record.fields.push_back(
      ConvertField({.id = key.id, .name = "key", .type = key.type, .required = true}, "key"));
  record.fields.push_back(ConvertField(
      {.id = value.id, .name = "value", .type = value.type, .required = value.required}, "value"));
  AvroNode node{.kind = AvroKind::kArray, .logical_type = "map"};
  node.children.push_back(FinishAvroNode(std::move(record)));
  return FinishAvroNode(std::move(node));
}

AvroNodePtr ConvertList(const Type& type) {
  AvroNode node{.kind = AvroKind::kArray, .element_id = type.element().id};
  node.children.push_back(ConvertNested(type.element()));
  return FinishAvroNode(std::move(node));
}

AvroNodePtr ConvertDecimal(const Type& type) {
  AvroNode node{.kind = AvroKind::kFixed,
                .name = fmt::format("decimal_{}_{}", type.precision(), type.scale()),
                .logical_type = "decimal",
                .precision = type.precision(),
                .scale = type.scale()};
  node.size = DecimalByteWidth(type.precision());
  return FinishAvroNode(std::move(node));
}

AvroNodePtr ConvertUuid() {
  AvroNode node{.kind = AvroKind::kFixed, .name = "uuid_fixed", .logical_type = "uuid"};
  node.size = 16;
  return FinishAvroNode(std::move(node));
}

AvroNodePtr ConvertVariant(const std::string& record_name) {
  AvroNode node{.kind = AvroKind::kRecord, .name = record_name, .logical_type = "variant"};
  node.fields.push_back({.name = "metadata", .type = Primitive(AvroKind::kBytes)});
  node.fields.push_back({.name = "value", .type = Primitive(AvroKind::kBytes)});
  return FinishAvroNode(std::move(node));
}

AvroNodePtr Convert(const Type& type, const std::string& record_name) {
  switch (type.id()) {
    case TypeId::kUnknown:
      return Primitive(AvroKind::kNull);
    case TypeId::kBoolean:
      return Primitive(AvroKind::kBoolean);
    case TypeId::kInt:
      return Primitive(AvroKind::kInt);
    case TypeId::kLong:
      return Primitive(AvroKind::kLong);
    case TypeId::kFloat:
      return Primitive(AvroKind::kFloat);
    case TypeId::kDouble:
      return Primitive(AvroKind::kDouble);
    case TypeId::kDecimal:
      return ConvertDecimal(type);
    case TypeId::kDate:
      return Primitive(AvroKind::kInt, "date");
    case TypeId::kTime:
      return Primitive(AvroKind::kLong, "time-micros");
    case TypeId::kTimestamp:
      return TimestampNode("timestamp-micros", false);
    case TypeId::kTimestamptz:
      return TimestampNode("timestamp-micros", true);
    case TypeId::kTimestampNs:
      return TimestampNode("timestamp-nanos", false);
    case TypeId::kTimestamptzNs:
      return TimestampNode("timestamp-nanos", true);
    case TypeId::kString:
      return Primitive(AvroKind::kString);
    case TypeId::kUuid:
      return ConvertUuid();
    case TypeId::kFixed:
      return Fixed(fmt::format("fixed_{}", type.length()), type.length());
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return Primitive(AvroKind::kBytes);
    case TypeId::kVariant:
      return ConvertVariant(record_name);
    case TypeId::kStruct:
      return ConvertStruct(type, record_name);
    case TypeId::kList:
      return ConvertList(type);
    case TypeId::kMap:
      return ConvertMap(type);
  }
  return Primitive(AvroKind::kNull);
}

// Append one UTF-16 unit that Avro names may not hold, as Java does.
void AppendEscaped(std::string& name, uint32_t unit) { name += fmt::format("_x{:X}", unit); }

void AppendEscapedCodePoint(std::string& name, uint32_t code_point) {
  if (code_point < 0x10000) return AppendEscaped(name, code_point);
  AppendEscaped(name, 0xD800 + ((code_point - 0x10000) >> 10));
  AppendEscaped(name, 0xDC00 + ((code_point - 0x10000) & 0x3FF));
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string SanitizeAvroName(std::string_view name) {
  if (name.empty()) return "_";
  std::string result;
  for (std::string_view rest = name; !rest.empty();) {
    const char c = rest.front();
    if (IsLetter(c) || (IsDigit(c) && !result.empty())) {
      result += c;
      rest.remove_prefix(1);
    } else if (IsDigit(c)) {
      result += '_';
      result += c;
      rest.remove_prefix(1);
    } else {
      // A byte that is not UTF-8 counts as itself.
      const auto code_point = DecodeUtf8(rest);
      AppendEscapedCodePoint(
          result, code_point ? static_cast<uint32_t>(code_point->value) : static_cast<uint8_t>(c));
      rest.remove_prefix(code_point ? code_point->size : 1);
    }
  }
  return result;
}

AvroNodePtr ToAvroSchema(const Type& struct_type, std::string_view record_name) {
  return ConvertStruct(struct_type, std::string(record_name));
}

}  // namespace firn
