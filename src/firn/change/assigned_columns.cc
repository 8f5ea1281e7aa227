#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firn/change/assigned_columns_internal.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/format/schema/column_lookup.h"
#include "firn/format/schema/schema_text.h"

namespace firn {
namespace {

std::string QuoteName(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name)
    quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

Result<std::string> SqlTypeOf(const Type& type);

Result<std::string> NestedSqlTypeOf(const Type& type) {
  std::vector<std::string> parts;
  for (const NestedField& field : type.fields()) {
    FIRN_ASSIGN(std::string part, SqlTypeOf(*field.type));
    parts.push_back(type.id() == TypeId::kStruct ? QuoteName(field.name) + " " + part
                                                 : std::move(part));
  }
  if (type.id() == TypeId::kList) return parts[0] + "[]";
  return fmt::format("{}({})", type.id() == TypeId::kMap ? "MAP" : "STRUCT",
                     fmt::join(parts, ", "));
}

Result<std::string> SqlTypeOf(const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return "BOOLEAN";
    case TypeId::kInt:
      return "INTEGER";
    case TypeId::kLong:
      return "BIGINT";
    case TypeId::kFloat:
      return "REAL";
    case TypeId::kDouble:
      return "DOUBLE";
    case TypeId::kDecimal:
      return fmt::format("DECIMAL({}, {})", type.precision(), type.scale());
    case TypeId::kDate:
      return "DATE";
    case TypeId::kTime:
      return "TIME";
    case TypeId::kTimestamp:
      return "TIMESTAMP";
    case TypeId::kTimestamptz:
      return "TIMESTAMPTZ";
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:  // Its zone is UTC on both sides.
      return "TIMESTAMP_NS";
    case TypeId::kString:
      return "VARCHAR";
    case TypeId::kUuid:
      return "UUID";
    case TypeId::kFixed:
    case TypeId::kBinary:
      return "BLOB";
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return NestedSqlTypeOf(type);
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  return MakeError(ErrorCode::kUnsupported, "values of type {} cannot be set", FormatType(type));
}

// Neither may be the other or lie in it.
Status CheckApart(const AssignedColumn& a, const AssignedColumn& b) {
  const size_t common = std::min(a.path.size(), b.path.size());
  if (!std::equal(a.path.begin(), a.path.begin() + static_cast<ptrdiff_t>(common),
                  b.path.begin())) {
    return {};
  }
  if (a.path == b.path) {
    return MakeError(ErrorCode::kInvalidInput, "set '{}': the column is set twice", a.name);
  }
  return MakeError(ErrorCode::kInvalidInput, "set '{}': '{}', which is set too, is a part of it",
                   a.path.size() < b.path.size() ? a.name : b.name,
                   a.path.size() < b.path.size() ? b.name : a.name);
}

std::shared_ptr<arrow::Field> Mark(const NestedField& field,
                                   const std::shared_ptr<arrow::Field>& plain) {
  if (field.type->id() == TypeId::kUuid) {
    return plain->WithMetadata(arrow::key_value_metadata(
        {"ARROW:extension:name", "ARROW:extension:metadata"}, {"arrow.uuid", ""}));
  }
  if (!field.type->is_nested()) return plain;
  const auto child = [&](size_t i) {
    const arrow::DataType& type = *plain->type();
    const bool is_map = field.type->id() == TypeId::kMap;  // Its only child holds both.
    return Mark(field.type->fields()[i], is_map ? type.field(0)->type()->field(static_cast<int>(i))
                                                : type.field(static_cast<int>(i)));
  };
  if (field.type->id() == TypeId::kList) return plain->WithType(arrow::list(child(0)));
  if (field.type->id() == TypeId::kMap) {
    return plain->WithType(std::make_shared<arrow::MapType>(child(0), child(1)));
  }
  arrow::FieldVector fields;
  for (size_t i = 0; i < field.type->fields().size(); ++i)
    fields.push_back(child(i));
  return plain->WithType(arrow::struct_(std::move(fields)));
}

}  // namespace

Result<Assignment> ParseAssignment(std::string_view text) {
  size_t equals = 0;
  for (bool is_quoted = false; equals < text.size(); ++equals) {
    if (text[equals] == '`') is_quoted = !is_quoted;
    if (text[equals] == '=' && !is_quoted) break;
  }
  if (equals == text.size()) {
    return MakeError(ErrorCode::kInvalidInput, "'{}' is no assignment, expected column=expression",
                     text);
  }
  FIRN_ASSIGN(const auto path, ParseColumnPath(text.substr(0, equals)));
  return Assignment{.column = fmt::format("{}", fmt::join(path, ".")),
                    .expression = std::string(text.substr(equals + 1))};
}

Result<std::vector<AssignedColumn>> FindAssigned(const Schema& schema,
                                                 const std::vector<Assignment>& assignments) {
  if (assignments.empty()) {
    return Error(ErrorCode::kInvalidInput, "nothing is set, expected an assignment at least");
  }
  std::vector<AssignedColumn> columns;
  for (const Assignment& assignment : assignments) {
    AssignedColumn column{.name = assignment.column, .expression = assignment.expression};
    FIRN_ASSIGN(column.field, FindColumn(schema, assignment.column), "set");
    const auto path = schema.StructPath(column.field->id);
    if (!path) {
      return MakeError(ErrorCode::kInvalidInput,
                       "set '{}': a part of a list or map cannot be set; set the whole column",
                       column.name);
    }
    column.path = *path;
    FIRN_ASSIGN(column.type_sql, SqlTypeOf(*column.field->type), "set '{}'", column.name);
    for (const AssignedColumn& other : columns)
      FIRN_RETURN_IF_ERROR(CheckApart(column, other));
    columns.push_back(std::move(column));
  }
  return columns;
}

Result<std::shared_ptr<arrow::Schema>> EngineSchema(const Schema& schema) {
  arrow::FieldVector fields;
  for (const NestedField& field : schema.fields()) {
    FIRN_ASSIGN(const auto plain, ToArrowField(field));
    fields.push_back(Mark(field, plain));
  }
  return arrow::schema(std::move(fields));
}

Result<std::shared_ptr<arrow::Array>> ReplaceField(const std::shared_ptr<arrow::Array>& column,
                                                   const NestedField& field,
                                                   std::span<const size_t> path,
                                                   const std::shared_ptr<arrow::Array>& value,
                                                   arrow::MemoryPool* pool) {
  if (path.empty()) return value;
  const auto& values = static_cast<const arrow::StructArray&>(*column);
  FIRN_ASSIGN(auto children,
              GuardArrowResult(ErrorCode::kInternal, [&] { return values.Flatten(pool); }));
  const std::vector<NestedField>& fields = field.type->fields();
  FIRN_ASSIGN(children[path[0]],
              ReplaceField(children[path[0]], fields[path[0]], path.subspan(1), value, pool));
  for (size_t i = 0; i < children.size(); ++i) {
    if (!fields[i].required || children[i]->null_count() == 0) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' is required, but has no value in a row in which '{}' is null; set '{}' "
                     "as a whole",
                     fields[i].name, field.name, field.name);
  }
  return std::make_shared<arrow::StructArray>(column->type(), column->length(),
                                              std::move(children));
}

}  // namespace firn
