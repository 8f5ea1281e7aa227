#include <set>
#include <string>

#include "firn/format/avro/avro_schema.h"
#include "firn/format/json/json_writer.h"

namespace firn {
namespace {

class SchemaFormatter {
 public:
  void Write(const AvroNode& node) {
    switch (node.kind) {
      case AvroKind::kRecord:
      case AvroKind::kFixed:
      case AvroKind::kEnum:
        return WriteNamed(node);
      case AvroKind::kUnion:
        json_.BeginArray();
        for (const AvroNodePtr& child : node.children)
          Write(*child);
        return json_.EndArray();
      case AvroKind::kArray:
        Begin(node);
        json_.Key("items");
        Write(node.items());
        WriteLogicalType(node);
        WriteId("element-id", node.element_id);
        return json_.EndObject();
      case AvroKind::kMap:
        Begin(node);
        json_.Key("values");
        Write(node.values());
        WriteId("key-id", node.key_id);
        WriteId("value-id", node.value_id);
        return json_.EndObject();
      case AvroKind::kNull:
      case AvroKind::kBoolean:
      case AvroKind::kInt:
      case AvroKind::kLong:
      case AvroKind::kFloat:
      case AvroKind::kDouble:
      case AvroKind::kBytes:
      case AvroKind::kString:
        if (node.logical_type.empty()) return json_.String(FormatAvroKind(node.kind));
        Begin(node);
        WriteLogicalType(node);
        return json_.EndObject();
    }
  }

  std::string Take() && { return std::move(json_).Take(); }

 private:
  void Begin(const AvroNode& node) {
    json_.BeginObject();
    json_.StringField("type", FormatAvroKind(node.kind));
  }

  void WriteId(std::string_view key, int32_t id) {
    if (id != kNoAvroId) json_.IntField(key, id);
  }

  void WriteLogicalType(const AvroNode& node) {
    if (node.logical_type.empty()) return;
    json_.StringField("logicalType", node.logical_type);
    if (node.logical_type == "decimal") {
      json_.IntField("precision", node.precision);
      json_.IntField("scale", node.scale);
    }
    if (node.logical_type.starts_with("timestamp-")) {
      json_.BoolField("adjust-to-utc", node.adjust_to_utc);
    }
  }

  // The first time in full, later by name.
  void WriteNamed(const AvroNode& node) {
    if (!defined_.insert(node.name).second) return json_.String(node.name);
    Begin(node);
    json_.StringField("name", node.name);
    if (node.kind == AvroKind::kFixed) json_.IntField("size", node.size);
    if (node.kind == AvroKind::kEnum) {
      json_.Key("symbols");
      json_.BeginArray();
      for (const std::string& symbol : node.symbols)
        json_.String(symbol);
      json_.EndArray();
    }
    if (node.kind == AvroKind::kRecord) {
      json_.Key("fields");
      json_.BeginArray();
      for (const AvroField& field : node.fields)
        WriteField(field);
      json_.EndArray();
    }
    WriteLogicalType(node);
    json_.EndObject();
  }

  void WriteField(const AvroField& field) {
    json_.BeginObject();
    json_.StringField("name", field.name);
    json_.Key("type");
    Write(*field.type);
    if (!field.doc.empty()) json_.StringField("doc", field.doc);
    if (field.has_null_default) {
      json_.Key("default");
      json_.Null();
    }
    if (!field.iceberg_name.empty()) json_.StringField("iceberg-field-name", field.iceberg_name);
    WriteId("field-id", field.field_id);
    json_.EndObject();
  }

  JsonWriter json_;
  std::set<std::string> defined_;
};

}  // namespace

std::string FormatAvroSchema(const AvroNode& node) {
  SchemaFormatter formatter;
  formatter.Write(node);
  return std::move(formatter).Take();
}

}  // namespace firn
