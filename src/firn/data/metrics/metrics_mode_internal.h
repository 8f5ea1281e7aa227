#pragma once

#include <cstdint>
#include <map>

#include "firn/base/result.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// Which statistics a column gets (`write.metadata.metrics.*`).
struct MetricsMode {
  enum class Kind { kNone, kCounts, kTruncate, kFull };
  Kind kind = Kind::kTruncate;
  int32_t width = 16;  ///< Of kTruncate: code points of text, bytes of binary.
};

/// The mode of each leaf of `schema` that is not inside a list or a map: the column's own property,
/// else the default; without a default property only the first columns get any; columns of the sort
/// order get bounds at least. Errors: kInvalidInput, naming the property.
Result<std::map<int32_t, MetricsMode>> MetricsModes(const TableMetadata& metadata,
                                                    const Schema& schema);

}  // namespace firn
