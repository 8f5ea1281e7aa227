#include "firn/format/types/type_fields.h"

#include <utility>

#include "firn/base/check.h"

namespace firn {

TypePtr ReplaceFields(const Type& type, std::vector<NestedField> fields) {
  FIRN_CHECK(type.is_nested());
  if (type.id() == TypeId::kStruct) return Type::Struct(std::move(fields), type.extra());
  if (type.id() == TypeId::kList) return Type::List(std::move(fields[0]), type.extra());
  return Type::Map(std::move(fields[0]), std::move(fields[1]), type.extra());
}

std::vector<NestedField> AssignFreshIds(
    std::vector<NestedField> fields,
    const std::function<int32_t(const NestedField& field)>& next_id) {
  for (NestedField& field : fields)
    field.id = next_id(field);
  for (NestedField& field : fields) {
    if (!field.type->is_nested()) continue;
    field.type = ReplaceFields(*field.type, AssignFreshIds(field.type->fields(), next_id));
  }
  return fields;
}

}  // namespace firn
