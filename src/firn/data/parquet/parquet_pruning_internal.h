#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <parquet/metadata.h>

#include "firn/data/columns/column_resolver_internal.h"
#include "firn/expression/expression.h"

/// Which row groups a filter may match, by the statistics of a Parquet footer.

namespace firn {

/// A leaf of the file that the filter tests.
struct FilterLeaf {
  int leaf = 0;
  int32_t field_id = 0;
  TypePtr type;                                ///< Of the table's column.
  std::shared_ptr<arrow::DataType> file_type;  ///< As Arrow reads it.
};

/// A bound (single-value binary) from a plain-encoded statistics value; nullopt if the file's order
/// of values may differ from the order of the table's type, or the value means nothing.
std::optional<std::string> BoundFromStatistics(const FilterLeaf& leaf, parquet::Type::type physical,
                                               std::string_view encoded, bool is_upper);

class RowGroupFilter {
 public:
  /// `filter` (may be null) is bound to fields of `wanted`, which `plan` resolves.
  RowGroupFilter(ExpressionPtr filter, const std::vector<NestedField>& wanted,
                 const ReadPlan& plan);

  /// False only if no row of the group can match.
  bool MightMatch(const parquet::RowGroupMetaData& row_group) const;

  /// As above, for any run of rows of which `metrics` holds what is known.
  bool MightMatch(const FileMetrics& metrics, int64_t row_count) const;

  /// Columns that the filter tests, by field id; empty without a filter.
  const std::vector<FilterLeaf>& leaves() const { return leaves_; }

 private:
  void CollectLeaves(const ColumnPlan& plan, const std::set<int32_t>& ids);

  ExpressionPtr filter_;
  Schema schema_;
  std::vector<FilterLeaf> leaves_;
};

}  // namespace firn
