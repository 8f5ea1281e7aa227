#include "firn/format/layout/sort_order.h"

#include <fmt/format.h>

namespace firn {
namespace {

std::string FormatSource(const SortField& field, const Schema& schema) {
  std::string text;
  for (const int32_t id : field.source_ids) {
    if (!text.empty()) text += ", ";
    const std::string name = schema.FullName(id);
    text += name.empty() ? fmt::to_string(id) : name;
  }
  return text;
}

// True if rows in the order of `a` are in the order of `b` too (of the same source).
bool SatisfiesTransform(const Transform& a, const Transform& b) {
  if (a == b) return true;
  if (a.kind == TransformKind::kIdentity) return b.preserves_order();
  // The finer the unit of time, the more orders it keeps: hour, day, month, year.
  return a.is_time() && b.is_time() && a.kind > b.kind;
}

}  // namespace

std::string FormatSortOrder(const SortOrder& order, const Schema& schema) {
  std::string text;
  for (const SortField& field : order.fields) {
    if (!text.empty()) text += ", ";
    const std::string source = FormatSource(field, schema);
    text += field.transform.kind == TransformKind::kIdentity
                ? source
                : fmt::format("{}({})", FormatTransform(field.transform), source);
    text += field.is_descending ? " DESC" : " ASC";
    text += field.is_nulls_first ? " NULLS FIRST" : " NULLS LAST";
  }
  return text;
}

bool SatisfiesOrder(const SortOrder& order, const SortOrder& required) {
  if (required.fields.size() > order.fields.size()) return false;
  for (size_t i = 0; i < required.fields.size(); ++i) {
    const SortField& have = order.fields[i];
    const SortField& want = required.fields[i];
    if (have.source_ids != want.source_ids || have.is_descending != want.is_descending ||
        have.is_nulls_first != want.is_nulls_first ||
        !SatisfiesTransform(have.transform, want.transform)) {
      return false;
    }
    // Within one day, rows sorted by (ts, x) are not sorted by x.
    const bool is_last = i + 1 == required.fields.size();
    if (have.transform != want.transform && !is_last) return false;
  }
  return true;
}

Status ValidateSortOrder(const SortOrder& order, const Schema& schema) {
  for (const SortField& field : order.fields) {
    if (field.source_ids.empty()) {
      return MakeError(ErrorCode::kCorrupt, "sort order {}: a field has no source column",
                       order.order_id);
    }
    for (const int32_t id : field.source_ids) {
      const NestedField* source = schema.FindField(id);
      if (source == nullptr) {
        return MakeError(ErrorCode::kCorrupt, "sort order {}: source column {} is not in schema {}",
                         order.order_id, id, schema.schema_id());
      }
      if (!source->type->is_primitive() || !CanTransform(field.transform, *source->type)) {
        return MakeError(ErrorCode::kCorrupt,
                         "sort order {}: {} of column '{}' is not defined for type {}",
                         order.order_id, FormatTransform(field.transform), schema.FullName(id),
                         FormatType(*source->type));
      }
    }
  }
  return {};
}

}  // namespace firn
