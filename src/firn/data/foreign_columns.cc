#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/data/column_convert_internal.h"
#include "firn/data/foreign_columns_internal.h"
#include "firn/data/variant_column_internal.h"

namespace firn {
namespace {

using ArrowId = arrow::Type;

// Why values of `from` would not come out of the table as they are in the file; empty: they do.
std::string TypeDifference(const arrow::DataType& from, const Type& to, int format_version) {
  if (!CanConvertColumn(from, to)) {
    return fmt::format("is {} in the file and {} in the table", from.ToString(), FormatType(to));
  }
  if (from.id() == ArrowId::DATE32 && to.is_timestamp() && format_version < 3) {
    return fmt::format("is date in the file and {} in the table, which needs format version 3",
                       FormatType(to));
  }
  if (from.id() == ArrowId::TIMESTAMP && to.is_timestamp()) {
    const auto& time = static_cast<const arrow::TimestampType&>(from);
    const bool is_fine = to.id() == TypeId::kTimestampNs || to.id() == TypeId::kTimestamptzNs;
    if (time.unit() == arrow::TimeUnit::NANO && !is_fine) {
      return fmt::format("has nanoseconds in the file, which {} of the table would cut off",
                         FormatType(to));
    }
    const bool wants_zone = to.id() == TypeId::kTimestamptz || to.id() == TypeId::kTimestamptzNs;
    if (!time.timezone().empty() && !wants_zone) {
      return fmt::format("is an instant (adjusted to UTC) in the file and {} in the table",
                         FormatType(to));
    }
  }
  return {};
}

bool HadName(const TableMetadata& metadata, int32_t id, const std::string& name) {
  return std::any_of(metadata.schemas.begin(), metadata.schemas.end(),
                     [&](const SchemaPtr& schema) {
                       const NestedField* field = schema->FindField(id);
                       return field != nullptr && field->name == name;
                     });
}

class Matcher {
 public:
  Matcher(const TableMetadata& metadata, bool is_mapped_by_name)
      : metadata_(metadata), is_mapped_by_name_(is_mapped_by_name) {}

  ColumnMatch Match(const Schema& schema, const std::vector<FileField>& fields) {
    MatchStruct(schema.fields(), fields, "", false);
    for (const FileField& field : fields) {
      const bool is_known = field.id && schema.FindField(*field.id) != nullptr;
      if (!is_known && !is_told_.contains(&field)) match_.unknown_columns.push_back(field.name);
    }
    if (match_.found_ids.empty() && !schema.fields().empty()) {
      match_.differences.emplace_back("the file has no column of the table");
    }
    std::sort(match_.leaves.begin(), match_.leaves.end(),
              [](const MatchedLeaf& a, const MatchedLeaf& b) { return a.field.id < b.field.id; });
    return std::move(match_);
  }

 private:
  void Tell(const std::string& path, std::string_view what) {
    match_.differences.push_back(fmt::format("column '{}' {}", path, what));
  }

  void MatchStruct(const std::vector<NestedField>& targets, const std::vector<FileField>& fields,
                   const std::string& parent, bool is_repeated) {
    for (const NestedField& target : targets) {
      const std::string path = parent.empty() ? target.name : parent + "." + target.name;
      const FileField* field = FindFileField(fields, target.id);
      if (field == nullptr) {
        MatchMissing(target, fields, path);
        continue;
      }
      if (!is_mapped_by_name_ && field->name != target.name &&
          !HadName(metadata_, target.id, field->name)) {
        Tell(path, fmt::format("has the field id {}, which is column '{}' of the file", target.id,
                               field->name));
      }
      MatchField(target, *field, path, is_repeated);
    }
  }

  void MatchMissing(const NestedField& target, const std::vector<FileField>& fields,
                    const std::string& path) {
    const auto other = std::find_if(fields.begin(), fields.end(), [&](const FileField& field) {
      return !field.id && EqualsIgnoreCase(field.name, target.name);
    });
    if (other != fields.end()) {
      is_told_.insert(&*other);
      Tell(path, other->name == target.name
                     ? std::string("is in the file, but without field id, and the name mapping of "
                                   "the table ('schema.name-mapping.default') does not name it")
                     : fmt::format("is called '{}' in the file", other->name));
    } else if (target.required && !target.initial_default) {
      Tell(path, "is required, and the file lacks it");
    }
  }

  void MatchField(const NestedField& target, const FileField& field, const std::string& path,
                  bool is_repeated) {
    match_.found_ids.insert(target.id);
    const Type& type = *target.type;
    const auto shape = field.type->id();
    if (type.id() == TypeId::kStruct && shape == ArrowId::STRUCT) {
      MatchStruct(type.fields(), field.children, path, is_repeated);
    } else if (type.id() == TypeId::kList && IsListLike(*field.type) &&
               field.children.size() == 1) {
      MatchField(type.element(), field.children[0], path + ".element", true);
    } else if (type.id() == TypeId::kMap && shape == ArrowId::MAP && field.children.size() == 2) {
      MatchField(type.key(), field.children[0], path + ".key", true);
      MatchField(type.value(), field.children[1], path + ".value", true);
    } else if (type.id() == TypeId::kUnknown) {
      return;
    } else if (type.id() == TypeId::kVariant && IsVariantGroup(field)) {
      return;  // Its parts have no ids, and no values of their own.
    } else if (type.is_nested() || !field.children.empty()) {
      Tell(path, fmt::format("is {} in the file and {} in the table", field.type->ToString(),
                             FormatType(type)));
    } else {
      const std::string difference = TypeDifference(*field.type, type, metadata_.format_version);
      if (!difference.empty()) Tell(path, difference);
      match_.leaves.push_back({field.first_leaf, target, field.type, is_repeated});
    }
  }

  const TableMetadata& metadata_;
  const bool is_mapped_by_name_;
  ColumnMatch match_;
  std::set<const FileField*> is_told_;  // Columns of the file that a difference names.
};

}  // namespace

ColumnMatch MatchColumns(const TableMetadata& metadata, const Schema& schema,
                         const std::vector<FileField>& fields, bool is_mapped_by_name) {
  return Matcher(metadata, is_mapped_by_name).Match(schema, fields);
}

}  // namespace firn
