#include "firn/maintain/compaction/size_histogram.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace firn {

void SizeHistogram::Add(int64_t bytes, int64_t files) {
  const auto* bound = std::upper_bound(kBounds.begin(), kBounds.end(), bytes);
  counts_[static_cast<size_t>(bound - kBounds.begin())] += files;
  bytes_ += bytes * files;
}

int64_t SizeHistogram::files() const {
  return std::accumulate(counts_.begin(), counts_.end(), int64_t{0});
}

std::string SizeHistogram::Format() const {
  std::string text;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += i < kBounds.size()
                ? fmt::format("{} below {} MiB", counts_[i], kBounds[i] / kMiB)
                : fmt::format("{} of {} MiB and more", counts_[i], kBounds.back() / kMiB);
  }
  return text.empty() ? "none" : text;
}

}  // namespace firn
