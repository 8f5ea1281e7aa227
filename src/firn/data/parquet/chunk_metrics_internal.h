#pragma once

#include <map>
#include <vector>

#include "firn/data/metrics/metrics_mode_internal.h"
#include "firn/data/parquet/parquet_schema_internal.h"
#include "firn/format/manifest/manifest.h"

namespace firn {

/// Iceberg's statistics of a file, from what its column chunks tell: exact, whatever a footer
/// leaves out.
class ChunkMetrics {
 public:
  ChunkMetrics(const ParquetLayout& layout, const std::map<int32_t, MetricsMode>& modes);

  /// Add a chunk of the leaf `leaf` of the layout. Errors: kCorrupt: a bound that is no value.
  Status Add(size_t leaf, const EncodedChunk& chunk);

  /// Errors: kInternal.
  Result<FileMetrics> Finish() const;

 private:
  struct Leaf {
    int64_t stored_bytes = 0;
    int64_t value_count = 0;
    int64_t null_count = 0;
    int64_t nan_count = 0;
    Value lower;
    Value upper;
  };

  const ParquetLayout& layout_;
  const std::map<int32_t, MetricsMode>& modes_;
  std::vector<Leaf> leaves_;
};

}  // namespace firn
