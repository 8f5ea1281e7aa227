#pragma once

#include <map>
#include <vector>

#include "firn/data/metrics_mode_internal.h"
#include "firn/data/transcode_input_internal.h"
#include "firn/format/manifest.h"

namespace firn {

/// Iceberg's statistics of a file that was put together from column chunks.
class TranscodeMetrics {
 public:
  TranscodeMetrics(const TranscodeLayout& layout, const std::map<int32_t, MetricsMode>& modes);

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

  const TranscodeLayout& layout_;
  const std::map<int32_t, MetricsMode>& modes_;
  std::vector<Leaf> leaves_;
};

}  // namespace firn
