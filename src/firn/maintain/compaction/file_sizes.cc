#include <algorithm>

#include "firn/maintain/compaction/file_sizes_internal.h"

namespace firn {
namespace {

/// Headers and footers of one more file: keeps a split from being cut just short of the end.
constexpr int64_t kSplitOverheadBytes = 5 * 1024;

}  // namespace

int64_t FileSizes::WriteMax() const { return target_bytes + (max_bytes - target_bytes) / 2; }

int64_t FileSizes::ExpectedOutputs(int64_t input_bytes) const {
  if (input_bytes < target_bytes) {
    return 1;
  }
  const int64_t down = input_bytes / target_bytes;
  const int64_t remainder = input_bytes % target_bytes;
  const int64_t up = remainder > 0 ? down + 1 : down;
  if (remainder > min_bytes) {
    return up;
  }
  // A small rest is spread over the other files unless they would become too large.
  const auto tenth_more = static_cast<int64_t>(1.1 * static_cast<double>(target_bytes));
  return input_bytes / down < std::min(tenth_more, WriteMax()) ? down : up;
}

int64_t FileSizes::SplitBytes(int64_t input_bytes) const {
  const int64_t estimate = input_bytes / ExpectedOutputs(input_bytes) + kSplitOverheadBytes;
  return estimate < target_bytes ? target_bytes : std::min(estimate, WriteMax());
}

std::vector<size_t> PackInOrder(size_t count, const std::function<int64_t(size_t)>& weight,
                                int64_t bin_weight_max, int64_t bin_count_max) {
  std::vector<size_t> ends;
  int64_t bin_weight = 0;
  int64_t bin_count = 0;
  for (size_t i = 0; i < count; ++i) {
    const int64_t item = weight(i);
    const bool is_full =
        bin_count > 0 && (item > bin_weight_max - std::min(bin_weight, bin_weight_max) ||
                          bin_count >= bin_count_max);
    if (is_full) {
      ends.push_back(i);
      bin_weight = 0;
      bin_count = 0;
    }
    bin_weight += item;
    ++bin_count;
  }
  if (bin_count > 0) {
    ends.push_back(count);
  }
  return ends;
}

}  // namespace firn
