#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/format/layout/partition_spec.h"
#include "firn/format/layout/sort_order.h"

/// Partition specs and sort orders as people write them: "days(ts), bucket(16, id) as b" and "id
/// desc nulls last, truncate(4, name)". Transforms are identity (a bare name), year(s), month(s),
/// day(s), hour(s), bucket(N, c), truncate(W, c) and void(c). Columns are full names.

namespace firn {

struct PartitionTerm {
  std::string column;
  Transform transform;
  std::optional<std::string> name;  ///< After "as".
  bool operator==(const PartitionTerm&) const = default;
};

struct SortTerm {
  std::string column;
  Transform transform;
  bool is_descending = false;
  bool is_nulls_first = true;  ///< Unless said otherwise, nulls come first if ascending.
  bool operator==(const SortTerm&) const = default;
};

/// No terms for a blank text. Errors: kInvalidInput with the position.
Result<std::vector<PartitionTerm>> ParsePartitionText(std::string_view text);
/// One term. Errors: as above.
Result<PartitionTerm> ParsePartitionFieldText(std::string_view text);
/// No terms for a blank text. Errors: as above.
Result<std::vector<SortTerm>> ParseSortOrderText(std::string_view text);

/// "bucket(16, id) as b": text that is read as the same terms.
std::string FormatPartitionTerm(const PartitionTerm& term);
std::string FormatSortTerm(const SortTerm& term);

/// How Spark calls a field of a new table ("id_bucket") and one that is added later
/// ("id_bucket_16").
enum class PartitionNaming { kNewTable, kAdded };
std::string DefaultPartitionName(std::string_view column, const Transform& transform,
                                 PartitionNaming naming);

/// The spec of a new table. Errors: kInvalidInput: no such column, or what the spec forbids.
Result<PartitionSpec> MakePartitionSpec(const std::vector<PartitionTerm>& terms,
                                        const Schema& schema);

/// The id of the order is 0 if it has no fields, else 1. Errors: as above.
Result<SortOrder> MakeSortOrder(const std::vector<SortTerm>& terms, const Schema& schema);

}  // namespace firn
