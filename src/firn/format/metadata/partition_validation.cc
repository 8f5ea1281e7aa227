#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "firn/format/metadata/partition_change.h"

namespace firn {
namespace {

Status CheckSource(const PartitionField& field, int32_t source_id, const Schema& schema) {
  const NestedField* source = schema.FindField(source_id);
  if (source == nullptr) {
    return MakeError(ErrorCode::kCorrupt,
                     "partition field '{}': source column {} is not in schema {}", field.name,
                     source_id, schema.schema_id());
  }
  const std::string name = schema.FullName(source_id);
  if (!source->type->is_primitive()) {
    return MakeError(ErrorCode::kCorrupt,
                     "partition field '{}': source column '{}' has type {}, expected a primitive",
                     field.name, name, FormatType(*source->type));
  }
  if (!schema.StructPath(source_id)) {
    return MakeError(ErrorCode::kCorrupt,
                     "partition field '{}': source column '{}' lies in a list or a map, expected "
                     "structs only",
                     field.name, name);
  }
  if (!CanTransform(field.transform, *source->type)) {
    return MakeError(ErrorCode::kCorrupt,
                     "partition field '{}': transform {} is not defined for type {} of column '{}'",
                     field.name, FormatTransform(field.transform), FormatType(*source->type), name);
  }
  return {};
}

// A field may be called like a column only if it holds that column's values.
bool IsNameFree(const PartitionField& field, const Schema& schema) {
  const NestedField* column = schema.FindField(field.name);
  if (column == nullptr) return true;
  const bool is_same = field.transform.kind == TransformKind::kIdentity ||
                       field.transform.kind == TransformKind::kVoid;
  return is_same && column->id == field.source_id();
}

// What may stand only once per source: all time transforms count as one.
std::string RedundancyKey(const Transform& transform) {
  return transform.is_time() ? "time" : FormatTransform(transform);
}

bool IsKept(const PartitionField& field, const PartitionSpec& previous) {
  return std::find(previous.fields.begin(), previous.fields.end(), field) != previous.fields.end();
}

Status CheckNewField(const PartitionField& field, const Schema& schema) {
  if (field.transform.kind == TransformKind::kUnknown) {
    return MakeError(ErrorCode::kInvalidInput,
                     "partition field '{}': transform is '{}', expected one of bucket, day, "
                     "hour, identity, month, truncate, void, year",
                     field.name, field.transform.text);
  }
  if (IsNameFree(field, schema)) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   "partition field '{}' is called like a column whose values it does not "
                   "hold; choose another name",
                   field.name);
}

}  // namespace

Status ValidatePartitionSpec(const PartitionSpec& spec, const Schema& schema) {
  std::set<std::string> names;
  std::set<int32_t> ids;
  for (const PartitionField& field : spec.fields) {
    if (field.name.empty()) {
      return MakeError(ErrorCode::kCorrupt, "partition field {} has an empty name", field.field_id);
    }
    if (!names.insert(field.name).second) {
      return MakeError(ErrorCode::kCorrupt,
                       "partition field name '{}' stands twice, expected unique names", field.name);
    }
    if (!ids.insert(field.field_id).second) {
      return MakeError(ErrorCode::kCorrupt,
                       "partition field '{}' has the id {} of another field, expected unique ids",
                       field.name, field.field_id);
    }
    if (field.transform.kind == TransformKind::kVoid) continue;  // Its column may be gone.
    if (field.source_ids.empty()) {
      return MakeError(ErrorCode::kCorrupt, "partition field '{}' has no source column",
                       field.name);
    }
    for (const int32_t source_id : field.source_ids) {
      FIRN_RETURN_IF_ERROR(CheckSource(field, source_id, schema));
    }
  }
  return {};
}

Status ValidateNewPartitionSpec(const PartitionSpec& spec, const Schema& schema) {
  return ValidateChangedPartitionSpec(spec, schema, PartitionSpec());
}

Status ValidateChangedPartitionSpec(const PartitionSpec& spec, const Schema& schema,
                                    const PartitionSpec& previous) {
  std::map<std::pair<std::vector<int32_t>, std::string>, std::vector<const PartitionField*>> alike;
  for (const PartitionField& field : spec.fields) {
    const bool is_kept = IsKept(field, previous);
    if (!is_kept) FIRN_RETURN_IF_ERROR(CheckNewField(field, schema));
    if (field.transform.kind == TransformKind::kVoid) continue;
    auto& others = alike[{field.source_ids, RedundancyKey(field.transform)}];
    // What another writer allowed itself stays.
    if (is_kept) {
      others.insert(others.begin(), &field);
    } else {
      others.push_back(&field);
    }
  }
  for (const auto& [key, fields] : alike) {
    if (fields.size() < 2 || IsKept(*fields.back(), previous)) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "partition field '{}' is redundant: column '{}' has a {} field already, '{}'",
                     fields.back()->name, schema.FullName(fields.back()->source_id()), key.second,
                     fields.front()->name);
  }
  return {};
}

}  // namespace firn
