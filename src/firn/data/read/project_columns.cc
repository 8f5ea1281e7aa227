#include <algorithm>
#include <set>
#include <utility>

#include "firn/data/read/reader.h"
#include "firn/data/read/select_rows.h"
#include "firn/format/schema/column_lookup.h"

namespace firn {
namespace {

NestedField MetadataField(int32_t id, std::string name, TypePtr type, bool required) {
  return {.id = id, .name = std::move(name), .type = std::move(type), .required = required};
}

// The metadata columns of a table that a read may ask for.
std::vector<NestedField> MetadataColumns(const TableMetadata& metadata) {
  const TypePtr text = Type::Primitive(TypeId::kString);
  const TypePtr whole = Type::Primitive(TypeId::kInt);
  const TypePtr big = Type::Primitive(TypeId::kLong);
  const TypePtr partition =
      UnifiedPartitionType(metadata.partition_specs, metadata.SchemasNewestFirst());
  return {MetadataField(kFileFieldId, "_file", text, true),
          MetadataField(kPosFieldId, "_pos", big, true),
          MetadataField(kDeletedFieldId, "_deleted", Type::Primitive(TypeId::kBoolean), true),
          MetadataField(kSpecIdFieldId, "_spec_id", whole, true),
          MetadataField(kPartitionFieldId, "_partition", partition, false),
          MetadataField(kRowIdFieldId, "_row_id", big, false),
          MetadataField(kLastUpdatedSequenceNumberFieldId, "_last_updated_sequence_number", big,
                        false)};
}

std::vector<std::string> NamesOf(const std::vector<NestedField>& fields) {
  std::vector<std::string> names;
  for (const NestedField& field : fields)
    names.push_back(field.name);
  return names;
}

// All ids of a field and what is in it, and of the structs around it are left to SelectFields.
void AddIds(const NestedField& field, std::set<int32_t>& ids) {
  ids.insert(field.id);
  for (const NestedField& child : field.type->fields())
    AddIds(child, ids);
}

int32_t RootId(const Schema& schema, int32_t id) {
  for (auto parent = schema.ParentId(id); parent; parent = schema.ParentId(id))
    id = *parent;
  return id;
}

// `metadata_columns` are looked at for names that `schema` does not have.
Result<SchemaPtr> Project(const Schema& schema, const std::vector<std::string>& columns,
                          const std::vector<NestedField>& metadata_columns) {
  if (columns.empty()) return std::make_shared<const Schema>(schema);
  std::vector<int32_t> roots;  // In the order asked for.
  std::set<int32_t> ids;
  std::vector<NestedField> chosen_metadata;
  for (const std::string& name : columns) {
    const NestedField* field = schema.FindField(name);
    if (field == nullptr) {
      FIRN_ASSIGN(field, schema.FindFieldIgnoringCase(name));
    }
    if (field != nullptr) {
      AddIds(*field, ids);
      roots.push_back(RootId(schema, field->id));
      continue;
    }
    const auto found =
        std::find_if(metadata_columns.begin(), metadata_columns.end(),
                     [&](const NestedField& candidate) { return candidate.name == name; });
    if (found == metadata_columns.end()) {
      return MakeUnknownColumnError(schema, name, NamesOf(metadata_columns));
    }
    roots.push_back(found->id);
    chosen_metadata.push_back(*found);
  }
  const Schema selected = SelectFields(schema, ids);
  std::vector<NestedField> fields;
  std::set<int32_t> seen;
  for (const int32_t root : roots) {
    if (!seen.insert(root).second) continue;
    const NestedField* field = selected.FindField(root);
    const auto is_root = [root](const NestedField& candidate) { return candidate.id == root; };
    fields.push_back(field != nullptr
                         ? *field
                         : *std::find_if(chosen_metadata.begin(), chosen_metadata.end(), is_root));
  }
  return std::make_shared<const Schema>(schema.schema_id(), std::move(fields));
}

}  // namespace

Result<SchemaPtr> ProjectColumns(const TableMetadata& metadata, const Schema& schema,
                                 const std::vector<std::string>& columns) {
  const auto is_unknown = [&](const std::string& name) {
    return schema.FindField(name) == nullptr;
  };
  const bool needs_metadata = std::any_of(columns.begin(), columns.end(), is_unknown);
  return Project(schema, columns,
                 needs_metadata ? MetadataColumns(metadata) : std::vector<NestedField>());
}

Result<SchemaPtr> SelectColumns(const Schema& schema, const std::vector<std::string>& columns) {
  return Project(schema, columns, {});
}

}  // namespace firn
