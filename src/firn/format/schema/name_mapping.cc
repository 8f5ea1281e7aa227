#include "firn/format/schema/name_mapping.h"

#include <algorithm>
#include <set>
#include <utility>

#include "firn/format/json/json_reader.h"
#include "firn/format/json/json_writer.h"
#include "firn/format/schema/name_mapping_change.h"

namespace firn {
namespace {

Status ReadJson(JsonValue& json, MappedField& field);

Status ReadFields(JsonValue& json, std::vector<MappedField>& fields) {
  std::set<std::string, std::less<>> names;
  return json.VisitElements([&](JsonValue& element) -> Status {
    MappedField& field = fields.emplace_back();
    FIRN_RETURN_IF_ERROR(ReadJson(element, field));
    for (const std::string& name : field.names) {
      if (names.insert(name).second) continue;
      return element.MakePathError("the name '" + name + "' stands twice at one level");
    }
    return {};
  });
}

Status ReadJson(JsonValue& json, MappedField& field) {
  return json.VisitMembers([&](std::string_view key, JsonValue& member) -> Status {
    if (member.IsNull()) return {};
    if (key == "field-id") {
      FIRN_ASSIGN(field.field_id, member.ReadInt32());
    } else if (key == "fields") {
      return ReadFields(member, field.fields);
    } else if (key == "names") {
      return member.VisitElements([&](JsonValue& element) -> Status {
        FIRN_ASSIGN(const std::string_view name, element.ReadString());
        field.names.emplace_back(name);
        return {};
      });
    }
    return {};
  });
}

void WriteFields(JsonWriter& json, const std::vector<MappedField>& fields) {
  json.BeginArray();
  for (const MappedField& field : fields) {
    json.BeginObject();
    if (field.field_id) json.IntField("field-id", *field.field_id);
    json.Key("names");
    json.BeginArray();
    for (const std::string& name : field.names)
      json.String(name);
    json.EndArray();
    if (!field.fields.empty()) {
      json.Key("fields");
      WriteFields(json, field.fields);
    }
    json.EndObject();
  }
  json.EndArray();
}

bool HasName(const MappedField& field, std::string_view name) {
  return std::find(field.names.begin(), field.names.end(), name) != field.names.end();
}

std::vector<MappedField> MapColumns(const Type& type) {
  std::vector<MappedField> mapped;
  for (const NestedField& column : type.fields()) {
    mapped.push_back(
        {.names = {column.name}, .field_id = column.id, .fields = MapColumns(*column.type)});
  }
  return mapped;
}

// The entry with this id, or null.
template <typename Fields>
auto* FindEntry(Fields& mapped, int32_t id) {
  const auto found = std::find_if(mapped.begin(), mapped.end(),
                                  [&](const MappedField& entry) { return entry.field_id == id; });
  return found == mapped.end() ? nullptr : &*found;
}

void UpdateColumns(std::vector<MappedField>& mapped, const Schema& before, const Type& type) {
  for (const NestedField& column : type.fields()) {
    const NestedField* old = before.FindField(column.id);
    MappedField* entry = FindEntry(mapped, column.id);
    if (entry == nullptr && old != nullptr) continue;  // Somebody has left it out.
    if (entry == nullptr) {
      entry = &mapped.emplace_back();
      entry->field_id = column.id;
    }
    const bool takes_name = old == nullptr || old->name != column.name;
    if (takes_name && !HasName(*entry, column.name)) {
      // A name leads to one column: the one that has it by now.
      for (MappedField& other : mapped)
        std::erase(other.names, column.name);
      entry->names.push_back(column.name);
    }
    UpdateColumns(entry->fields, before, *column.type);
  }
}

void FindMovedNames(const std::vector<MappedField>& before, const std::vector<MappedField>& after,
                    const std::string& above, std::vector<MovedName>& moved) {
  for (const MappedField& old : before) {
    if (!old.field_id) continue;
    for (const std::string& name : old.names) {
      const MappedField* now = FindMappedField(after, name);
      if (now == nullptr || !now->field_id || now->field_id == old.field_id) continue;
      moved.push_back({.name = above + name, .from_id = *old.field_id, .to_id = *now->field_id});
    }
    const MappedField* same = FindEntry(after, *old.field_id);
    if (same == nullptr || same->names.empty()) continue;
    FindMovedNames(old.fields, same->fields, above + same->names.back() + ".", moved);
  }
}

}  // namespace

Result<NameMapping> ParseNameMapping(std::string_view json) {
  NameMapping mapping;
  FIRN_RETURN_IF_ERROR(VisitJson(
      json, "name mapping", [&](JsonValue& root) { return ReadFields(root, mapping.fields); }));
  return mapping;
}

std::string FormatNameMapping(const NameMapping& mapping) {
  JsonWriter json;
  WriteFields(json, mapping.fields);
  return std::move(json).Take();
}

NameMapping MakeNameMapping(const Schema& schema) { return {MapColumns(*schema.as_struct())}; }

NameMapping UpdateNameMapping(NameMapping mapping, const Schema& schema) {
  return UpdateNameMapping(std::move(mapping), Schema(0, {}), schema);
}

NameMapping UpdateNameMapping(NameMapping mapping, const Schema& before, const Schema& after) {
  UpdateColumns(mapping.fields, before, *after.as_struct());
  return mapping;
}

std::vector<MovedName> FindMovedNames(const NameMapping& before, const NameMapping& after) {
  std::vector<MovedName> moved;
  FindMovedNames(before.fields, after.fields, "", moved);
  return moved;
}

const MappedField* FindMappedField(const std::vector<MappedField>& fields, std::string_view name) {
  for (const MappedField& field : fields) {
    if (HasName(field, name)) return &field;
  }
  return nullptr;
}

}  // namespace firn
