#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/format/evolution/schema_editor_internal.h"
#include "firn/format/schema/column_lookup.h"
#include "firn/format/types/type_fields.h"

namespace firn {
namespace {

constexpr int kDefaultsVersion = 3;

template <typename... Args>
Error Refuse(fmt::format_string<Args...> text, Args&&... args) {
  return MakeError(ErrorCode::kInvalidInput, text, std::forward<Args>(args)...);
}

// Put `children` into the struct or list or map `parent_id`.
void ReplaceChildren(std::vector<NestedField>& fields, int32_t parent_id,
                     const std::vector<NestedField>& children) {
  for (NestedField& field : fields) {
    if (!field.type->is_nested()) continue;
    if (field.id == parent_id) {
      field.type = ReplaceFields(*field.type, children);
      return;
    }
    std::vector<NestedField> inner = field.type->fields();
    ReplaceChildren(inner, parent_id, children);
    field.type = ReplaceFields(*field.type, std::move(inner));
  }
}

}  // namespace

SchemaEditor::SchemaEditor(const TableMetadata& metadata)
    : metadata_(metadata),
      schema_(*metadata.current_schema()),
      last_column_id_(std::max(metadata.last_column_id, schema_.highest_field_id())) {}

void SchemaEditor::Replace(std::vector<NestedField> fields) {
  schema_ = Schema(schema_.schema_id(), std::move(fields), schema_.identifier_field_ids(),
                   schema_.extra());
}

std::vector<NestedField> SchemaEditor::WithChildren(
    std::optional<int32_t> parent_id, const std::vector<NestedField>& children) const {
  if (!parent_id) return children;
  std::vector<NestedField> fields = schema_.fields();
  ReplaceChildren(fields, *parent_id, children);
  return fields;
}

const NestedField* SchemaEditor::ParentOf(int32_t id) const {
  const auto parent_id = schema_.ParentId(id);
  return parent_id ? schema_.FindField(*parent_id) : nullptr;
}

const std::vector<NestedField>& SchemaEditor::SiblingsOf(int32_t id) const {
  const NestedField* parent = ParentOf(id);
  return parent == nullptr ? schema_.fields() : parent->type->fields();
}

Status SchemaEditor::CheckOutsideMapKey(int32_t id) const {
  for (const NestedField* field = schema_.FindField(id); field != nullptr;) {
    const NestedField* parent = ParentOf(field->id);
    const bool is_key = parent != nullptr && parent->type->id() == TypeId::kMap &&
                        parent->type->key().id == field->id;
    if (is_key) {
      return Refuse("column '{}' is in the key of map '{}', and map keys never change",
                    schema_.FullName(id), FullName(*parent));
    }
    field = parent;
  }
  return {};
}

Status SchemaEditor::CheckIsStructField(const NestedField& field, std::string_view verb) const {
  const NestedField* parent = ParentOf(field.id);
  if (parent == nullptr || parent->type->id() == TypeId::kStruct) return {};
  return Refuse("column '{}' is the {} of a {} and cannot be {}", FullName(field), field.name,
                parent->type->id() == TypeId::kList ? "list" : "map", verb);
}

// Partition fields share the names of columns, unless they hold just the column's values.
Status SchemaEditor::CheckNewName(const std::vector<NestedField>& siblings,
                                  const NestedField* parent, std::string_view name,
                                  int32_t own_id) const {
  if (name.empty()) return Refuse("the name of a column is empty");
  std::string full_name(name);
  if (parent != nullptr) full_name = FullName(*parent) + "." + full_name;
  const NestedField* same = schema_.FindField(full_name);
  const bool is_taken = std::any_of(siblings.begin(), siblings.end(),
                                    [&](const NestedField& field) { return field.name == name; }) ||
                        (same != nullptr && schema_.FullName(same->id) == full_name);
  if (is_taken) return Refuse("there is a column '{}' already", full_name);
  for (const NestedField& field : siblings) {
    if (field.id == own_id || !EqualsIgnoreCase(field.name, name)) continue;
    return Refuse(
        "a column '{}' would differ from '{}' in case alone: Spark, Hive and Glue take both for "
        "one; choose another name",
        full_name, FullName(field));
  }
  for (const PartitionField& field : metadata_.default_spec()->fields) {
    if (field.name != full_name || field.transform.kind == TransformKind::kVoid) continue;
    const bool is_own =
        field.transform.kind == TransformKind::kIdentity && field.source_id() == own_id;
    if (is_own) continue;
    return Refuse("a column cannot be called '{}': partition field '{}' ({} of column '{}') is",
                  full_name, field.name, FormatTransform(field.transform),
                  schema_.FullName(field.source_id()));
  }
  return {};
}

Result<const NestedField*> SchemaEditor::FindStructToExtend(const AddColumn& change) const {
  const auto parent_path = std::span(change.path).first(change.path.size() - 1);
  FIRN_ASSIGN(const NestedField* parent,
              FindColumn(schema_, fmt::format("{}", fmt::join(parent_path, "."))));
  FIRN_RETURN_IF_ERROR(CheckOutsideMapKey(parent->id));
  if (parent->type->id() == TypeId::kList) parent = &parent->type->element();
  if (parent->type->id() == TypeId::kMap) parent = &parent->type->value();
  if (parent->type->id() == TypeId::kStruct) return parent;
  return Refuse(
      "column '{}' has type {}, expected a struct, or a list or map of structs, to add '{}' to",
      FullName(*parent), FormatType(*parent->type), change.path.back());
}

Status SchemaEditor::CheckDefault(std::string_view column, const Type& type,
                                  const Value& value) const {
  if (value.is_null()) return {};
  if (metadata_.format_version < kDefaultsVersion) {
    return Refuse("column '{}': a default needs format version {}, and the table has {}", column,
                  kDefaultsVersion, metadata_.format_version);
  }
  if (type.is_nested() || !HasFormOf(value, type)) {
    return Refuse("column '{}': the default is no value of type {}{}", column, FormatType(type),
                  type.is_nested() ? "; nested columns have none but null" : "");
  }
  return {};
}

Status SchemaEditor::Apply(const AddColumn& change) {
  const NestedField* parent = nullptr;
  if (change.path.size() > 1) {
    FIRN_ASSIGN(parent, FindStructToExtend(change), "adding '{}'", fmt::join(change.path, "."));
  }
  NestedField field;
  field.name = change.path.empty() ? "" : change.path.back();
  field.type = change.type;
  field.required = change.is_required;
  field.doc = change.doc;
  std::vector<NestedField> siblings = parent == nullptr ? schema_.fields() : parent->type->fields();
  FIRN_RETURN_IF_ERROR(CheckNewName(siblings, parent, field.name, 0));
  const std::string name = fmt::format("{}", fmt::join(change.path, "."));
  const Value default_value = change.default_value.value_or(Value());
  FIRN_RETURN_IF_ERROR(CheckDefault(name, *field.type, default_value));
  if (field.required && default_value.is_null()) {
    return Refuse(
        "column '{}' cannot be added as required without a default (format version {}): rows that "
        "are there have no value for it",
        name, kDefaultsVersion);
  }
  if (!default_value.is_null()) {
    field.initial_default = default_value;
    field.write_default = default_value;
  }
  int32_t last_id = last_column_id_;
  std::vector<NestedField> added =
      AssignFreshIds({std::move(field)}, [&last_id](const NestedField&) { return ++last_id; });
  const int32_t id = added.front().id;
  siblings.push_back(std::move(added.front()));
  if (change.position) {
    FIRN_ASSIGN(siblings, Place(std::move(siblings), id, *change.position));
  }
  last_column_id_ = last_id;
  Replace(WithChildren(parent == nullptr ? std::nullopt : std::optional(parent->id), siblings));
  return {};
}

Status SchemaEditor::CheckUnused(const NestedField& dropped, const NestedField& field) const {
  const std::string what =
      dropped.id == field.id
          ? fmt::format("column '{}' cannot be dropped: it is", FullName(dropped))
          : fmt::format("column '{}' cannot be dropped: in it, '{}' is", FullName(dropped),
                        FullName(field));
  const auto& identifiers = schema_.identifier_field_ids();
  if (std::find(identifiers.begin(), identifiers.end(), field.id) != identifiers.end()) {
    return Refuse("{} an identifier field; set other identifier fields before", what);
  }
  for (const PartitionField& partition : metadata_.default_spec()->fields) {
    const auto& sources = partition.source_ids;
    if (partition.transform.kind == TransformKind::kVoid) continue;
    if (std::find(sources.begin(), sources.end(), field.id) == sources.end()) continue;
    return Refuse("{} the source of partition field '{}' of spec {}; drop that before", what,
                  partition.name, metadata_.default_spec_id);
  }
  const SortOrder* order = metadata_.FindSortOrder(metadata_.default_sort_order_id);
  for (const SortField& sorted : order == nullptr ? std::vector<SortField>() : order->fields) {
    const auto& sources = sorted.source_ids;
    if (std::find(sources.begin(), sources.end(), field.id) == sources.end()) continue;
    return Refuse("{} a column of sort order {} ({}); set another before", what, order->order_id,
                  FormatSortOrder(*order, *metadata_.current_schema()));
  }
  return {};
}

Status SchemaEditor::CheckSubtreeUnused(const NestedField& dropped,
                                        const NestedField& field) const {
  FIRN_RETURN_IF_ERROR(CheckUnused(dropped, field));
  for (const NestedField& child : field.type->fields()) {
    FIRN_RETURN_IF_ERROR(CheckSubtreeUnused(dropped, child));
  }
  return {};
}

Status SchemaEditor::Apply(const DropColumn& change) {
  FIRN_ASSIGN(const NestedField* field, FindColumn(schema_, change.column));
  FIRN_RETURN_IF_ERROR(CheckOutsideMapKey(field->id));
  FIRN_RETURN_IF_ERROR(CheckIsStructField(*field, "dropped"));
  FIRN_RETURN_IF_ERROR(CheckSubtreeUnused(*field, *field));
  if (SiblingsOf(field->id).size() == 1) {
    return Refuse("column '{}' cannot be dropped: it is the only one of {}", FullName(*field),
                  ParentOf(field->id) == nullptr ? "the table" : "its struct; drop that");
  }
  const int32_t id = field->id;
  std::vector<NestedField> siblings = SiblingsOf(id);
  std::erase_if(siblings, [id](const NestedField& sibling) { return sibling.id == id; });
  Replace(WithChildren(schema_.ParentId(id), siblings));
  return {};
}

Status SchemaEditor::Apply(const RenameColumn& change) {
  FIRN_ASSIGN(const NestedField* field, FindColumn(schema_, change.column));
  FIRN_RETURN_IF_ERROR(CheckOutsideMapKey(field->id));
  FIRN_RETURN_IF_ERROR(CheckIsStructField(*field, "renamed"));
  if (field->name == change.new_name) return {};
  FIRN_RETURN_IF_ERROR(
      CheckNewName(SiblingsOf(field->id), ParentOf(field->id), change.new_name, field->id),
      "renaming '{}'", FullName(*field));
  const int32_t id = field->id;
  std::vector<NestedField> siblings = SiblingsOf(id);
  for (NestedField& sibling : siblings) {
    if (sibling.id == id) sibling.name = change.new_name;
  }
  Replace(WithChildren(schema_.ParentId(id), siblings));
  return {};
}

Status SchemaEditor::Apply(const SetIdentifierFields& change) {
  std::vector<int32_t> ids;
  for (const std::string& name : change.columns) {
    FIRN_ASSIGN(const NestedField* field, FindColumn(schema_, name), "identifier fields");
    if (std::find(ids.begin(), ids.end(), field->id) == ids.end()) ids.push_back(field->id);
  }
  schema_ = Schema(schema_.schema_id(), schema_.fields(), std::move(ids), schema_.extra());
  return {};
}

}  // namespace firn
