#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/data/columns/column_convert_internal.h"
#include "firn/data/columns/variant_column_internal.h"
#include "firn/data/facts/foreign_columns_internal.h"

namespace firn {
namespace {

using ArrowId = arrow::Type;

// Whether a time of the file has digits that the table's type has not.
bool IsTooFine(const arrow::DataType& from, const Type& to) {
  const bool is_fine = to.id() == TypeId::kTimestampNs || to.id() == TypeId::kTimestamptzNs;
  return from.id() == ArrowId::TIMESTAMP && to.is_timestamp() && !is_fine &&
         static_cast<const arrow::TimestampType&>(from).unit() == arrow::TimeUnit::NANO;
}

// Why values of `from` would not come out of the table as they are in the file; empty: they do.
std::string TypeDifference(const arrow::DataType& from, const Type& to, int format_version,
                           bool has_only_nanos) {
  if (!CanConvertColumn(from, to)) {
    return fmt::format("is {} in the file and {} in the table", from.ToString(), FormatType(to));
  }
  if (from.id() == ArrowId::DATE32 && to.is_timestamp() && format_version < 3) {
    return fmt::format("is date in the file and {} in the table, which needs format version 3",
                       FormatType(to));
  }
  if (IsTooFine(from, to) && !has_only_nanos) {
    return fmt::format("has nanoseconds in the file, which {} of the table would cut off",
                       FormatType(to));
  }
  if (from.id() == ArrowId::TIMESTAMP && to.is_timestamp()) {
    const auto& time = static_cast<const arrow::TimestampType&>(from);
    const bool wants_zone = to.id() == TypeId::kTimestamptz || to.id() == TypeId::kTimestamptzNs;
    if (!time.timezone().empty() && !wants_zone) {
      return fmt::format("is an instant (adjusted to UTC) in the file and {} in the table",
                         FormatType(to));
    }
  }
  return {};
}

bool IsBytes(const arrow::DataType& type) {
  return type.id() == ArrowId::BINARY || type.id() == ArrowId::LARGE_BINARY ||
         type.id() == ArrowId::BINARY_VIEW;
}

bool IsText(const arrow::DataType& type) {
  return type.id() == ArrowId::STRING || type.id() == ArrowId::LARGE_STRING ||
         type.id() == ArrowId::STRING_VIEW;
}

// What firn reads, though the file does not say that it means this. Empty: nothing.
std::string GuessDifference(const arrow::DataType& from, const Type& to) {
  if (from.id() == ArrowId::TIME64 && to.id() == TypeId::kTime &&
      static_cast<const arrow::TimeType&>(from).unit() == arrow::TimeUnit::NANO) {
    return "has nanoseconds in the file, which time of the table would cut off";
  }
  const bool is_number = from.id() == ArrowId::INT64 || from.id() == ArrowId::INT32;
  const bool is_time = to.id() == TypeId::kTime || to.id() == TypeId::kDate || to.is_timestamp();
  if (is_number && is_time) {
    return fmt::format("is a plain number ({}) in the file, without unit, and {} in the table",
                       from.ToString(), FormatType(to));
  }
  const bool is_fixed = to.id() == TypeId::kUuid || to.id() == TypeId::kFixed;
  if (is_fixed && (IsBytes(from) || IsText(from))) {
    return fmt::format("is {} in the file and {} in the table", from.ToString(), FormatType(to));
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
  Matcher(const TableMetadata& metadata, const MatchOptions& options)
      : metadata_(metadata), options_(options) {}

  ColumnMatch Match(const Schema& schema, const std::vector<FileField>& fields) {
    MatchStruct(schema.fields(), fields, "", {});
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

  // Where a field is.
  struct Place {
    bool is_repeated = false;
    bool is_required = false;
  };

  void MatchStruct(const std::vector<NestedField>& targets, const std::vector<FileField>& fields,
                   const std::string& parent, const Place& place) {
    for (const NestedField& target : targets) {
      const std::string path = parent.empty() ? target.name : parent + "." + target.name;
      const FileField* field = FindFileField(fields, target.id);
      if (field == nullptr) {
        MatchMissing(target, fields, path);
        continue;
      }
      const auto count = std::count_if(fields.begin(), fields.end(),
                                       [&](const FileField& one) { return one.id == target.id; });
      if (count > 1) {
        Tell(path, fmt::format("is {} times in the file, and nobody knows which is meant", count));
      }
      if (!options_.is_mapped_by_name && field->name != target.name &&
          !HadName(metadata_, target.id, field->name)) {
        Tell(path, fmt::format("has the field id {}, which is column '{}' of the file", target.id,
                               field->name));
      }
      MatchField(target, *field, path, place);
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
                  Place place) {
    place.is_required |= target.required;
    Place inside = place;
    inside.is_repeated = true;
    match_.found_ids.insert(target.id);
    const Type& type = *target.type;
    const auto shape = field.type->id();
    if (type.id() == TypeId::kStruct && shape == ArrowId::STRUCT) {
      MatchStruct(type.fields(), field.children, path, place);
    } else if (type.id() == TypeId::kList && IsListLike(*field.type) &&
               field.children.size() == 1) {
      MatchField(type.element(), field.children[0], path + ".element", inside);
    } else if (type.id() == TypeId::kMap && shape == ArrowId::MAP && field.children.size() == 2) {
      NestedField key = type.key();
      key.required = false;  // No map has a null as key.
      MatchField(key, field.children[0], path + ".key", inside);
      MatchField(type.value(), field.children[1], path + ".value", inside);
    } else if (type.id() == TypeId::kUnknown) {
      return;
    } else if (type.id() == TypeId::kVariant && IsVariantGroup(field)) {
      return;  // Its parts have no ids, and no values of their own.
    } else if (type.is_nested() || !field.children.empty()) {
      Tell(path, fmt::format("is {} in the file and {} in the table", field.type->ToString(),
                             FormatType(type)));
    } else {
      std::string difference =
          TypeDifference(*field.type, type, metadata_.format_version, options_.has_only_nanos);
      if (difference.empty() && options_.is_adoption) {
        difference = GuessDifference(*field.type, type);
      }
      if (!difference.empty()) Tell(path, difference);
      match_.leaves.push_back(
          {.leaf = field.first_leaf,
           .field = target,
           .file_type = field.type,
           .is_repeated = place.is_repeated,
           .is_required = place.is_required,
           .may_be_too_fine = IsTooFine(*field.type, type),
           .is_text_in_bytes = type.id() == TypeId::kString && IsBytes(*field.type)});
    }
  }

  const TableMetadata& metadata_;
  const MatchOptions options_;
  ColumnMatch match_;
  std::set<const FileField*> is_told_;  // Columns of the file that a difference names.
};

}  // namespace

ColumnMatch MatchColumns(const TableMetadata& metadata, const Schema& schema,
                         const std::vector<FileField>& fields, const MatchOptions& options) {
  return Matcher(metadata, options).Match(schema, fields);
}

}  // namespace firn
