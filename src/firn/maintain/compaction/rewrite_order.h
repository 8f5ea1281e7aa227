#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/format/layout/sort_order.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// How a rewrite arranges the rows of a group.
struct RewriteOrder {
  enum class Strategy {
    kBinpack,  ///< As they come.
    kSort,     ///< By `sort_order`, over all files of the group.
    kZOrder,   ///< Along a z-order curve through `columns`.
    kHilbert,  ///< Along a Hilbert curve through `columns`, scaled by their quantiles.
  };
  Strategy strategy = Strategy::kBinpack;
  /// Of kSort. The id is that of the table's order with these fields, else 0.
  SortOrder sort_order;
  std::vector<int32_t> columns;       ///< Of the curves: top-level fields.
  int64_t key_bytes_max = INT32_MAX;  ///< Of kZOrder: option `max-output-size`.
  int64_t text_bytes = 8;             ///< Of kZOrder: option `var-length-contribution`.
};

/// From the arguments `strategy` (binpack or sort; empty: sort if there is an order) and
/// `sort_order`: columns with directions, or zorder(a, b), or hilbert(a, b); empty: that of the
/// table. Columns that all rows of a partition have in common are left out of curves.
/// Errors: kInvalidInput.
Result<RewriteOrder> ParseRewriteOrder(const TableMetadata& metadata,
                                       const std::optional<std::string>& strategy,
                                       const std::optional<std::string>& sort_order);

}  // namespace firn
