#include <algorithm>
#include <optional>

#include "firn/scan/delete_index_internal.h"

// Equality deletes against a data file, by the metrics of both: most pairs in a table with many
// deletes have no row in common.

namespace firn {
namespace {

// The column in the newest schema that has it; a delete may name a column that was dropped since.
struct FoundColumn {
  const Type* type = nullptr;  // Null: no schema has it.
  bool is_nested = false;
};

FoundColumn FindColumn(int32_t field_id, const std::vector<SchemaPtr>& schemas) {
  for (const SchemaPtr& schema : schemas) {
    if (const NestedField* field = schema->FindField(field_id)) {
      return {field->type.get(), schema->ParentId(field_id).has_value()};
    }
  }
  return {};
}

// Bounds of floats leave out NaN, and those of UUIDs may be of either of two orders.
bool HasUsableBounds(const Type& type) {
  return type.is_primitive() && !type.is_float() && type.id() != TypeId::kUuid &&
         type.id() != TypeId::kGeometry && type.id() != TypeId::kGeography;
}

Value ReadBound(const FieldMap<std::string>& bounds, int32_t field_id, const Type& type) {
  const std::string* bytes = FindInFieldMap(bounds, field_id);
  return bytes == nullptr ? Value() : FromBoundBytes(AsBytes(*bytes), type);
}

std::optional<int64_t> ReadCount(const FieldMap<int64_t>& counts, int32_t field_id) {
  const int64_t* count = FindInFieldMap(counts, field_id);
  return count == nullptr || *count < 0 ? std::nullopt : std::optional(*count);
}

bool MayBeEqual(const EqualityColumn& deletes, const EqualityColumn& data) {
  if (deletes.may_have_null && data.may_have_null) return true;
  if (deletes.is_all_null || data.is_all_null) return false;
  const auto is_above = [](const Value& lower, const Value& upper) {
    return !lower.is_null() && !upper.is_null() && CompareValues(lower, upper) > 0;
  };
  return !is_above(deletes.lower, data.upper) && !is_above(data.lower, deletes.upper);
}

}  // namespace

std::vector<EqualityColumn> DescribeEqualityColumns(const FileMetrics& metrics,
                                                    const std::vector<int32_t>& field_ids,
                                                    const std::vector<SchemaPtr>& schemas) {
  std::vector<EqualityColumn> columns;
  columns.reserve(field_ids.size());
  for (const int32_t field_id : field_ids) {
    EqualityColumn column{.field_id = field_id};
    const FoundColumn found = FindColumn(field_id, schemas);
    // Writers disagree on what they count where a parent is null.
    if (found.type != nullptr && !found.is_nested) {
      const auto values = ReadCount(metrics.value_counts, field_id);
      const auto nulls = ReadCount(metrics.null_value_counts, field_id);
      column.may_have_null = !nulls || *nulls > 0;
      column.is_all_null = values && nulls && *values > 0 && *values == *nulls;
    }
    if (found.type != nullptr && HasUsableBounds(*found.type)) {
      column.lower = ReadBound(metrics.lower_bounds, field_id, *found.type);
      column.upper = ReadBound(metrics.upper_bounds, field_id, *found.type);
      const bool is_broken = !column.lower.is_null() && !column.upper.is_null() &&
                             CompareValues(column.lower, column.upper) > 0;
      if (is_broken) column.lower = column.upper = Value();
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

bool MayShareRows(const std::vector<EqualityColumn>& deletes,
                  const std::vector<EqualityColumn>& data) {
  for (const EqualityColumn& column : deletes) {
    const auto other = std::find_if(data.begin(), data.end(), [&](const EqualityColumn& candidate) {
      return candidate.field_id == column.field_id;
    });
    if (other != data.end() && !MayBeEqual(column, *other)) return false;
  }
  return true;
}

}  // namespace firn
