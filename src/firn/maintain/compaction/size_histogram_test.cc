#include "firn/maintain/compaction/size_histogram.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(SizeHistogramTest, CountsFilesByClassesOfSize) {
  SizeHistogram sizes;
  EXPECT_EQ(sizes.Format(), "none");
  sizes.Add(0);
  sizes.Add(kMiB - 1);
  sizes.Add(kMiB, 3);
  sizes.Add(512 * kMiB);
  EXPECT_EQ(sizes.Format(), "2 below 1 MiB, 3 below 16 MiB, 1 of 512 MiB and more");
  EXPECT_EQ(sizes.files(), 6);
  EXPECT_EQ(sizes.bytes(), 516 * kMiB - 1);
}

}  // namespace
}  // namespace firn
