#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firn/base/text.h"
#include "firn/ingest/target/column_fit_internal.h"

namespace firn {
namespace {

const NestedField* FindByName(const std::vector<NestedField>& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const NestedField& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

// The one field called `name` but for case; null if there is none or several.
const NestedField* FindByNameIgnoringCase(const std::vector<NestedField>& fields,
                                          std::string_view name) {
  const NestedField* only = nullptr;
  for (const NestedField& field : fields) {
    if (!EqualsIgnoreCase(field.name, name)) continue;
    if (only != nullptr) return nullptr;
    only = &field;
  }
  return only;
}

// How a variant lies in files that do not call it one; a shredded one has further parts.
bool IsVariantStorage(const Type& type) {
  if (type.id() != TypeId::kStruct) return false;
  const NestedField* const metadata = FindByName(type.fields(), "metadata");
  const NestedField* const value = FindByName(type.fields(), "value");
  return metadata != nullptr && metadata->type->id() == TypeId::kBinary && value != nullptr &&
         value->type->id() == TypeId::kBinary;
}

bool CanStoreStruct(const Type& from, const Type& to) {
  for (const NestedField& field : from.fields()) {
    const NestedField* target = FindByName(to.fields(), field.name);
    if (target == nullptr || !CanStoreAs(*field.type, *target->type)) return false;
  }
  return std::all_of(to.fields().begin(), to.fields().end(), [&](const NestedField& field) {
    return !field.required || FindByName(from.fields(), field.name) != nullptr;
  });
}

TypeId WithoutNanos(TypeId id) {
  if (id == TypeId::kTimestampNs) return TypeId::kTimestamp;
  if (id == TypeId::kTimestamptzNs) return TypeId::kTimestamptz;
  return id;
}

TypePtr WithoutNanos(const TypePtr& type) {
  if (WithoutNanos(type->id()) != type->id()) return Type::Primitive(WithoutNanos(type->id()));
  if (!type->is_nested()) return type;
  std::vector<NestedField> fields = type->fields();
  for (NestedField& field : fields)
    field.type = WithoutNanos(field.type);
  if (type->id() == TypeId::kStruct) return Type::Struct(std::move(fields));
  if (type->id() == TypeId::kList) return Type::List(std::move(fields[0]));
  return Type::Map(std::move(fields[0]), std::move(fields[1]));
}

// The type with ids from `next_id` on: files number their nested fields each for itself.
TypePtr WithFreshIds(const TypePtr& type, int32_t& next_id) {
  if (!type->is_nested()) return type;
  std::vector<NestedField> fields = type->fields();
  for (NestedField& field : fields)
    field.id = next_id++;
  for (NestedField& field : fields)
    field.type = WithFreshIds(field.type, next_id);
  if (type->id() == TypeId::kStruct) return Type::Struct(std::move(fields));
  if (type->id() == TypeId::kList) return Type::List(std::move(fields[0]));
  return Type::Map(std::move(fields[0]), std::move(fields[1]));
}

class Fitter {
 public:
  Fitter(const std::vector<SourceColumn>& columns, SchemaPtr schema) : columns_(columns) {
    target_.schema = std::move(schema);
    target_.source_names.resize(target_.schema->fields().size());
  }

  Result<RowTarget> Run() {
    for (const SourceColumn& column : columns_)
      Place(column);
    CheckRequired();
    if (differences_.empty()) return std::move(target_);
    return MakeError(ErrorCode::kInvalidInput,
                     "the source does not fit the table: {}; the table has the columns {}",
                     fmt::join(differences_, "; "), ColumnNames());
  }

 private:
  void Place(const SourceColumn& column) {
    const std::vector<NestedField>& fields = target_.schema->fields();
    const NestedField* field = FindColumn(fields, column.name);
    if (field == nullptr) {
      differences_.push_back(fmt::format("column '{}' is not in the table", column.name));
      return;
    }
    std::string& name = target_.source_names[static_cast<size_t>(field - fields.data())];
    if (!name.empty()) {
      differences_.push_back(
          fmt::format("columns '{}' and '{}' are both '{}'", name, column.name, field->name));
      return;
    }
    name = column.name;
    if (column.type != nullptr && !CanStoreAs(*column.type, *field->type)) {
      differences_.push_back(fmt::format("column '{}' is {}, the table has {}", column.name,
                                         FormatType(*column.type), FormatType(*field->type)));
    }
    if (!column.is_in_all && field->required && !HasWriteDefault(*field)) {
      differences_.push_back(
          fmt::format("column '{}' is required, but some files lack it", field->name));
    }
  }

  void CheckRequired() {
    for (size_t i = 0; i < target_.source_names.size(); ++i) {
      const NestedField& field = target_.schema->fields()[i];
      if (target_.source_names[i].empty() && field.required && !HasWriteDefault(field)) {
        differences_.push_back(
            fmt::format("column '{}' is required, but the source lacks it", field.name));
      }
    }
  }

  static bool HasWriteDefault(const NestedField& field) {
    return field.write_default && !field.write_default->is_null();
  }

  std::string ColumnNames() const {
    std::vector<std::string> names;
    for (const NestedField& field : target_.schema->fields())
      names.push_back(field.name);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  const std::vector<SourceColumn>& columns_;
  RowTarget target_;
  std::vector<std::string> differences_;
};

}  // namespace

const NestedField* FindColumn(const std::vector<NestedField>& fields, std::string_view name) {
  const NestedField* field = FindByName(fields, name);
  return field == nullptr ? FindByNameIgnoringCase(fields, name) : field;
}

TypePtr TypeForVersion(const TypePtr& type, int format_version) {
  return format_version < 3 ? WithoutNanos(type) : type;
}

bool CanStoreAs(const Type& from, const Type& to) {
  if (from.id() == TypeId::kUnknown || from == to) return true;
  if (from.is_timestamp() && WithoutNanos(from.id()) == WithoutNanos(to.id())) return true;
  if (to.id() == TypeId::kVariant) return IsVariantStorage(from);
  if (from.id() == to.id() && from.id() == TypeId::kStruct) return CanStoreStruct(from, to);
  if (from.id() == to.id() && from.is_nested()) {
    for (size_t i = 0; i < from.fields().size(); ++i) {
      if (!CanStoreAs(*from.fields()[i].type, *to.fields()[i].type)) return false;
    }
    return true;
  }
  if (from.id() == TypeId::kFixed && to.id() == TypeId::kUuid) return from.length() == 16;
  if (from.id() == TypeId::kString && to.id() == TypeId::kUuid) return true;
  return IsPromotionAllowed(from, to, 2);
}

Result<Schema> SchemaOfColumns(const std::vector<SourceColumn>& columns, int format_version) {
  if (columns.empty()) {
    return Error(ErrorCode::kInvalidInput, "the source has no columns: it is empty");
  }
  std::vector<NestedField> fields;
  std::map<std::string, std::string> names;  // By their small letters.
  for (const SourceColumn& column : columns) {
    NestedField field;
    field.id = static_cast<int32_t>(fields.size()) + 1;
    field.name = column.name;
    field.type = TypeForVersion(column.type, format_version);
    const auto [other, is_new] = names.emplace(LowerAscii(field.name), field.name);
    if (!is_new) {
      return MakeError(ErrorCode::kInvalidInput,
                       "columns '{}' and '{}' of the source differ in case alone, and Spark, Hive "
                       "and Glue take both for one; rename one, or make the table with both first: "
                       "`firn table create --distinguish-case`",
                       other->second, field.name);
    }
    fields.push_back(std::move(field));
  }
  auto next_id = static_cast<int32_t>(fields.size()) + 1;
  for (NestedField& field : fields)
    field.type = WithFreshIds(field.type, next_id);
  return Schema(0, std::move(fields));
}

Result<RowTarget> FitColumns(const std::vector<SourceColumn>& columns, SchemaPtr schema) {
  return Fitter(columns, std::move(schema)).Run();
}

std::vector<std::string> MissingColumns(const RowTarget& target) {
  std::vector<std::string> missing;
  for (size_t i = 0; i < target.source_names.size(); ++i) {
    if (target.source_names[i].empty()) missing.push_back(target.schema->fields()[i].name);
  }
  return missing;
}

}  // namespace firn
