#include <algorithm>

#include "firn/data/columns/file_schema_internal.h"

namespace firn {

int NumberLeaves(std::vector<FileField>& fields, int next_leaf) {
  for (FileField& field : fields) {
    field.first_leaf = next_leaf;
    next_leaf = field.children.empty() ? next_leaf + 1 : NumberLeaves(field.children, next_leaf);
    field.leaf_end = next_leaf;
  }
  return next_leaf;
}

bool HasFieldIds(const std::vector<FileField>& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const FileField& field) {
    return field.id.has_value() || HasFieldIds(field.children);
  });
}

void DropFieldIds(std::vector<FileField>& fields) {
  for (FileField& field : fields) {
    field.id.reset();
    DropFieldIds(field.children);
  }
}

bool IsListLike(const arrow::DataType& type) {
  return type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST ||
         type.id() == arrow::Type::FIXED_SIZE_LIST;
}

void ApplyNameMapping(std::vector<FileField>& fields, const std::vector<MappedField>& mapping) {
  for (FileField& field : fields) {
    const MappedField* mapped = FindMappedField(mapping, field.name);
    if (mapped == nullptr) continue;
    field.id = mapped->field_id;
    if (field.type->id() == arrow::Type::MAP && field.children.size() == 2) {
      field.children[0].name = "key";
      field.children[1].name = "value";
    } else if (IsListLike(*field.type) && field.children.size() == 1) {
      field.children[0].name = "element";
    }
    ApplyNameMapping(field.children, mapped->fields);
  }
}

const FileField* FindFileField(const std::vector<FileField>& fields, int32_t id) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [id](const FileField& field) { return field.id == id; });
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace firn
