#include <algorithm>
#include <utility>

#include "firn/data/columns/read_fields_internal.h"

namespace firn {
namespace {

// `schema` cut down to the path to `id`.
Result<NestedField> CutToPath(const Schema& schema, int32_t id) {
  const auto places = schema.StructPath(id);
  if (!places || places->empty()) {
    return MakeError(ErrorCode::kCorrupt,
                     "field '{}' (id {}) lies inside a list or a map; rows cannot be matched by it",
                     schema.FullName(id), id);
  }
  std::vector<const NestedField*> path;
  const std::vector<NestedField>* fields = &schema.fields();
  for (const size_t place : *places) {
    path.push_back(&(*fields)[place]);
    fields = &path.back()->type->fields();
  }
  NestedField cut = *path.back();
  for (size_t i = path.size() - 1; i-- > 0;) {
    NestedField parent = *path[i];
    parent.type = Type::Struct({std::move(cut)});
    cut = std::move(parent);
  }
  return cut;
}

}  // namespace

Result<NestedField> FindFieldPath(const TableMetadata& metadata, int32_t id, const Type* type) {
  SchemaPtr found;
  for (const SchemaPtr& schema : metadata.SchemasNewestFirst()) {
    const NestedField* field = schema->FindField(id);
    if (field == nullptr) continue;
    if (type == nullptr || *field->type == *type) return CutToPath(*schema, id);
    if (found == nullptr) found = schema;
  }
  if (found != nullptr) return CutToPath(*found, id);
  return MakeError(ErrorCode::kCorrupt, "field id {} is in no schema of the table", id);
}

int32_t LeafId(const NestedField& path) {
  const NestedField* leaf = &path;
  while (leaf->type->id() == TypeId::kStruct)
    leaf = &leaf->type->fields()[0];
  return leaf->id;
}

void MakeOptional(NestedField& field) {
  field.required = false;
  if (field.type->id() != TypeId::kStruct) return;
  std::vector<NestedField> children = field.type->fields();
  for (NestedField& child : children)
    MakeOptional(child);
  field.type = Type::Struct(std::move(children));
}

void AddFieldPath(std::vector<NestedField>& fields, const NestedField& path) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const NestedField& field) { return field.id == path.id; });
  if (found == fields.end()) {
    fields.push_back(path);
    return;
  }
  if (found->type->id() != TypeId::kStruct || path.type->id() != TypeId::kStruct) return;
  std::vector<NestedField> children = found->type->fields();
  for (const NestedField& child : path.type->fields())
    AddFieldPath(children, child);
  found->type = Type::Struct(std::move(children));
}

std::vector<int> FindFieldPlaces(const std::vector<NestedField>& fields, int32_t id) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].id == id) return {static_cast<int>(i)};
    if (fields[i].type->id() != TypeId::kStruct) continue;
    std::vector<int> places = FindFieldPlaces(fields[i].type->fields(), id);
    if (places.empty()) continue;
    places.insert(places.begin(), static_cast<int>(i));
    return places;
  }
  return {};
}

}  // namespace firn
