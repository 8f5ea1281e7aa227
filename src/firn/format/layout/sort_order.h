#pragma once

#include <string>
#include <vector>

#include "firn/format/json/extra_fields.h"
#include "firn/format/layout/transform.h"
#include "firn/format/schema/schema.h"

namespace firn {

struct SortField {
  std::vector<int32_t> source_ids;
  Transform transform;
  bool is_descending = false;
  bool is_nulls_first = true;
  ExtraFields extra;

  int32_t source_id() const { return source_ids.empty() ? 0 : source_ids.front(); }
  bool operator==(const SortField&) const = default;
};

/// Order 0 is unsorted and has no fields.
struct SortOrder {
  int32_t order_id = 0;
  std::vector<SortField> fields;
  ExtraFields extra;
  bool operator==(const SortOrder&) const = default;
};

/// "id DESC NULLS LAST, bucket[16](name) ASC NULLS FIRST"; a column that is gone shows its id.
std::string FormatSortOrder(const SortOrder& order, const Schema& schema);

/// True if rows sorted by `order` are sorted by `required` too: it is a prefix, whose last
/// transform may be coarser than that of `order`.
bool SatisfiesOrder(const SortOrder& order, const SortOrder& required);

/// Errors: kCorrupt, naming the column: sources missing, or transforms not defined for them.
Status ValidateSortOrder(const SortOrder& order, const Schema& schema);

}  // namespace firn
