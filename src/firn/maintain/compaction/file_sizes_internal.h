#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace firn {

/// Size arithmetic of rewrites: which files are too small or too large, and how large outputs get.
/// Shared by the compaction of data files and of position delete files.
struct FileSizes {
  int64_t target_bytes = 0;
  int64_t min_bytes = 0;
  int64_t max_bytes = 0;

  /// Roll output files at this size at the latest.
  int64_t WriteMax() const;

  bool IsOutOfRange(int64_t bytes) const { return bytes < min_bytes || bytes > max_bytes; }

  /// How many files `input_bytes` should become, at least 1.
  int64_t ExpectedOutputs(int64_t input_bytes) const;

  /// Size at which to split the input of a group so that `ExpectedOutputs` files come out.
  int64_t SplitBytes(int64_t input_bytes) const;
};

/// Fill bins strictly in order: a new bin is begun where the next item does not fit.
/// Returns the end index of each bin.
std::vector<size_t> PackInOrder(size_t count, const std::function<int64_t(size_t)>& weight,
                                int64_t bin_weight_max, int64_t bin_count_max);

}  // namespace firn
