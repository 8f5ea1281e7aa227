#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "firn/base/suggest.h"
#include "firn/base/text.h"
#include "firn/format/evolution/schema_editor_internal.h"
#include "firn/format/schema/column_lookup.h"

// The part of the editor that changes a column in place: type, nullability, doc, default, position.

namespace firn {
namespace {

template <typename... Args>
Error Refuse(fmt::format_string<Args...> text, Args&&... args) {
  return MakeError(ErrorCode::kInvalidInput, text, std::forward<Args>(args)...);
}

Status PromoteDefault(std::optional<Value>& value, const Type& from, const Type& to) {
  if (!value || value->is_null()) return {};
  FIRN_ASSIGN(value, PromoteValue(*value, from, to));
  return {};
}

}  // namespace

// A partition value is never computed again, so it must be the same for the new type.
Status SchemaEditor::CheckPartitionSources(const NestedField& field, const Type& type) const {
  const TypeId from = field.type->id();
  if (from != TypeId::kDate && from != TypeId::kUnknown) return {};
  for (const PartitionSpecPtr& spec : metadata_.partition_specs) {
    for (const PartitionField& partition : spec->fields) {
      const auto& sources = partition.source_ids;
      if (partition.transform.kind == TransformKind::kVoid) continue;
      if (std::find(sources.begin(), sources.end(), field.id) == sources.end()) continue;
      return Refuse(
          "column '{}' cannot change from {} to {}: partition field '{}' of spec {} is made of it, "
          "and its values would change",
          FullName(field), FormatType(*field.type), FormatType(type), partition.name,
          spec->spec_id);
    }
  }
  return {};
}

Status SchemaEditor::CheckPromotion(const NestedField& field, const Type& type) const {
  const std::string name = FullName(field);
  if (type.is_nested() || field.type->is_nested()) {
    return Refuse(
        "column '{}' cannot change from {} to {}: the fields of nested types are "
        "changed one by one",
        name, FormatType(*field.type), FormatType(type));
  }
  if (!IsPromotionAllowed(*field.type, type, metadata_.format_version)) {
    return Refuse(
        "column '{}' cannot change from {} to {}: allowed are int to long, float to double, "
        "decimal(P,S) to more digits with the same S, and from format version 3 on date to "
        "timestamp or timestamp_ns",
        name, FormatType(*field.type), FormatType(type));
  }
  return CheckPartitionSources(field, type);
}

Result<NestedField> SchemaEditor::Alter(NestedField field, const AlterColumn& change) const {
  const std::string name = FullName(field);
  if (change.type && *change.type != *field.type) {
    FIRN_RETURN_IF_ERROR(CheckPromotion(field, *change.type));
    FIRN_RETURN_IF_ERROR(PromoteDefault(field.initial_default, *field.type, *change.type),
                         "column '{}': initial default", name);
    FIRN_RETURN_IF_ERROR(PromoteDefault(field.write_default, *field.type, *change.type),
                         "column '{}': write default", name);
    field.type = change.type;
  }
  if (change.is_optional) field.required = false;
  if (change.doc) field.doc = *change.doc;
  if (change.write_default) {
    FIRN_RETURN_IF_ERROR(CheckDefault(name, *field.type, *change.write_default));
    if (field.required && change.write_default->is_null()) {
      return Refuse("column '{}' is required, so its default cannot be dropped", name);
    }
    // Java reads a null that is written down as an error.
    field.write_default = change.write_default->is_null() ? std::nullopt : change.write_default;
  }
  return field;
}

Status SchemaEditor::Apply(const AlterColumn& change) {
  FIRN_ASSIGN(const NestedField* field, FindColumn(schema_, change.column));
  FIRN_RETURN_IF_ERROR(CheckOutsideMapKey(field->id));
  if (change.doc || change.write_default || change.position) {
    FIRN_RETURN_IF_ERROR(CheckIsStructField(*field, "given a doc, a default or a place"));
  }
  FIRN_ASSIGN(NestedField altered, Alter(*field, change));
  const int32_t id = field->id;
  std::vector<NestedField> siblings = SiblingsOf(id);
  for (NestedField& sibling : siblings) {
    if (sibling.id == id) sibling = altered;
  }
  if (change.position) {
    FIRN_ASSIGN(siblings, Place(std::move(siblings), id, *change.position));
  }
  Replace(WithChildren(schema_.ParentId(id), siblings));
  return {};
}

Result<std::vector<NestedField>> SchemaEditor::Place(std::vector<NestedField> siblings, int32_t id,
                                                     const ColumnPosition& position) const {
  const auto is_moved = [id](const NestedField& field) { return field.id == id; };
  const auto from = std::find_if(siblings.begin(), siblings.end(), is_moved);
  NestedField moved = *from;
  siblings.erase(from);
  if (position.kind == ColumnPosition::Kind::kFirst) {
    siblings.insert(siblings.begin(), std::move(moved));
    return siblings;
  }
  const auto is_called = [&](const NestedField& field, auto is_same) {
    return is_same(field.name, position.other) ||
           is_same(schema_.FullName(field.id), position.other);
  };
  if (is_called(moved, std::equal_to<std::string_view>())) {
    return Refuse("column '{}' cannot be moved beside itself", position.other);
  }
  // The case of letters is free where no column is called just so.
  auto other = std::find_if(siblings.begin(), siblings.end(), [&](const NestedField& field) {
    return is_called(field, std::equal_to<std::string_view>());
  });
  if (other == siblings.end()) {
    other = std::find_if(siblings.begin(), siblings.end(), [&](const NestedField& field) {
      return is_called(field, EqualsIgnoreCase);
    });
  }
  if (other == siblings.end()) {
    std::vector<std::string> names;
    for (const NestedField& field : siblings)
      names.push_back(field.name);
    const bool is_elsewhere = schema_.FindField(position.other) != nullptr;
    const auto near = is_elsewhere ? std::nullopt : SuggestName(position.other, names);
    return Refuse(
        "column '{}' cannot be moved beside '{}': that is not in the same struct{}, whose "
        "fields are {}",
        moved.name, position.other, near ? " (did you mean '" + *near + "'?)" : std::string(),
        fmt::join(names, ", "));
  }
  if (position.kind == ColumnPosition::Kind::kAfter) ++other;
  siblings.insert(other, std::move(moved));
  return siblings;
}

}  // namespace firn
