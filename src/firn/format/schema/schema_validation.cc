#include <string>
#include <unordered_map>
#include <unordered_set>

#include "firn/format/schema/schema.h"

namespace firn {
namespace {

bool HasOnlyNullDefault(const Type& type) {
  return type.id() == TypeId::kUnknown || type.id() == TypeId::kVariant ||
         type.id() == TypeId::kGeometry || type.id() == TypeId::kGeography;
}

// A default of a nested column is null, or {} for a struct: the children's own defaults apply.
bool IsLegalNestedDefault(const Value& value) {
  return value.is<std::shared_ptr<const StructValue>>() && value.as_struct().fields.empty();
}

class SchemaValidator {
 public:
  SchemaValidator(const Schema& schema, int format_version, SchemaUse use)
      : schema_(schema), format_version_(format_version), use_(use) {}

  Status Run() {
    FIRN_RETURN_IF_ERROR(CheckChildren(*schema_.as_struct(), "", nullptr));
    for (const int32_t id : schema_.identifier_field_ids()) {
      FIRN_RETURN_IF_ERROR(CheckIdentifierField(id));
    }
    return {};
  }

 private:
  template <typename... Args>
  Error Fail(fmt::format_string<Args...> text, Args&&... args) const {
    return MakeError(ErrorCode::kCorrupt, "schema {}: {}", schema_.schema_id(),
                     fmt::format(text, std::forward<Args>(args)...));
  }

  Status CheckChildren(const Type& type, const std::string& prefix, const NestedField* parent) {
    for (const NestedField& field : type.fields()) {
      const std::string name = prefix + field.name;
      FIRN_RETURN_IF_ERROR(CheckIdAndName(field, name, parent));
      FIRN_RETURN_IF_ERROR(CheckType(field, name));
      FIRN_RETURN_IF_ERROR(CheckDefaults(field, name));
      FIRN_RETURN_IF_ERROR(CheckChildren(*field.type, name + ".", &field));
    }
    return {};
  }

  Status CheckIdAndName(const NestedField& field, const std::string& name,
                        const NestedField* parent) {
    if (field.id < 0 || field.id > kMaxUserFieldId) {
      return Fail("field '{}' has id {}, expected 0 to {}", name, field.id, kMaxUserFieldId);
    }
    const auto [other, is_new_id] = seen_.emplace(field.id, Seen{name, &field, parent});
    if (!is_new_id) {
      return Fail("fields '{}' and '{}' have the same id {}, expected unique ids",
                  other->second.name, name, field.id);
    }
    const auto [same, is_new_name] = ids_by_name_.emplace(name, field.id);
    if (!is_new_name) {
      return Fail("fields {} and {} have the same name '{}', expected unique names", same->second,
                  field.id, name);
    }
    return {};
  }

  Status CheckType(const NestedField& field, const std::string& name) {
    const TypeId id = field.type->id();
    if (MinFormatVersion(id) > format_version_) {
      return Fail("field '{}' has type {}, which needs format version {}, but the table has {}",
                  name, FormatType(*field.type), MinFormatVersion(id), format_version_);
    }
    if (id == TypeId::kUnknown && field.required) {
      return Fail("field '{}' has type unknown and is required, expected optional", name);
    }
    if (id == TypeId::kMap && !field.type->key().required) {
      return Fail("the key of map '{}' is optional, expected required", name);
    }
    return {};
  }

  Status CheckDefaults(const NestedField& field, const std::string& name) {
    const bool has_initial = field.initial_default && !field.initial_default->is_null();
    if (has_initial && format_version_ < 3 && use_ == SchemaUse::kAdded) {
      return Fail(
          "field '{}' has an initial default, which needs format version 3, but the table "
          "has {}",
          name, format_version_);
    }
    for (const auto& value : {field.initial_default, field.write_default}) {
      if (!value || value->is_null()) continue;
      if (HasOnlyNullDefault(*field.type)) {
        return Fail("field '{}' of type {} has a default, expected null", name,
                    FormatType(*field.type));
      }
      if (field.type->is_nested() && !IsLegalNestedDefault(*value)) {
        return Fail("nested field '{}' has a default, expected null (or {{}} for a struct)", name);
      }
    }
    return {};
  }

  Status CheckIdentifierField(int32_t id) const {
    const auto found = seen_.find(id);
    if (found == seen_.end()) return Fail("identifier field {} is not in the schema", id);
    const auto& [name, field, direct_parent] = found->second;
    if (!field->type->is_primitive() || field->type->is_float()) {
      return Fail("identifier field '{}' has type {}, expected a primitive but no float or double",
                  name, FormatType(*field->type));
    }
    if (!field->required) {
      return Fail("identifier field '{}' is optional, expected required", name);
    }
    for (const NestedField* outer = direct_parent; outer != nullptr;
         outer = seen_.at(outer->id).parent) {
      if (outer->type->id() != TypeId::kStruct || !outer->required) {
        return Fail("identifier field '{}' lies in '{}', expected required structs only", name,
                    seen_.at(outer->id).name);
      }
    }
    return {};
  }

  const Schema& schema_;
  int format_version_;
  SchemaUse use_;
  // A field that was met, and the one that it lies in (null: none).
  struct Seen {
    std::string name;
    const NestedField* field;
    const NestedField* parent;
  };
  // Own indexes rather than those of the schema: of old schemas nobody will ask for those.
  std::unordered_map<int32_t, Seen> seen_;
  std::unordered_map<std::string, int32_t> ids_by_name_;
};

}  // namespace

Status ValidateSchema(const Schema& schema, int format_version, SchemaUse use) {
  return SchemaValidator(schema, format_version, use).Run();
}

}  // namespace firn
