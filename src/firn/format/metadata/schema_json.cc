#include <utility>

#include "firn/format/metadata/metadata_json.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/format/types/value_json.h"

namespace firn {
namespace {

Status ReadType(JsonValue& json, TypePtr& out);

// The text of a default; kept as text until the type of the field is known.
using RawDefault = std::optional<RawJson>;

Status ReadDefault(JsonValue& json, std::string_view key, const RawDefault& raw, const Type& type,
                   std::optional<Value>& out) {
  if (!raw) return {};
  auto value = ParseValueJson(raw->text, type);
  if (!value.ok()) return json.AddPath(value.error().Within(key));
  out = std::move(value).value();
  return {};
}

struct TypeReader {
  TypePtr type;
};
Status ReadJson(JsonValue& json, TypeReader& out) { return ReadType(json, out.type); }

Status ReadField(JsonValue& json, NestedField& out) {
  TypeReader type;
  RawDefault initial_default;
  RawDefault write_default;
  FIRN_RETURN_IF_ERROR(ReadMembers(
      json,
      {RequiredMember("id", out.id), RequiredMember("name", out.name),
       RequiredMember("required", out.required), RequiredMember("type", type),
       OptionalMember("doc", out.doc), NullableMember("initial-default", initial_default),
       NullableMember("write-default", write_default)},
      out.extra));
  out.type = std::move(type.type);
  FIRN_RETURN_IF_ERROR(
      ReadDefault(json, "initial-default", initial_default, *out.type, out.initial_default));
  return ReadDefault(json, "write-default", write_default, *out.type, out.write_default);
}

struct FieldReader {
  NestedField field;
};
Status ReadJson(JsonValue& json, FieldReader& out) { return ReadField(json, out.field); }

// The members of all kinds of nested types; "type" says which of them count.
struct NestedTypeMembers {
  std::string type;
  std::optional<std::vector<FieldReader>> fields;
  std::optional<int32_t> element_id;
  TypeReader element;
  std::optional<bool> element_required;
  std::optional<int32_t> key_id;
  TypeReader key;
  std::optional<int32_t> value_id;
  TypeReader value;
  std::optional<bool> value_required;
  std::optional<int32_t> schema_id;
  std::vector<int32_t> identifier_field_ids;
  ExtraFields extra;
};

std::vector<NestedField> TakeFields(std::vector<FieldReader> readers) {
  std::vector<NestedField> fields;
  fields.reserve(readers.size());
  for (FieldReader& reader : readers)
    fields.push_back(std::move(reader.field));
  return fields;
}

NestedField MakePart(int32_t id, std::string name, TypePtr type, bool required) {
  NestedField part;
  part.id = id;
  part.name = std::move(name);
  part.type = std::move(type);
  part.required = required;
  return part;
}

Status MissingMember(const JsonValue& json, std::string_view type, std::string_view members) {
  return json.MakePathError(fmt::format("type '{}' needs the fields {}", type, members));
}

Status ReadNestedType(JsonValue& json, TypePtr& out) {
  NestedTypeMembers raw;
  FIRN_RETURN_IF_ERROR(ReadMembers(
      json,
      {RequiredMember("type", raw.type), OptionalMember("fields", raw.fields),
       OptionalMember("element-id", raw.element_id), OptionalMember("element", raw.element),
       OptionalMember("element-required", raw.element_required),
       OptionalMember("key-id", raw.key_id), OptionalMember("key", raw.key),
       OptionalMember("value-id", raw.value_id), OptionalMember("value", raw.value),
       OptionalMember("value-required", raw.value_required)},
      raw.extra));
  if (raw.type == "struct") {
    if (!raw.fields) return MissingMember(json, raw.type, "'fields'");
    out = Type::Struct(TakeFields(*std::move(raw.fields)), std::move(raw.extra));
    return {};
  }
  if (raw.type == "list") {
    if (!raw.element_id || !raw.element.type || !raw.element_required) {
      return MissingMember(json, raw.type, "'element-id', 'element' and 'element-required'");
    }
    out = Type::List(MakePart(*raw.element_id, "element", raw.element.type, *raw.element_required),
                     std::move(raw.extra));
    return {};
  }
  if (raw.type == "map") {
    if (!raw.key_id || !raw.key.type || !raw.value_id || !raw.value.type || !raw.value_required) {
      return MissingMember(json, raw.type,
                           "'key-id', 'key', 'value-id', 'value' and 'value-required'");
    }
    out = Type::Map(MakePart(*raw.key_id, "key", raw.key.type, true),
                    MakePart(*raw.value_id, "value", raw.value.type, *raw.value_required),
                    std::move(raw.extra));
    return {};
  }
  return json.MakePathError(
      fmt::format("found type '{}', expected 'struct', 'list' or 'map'", raw.type));
}

Status ReadType(JsonValue& json, TypePtr& out) {
  FIRN_ASSIGN(const JsonKind kind, json.Kind());
  if (kind == JsonKind::kObject) return ReadNestedType(json, out);
  if (kind != JsonKind::kString) return json.MakeMismatch("a type: a string or an object");
  FIRN_ASSIGN(const std::string_view text, json.ReadString());
  auto type = ParsePrimitiveType(text);
  if (!type.ok()) return json.AddPath(type.error());
  out = std::move(type).value();
  return {};
}

void WriteType(JsonWriter& json, const Type& type);

void WriteDefault(JsonWriter& json, std::string_view key, const std::optional<Value>& value,
                  const Type& type) {
  if (value) json.RawField(key, FormatValueJson(*value, type));
}

void WriteFields(JsonWriter& json, const std::vector<NestedField>& fields) {
  json.Key("fields");
  json.BeginArray();
  for (const NestedField& field : fields) {
    json.BeginObject();
    json.IntField("id", field.id);
    json.StringField("name", field.name);
    json.BoolField("required", field.required);
    json.Key("type");
    WriteType(json, *field.type);
    if (!field.doc.empty()) json.StringField("doc", field.doc);
    WriteDefault(json, "initial-default", field.initial_default, *field.type);
    WriteDefault(json, "write-default", field.write_default, *field.type);
    WriteExtra(json, field.extra);
    json.EndObject();
  }
  json.EndArray();
}

void WriteType(JsonWriter& json, const Type& type) {
  if (!type.is_nested()) return json.String(FormatType(type));
  json.BeginObject();
  if (type.id() == TypeId::kStruct) {
    json.StringField("type", "struct");
    WriteFields(json, type.fields());
  } else if (type.id() == TypeId::kList) {
    json.StringField("type", "list");
    json.IntField("element-id", type.element().id);
    json.Key("element");
    WriteType(json, *type.element().type);
    json.BoolField("element-required", type.element().required);
  } else {
    json.StringField("type", "map");
    json.IntField("key-id", type.key().id);
    json.Key("key");
    WriteType(json, *type.key().type);
    json.IntField("value-id", type.value().id);
    json.Key("value");
    WriteType(json, *type.value().type);
    json.BoolField("value-required", type.value().required);
  }
  WriteExtra(json, type.extra());
  json.EndObject();
}

}  // namespace

Status ReadJson(JsonValue& json, SchemaPtr& out) {
  NestedTypeMembers raw;
  FIRN_RETURN_IF_ERROR(
      ReadMembers(json,
                  {RequiredMember("type", raw.type), RequiredMember("fields", raw.fields),
                   OptionalMember("schema-id", raw.schema_id),
                   OptionalMember("identifier-field-ids", raw.identifier_field_ids)},
                  raw.extra));
  if (raw.type != "struct") {
    return json.MakePathError(fmt::format("found type '{}', expected 'struct'", raw.type));
  }
  out = std::make_shared<Schema>(raw.schema_id.value_or(0), TakeFields(*std::move(raw.fields)),
                                 std::move(raw.identifier_field_ids), std::move(raw.extra));
  return {};
}

void WriteJson(JsonWriter& json, const Schema& schema) {
  json.BeginObject();
  json.StringField("type", "struct");
  json.IntField("schema-id", schema.schema_id());
  if (!schema.identifier_field_ids().empty()) {
    json.Key("identifier-field-ids");
    json.BeginArray();
    for (const int32_t id : schema.identifier_field_ids())
      json.Int(id);
    json.EndArray();
  }
  WriteFields(json, schema.fields());
  WriteExtra(json, schema.extra());
  json.EndObject();
}

std::string FormatSchemaJson(const Schema& schema) {
  JsonWriter json;
  WriteJson(json, schema);
  return std::move(json).Take();
}

Result<SchemaPtr> ParseSchemaJson(std::string_view text, std::string_view where) {
  SchemaPtr schema;
  FIRN_RETURN_IF_ERROR(
      VisitJson(text, where, [&](JsonValue& root) { return ReadJson(root, schema); }));
  return schema;
}

}  // namespace firn
