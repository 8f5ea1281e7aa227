#include <utility>

#include "firn/format/metadata/metadata_json.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {
namespace {

constexpr int32_t kFirstPartitionFieldId = 1000;

struct FieldMembers {
  PartitionField field;
  std::optional<int32_t> field_id;
};

Status ReadJson(JsonValue& json, FieldMembers& out) {
  std::optional<int32_t> source_id;
  std::string transform;
  FIRN_RETURN_IF_ERROR(ReadMembers(
      json,
      {OptionalMember("source-id", source_id), OptionalMember("source-ids", out.field.source_ids),
       OptionalMember("field-id", out.field_id), RequiredMember("name", out.field.name),
       RequiredMember("transform", transform)},
      out.field.extra));
  if (out.field.source_ids.empty() && source_id) out.field.source_ids = {*source_id};
  if (out.field.source_ids.empty()) {
    return json.MakePathError("required field 'source-id' (or 'source-ids') is missing");
  }
  auto parsed = ParseTransform(transform);
  if (!parsed.ok()) return json.AddPath(parsed.error().Within("transform"));
  out.field.transform = std::move(parsed).value();
  return {};
}

}  // namespace

Status ReadPartitionFields(JsonValue& json, MissingFieldIds missing,
                           std::vector<PartitionField>& out) {
  std::vector<FieldMembers> members;
  FIRN_RETURN_IF_ERROR(ReadJson(json, members));
  out.clear();
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i].field_id.has_value() != members.front().field_id.has_value()) {
      return json.MakePathError(
          "some fields have a 'field-id' and some have none, expected all or none");
    }
    const int32_t assigned =
        missing == MissingFieldIds::kNumber ? kFirstPartitionFieldId + static_cast<int32_t>(i) : 0;
    members[i].field.field_id = members[i].field_id.value_or(assigned);
    out.push_back(std::move(members[i].field));
  }
  return {};
}

namespace {

// Reads the list of fields in the way that the spec wants it.
struct FieldList {
  MissingFieldIds missing;
  std::vector<PartitionField> fields;
};
Status ReadJson(JsonValue& json, FieldList& out) {
  return ReadPartitionFields(json, out.missing, out.fields);
}

}  // namespace

Status ReadPartitionSpec(JsonValue& json, MissingFieldIds missing, PartitionSpec& out) {
  FieldList list{missing, {}};
  FIRN_RETURN_IF_ERROR(ReadMembers(
      json, {OptionalMember("spec-id", out.spec_id), RequiredMember("fields", list)}, out.extra));
  out.fields = std::move(list.fields);
  return {};
}

void WriteJson(JsonWriter& json, const std::vector<PartitionField>& fields) {
  json.BeginArray();
  for (const PartitionField& field : fields) {
    json.BeginObject();
    json.StringField("name", field.name);
    json.StringField("transform", FormatTransform(field.transform));
    WriteSourceIds(json, field.source_ids);
    if (field.field_id != 0) json.IntField("field-id", field.field_id);
    WriteExtra(json, field.extra);
    json.EndObject();
  }
  json.EndArray();
}

void WriteJson(JsonWriter& json, const PartitionSpec& spec) {
  json.BeginObject();
  json.IntField("spec-id", spec.spec_id);
  json.Key("fields");
  WriteJson(json, spec.fields);
  WriteExtra(json, spec.extra);
  json.EndObject();
}

std::string FormatPartitionFieldsJson(const PartitionSpec& spec) {
  JsonWriter json;
  WriteJson(json, spec.fields);
  return std::move(json).Take();
}

Result<PartitionSpec> ParsePartitionFieldsJson(std::string_view text, int32_t spec_id,
                                               std::string_view where) {
  PartitionSpec spec;
  spec.spec_id = spec_id;
  FIRN_RETURN_IF_ERROR(VisitJson(text, where, [&](JsonValue& root) {
    return ReadPartitionFields(root, MissingFieldIds::kNumber, spec.fields);
  }));
  return spec;
}

}  // namespace firn
