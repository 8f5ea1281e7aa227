#pragma once

#include <optional>

#include "firn/data/metrics/metrics_mode_internal.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value.h"

namespace firn {

/// What was counted of one leaf of a file.
struct LeafStatistics {
  const NestedField* field = nullptr;
  MetricsMode mode;
  std::optional<int64_t> stored_bytes;    ///< Empty: told elsewhere.
  int64_t value_count = 0;                ///< With nulls.
  std::optional<int64_t> null_count = 0;  ///< Empty: not known.
  std::optional<int64_t> nan_count = 0;   ///< Empty: not known.
  Value lower;                            ///< Null: no value, or bounds are not wanted.
  Value upper;
};

/// Whether a bound may be only the beginning of a value.
bool IsCutBound(const Value& bound);

/// Put into `metrics` what the leaf's mode keeps. Leaves come by ascending id. Errors: kInternal.
Status AddLeafMetrics(const LeafStatistics& leaf, FileMetrics& metrics);

}  // namespace firn
