#include <gmock/gmock.h>

#include "firn/maintain/compaction/file_sizes_internal.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kMiB = 1024 * 1024;
constexpr FileSizes kDefault{
    .target_bytes = 512 * kMiB, .min_bytes = 402653184, .max_bytes = 966367641};

struct SizeVector {
  int64_t input_mib;
  int64_t expected_outputs;
  int64_t split_bytes;
};

// Reference, iceberg-operations 2.8: computed from Java for a target of 512 MiB.
constexpr SizeVector kVectors[] = {
    {300, 1, 536870912},   {512, 1, 536876032},    {513, 1, 537924608},  {600, 2, 536870912},
    {896, 2, 536870912},   {1100, 2, 576721920},   {1200, 3, 536870912}, {2000, 4, 536870912},
    {5171, 10, 542223769}, {10240, 20, 536876032},
};

TEST(FileSizesTest, LimitsTheWriteSizeHalfWayToTheMaximum) {
  EXPECT_EQ(kDefault.WriteMax(), 751619276);
}

TEST(FileSizesTest, ExpectsAsManyOutputsAsJava) {
  for (const SizeVector& vector : kVectors) {
    EXPECT_EQ(kDefault.ExpectedOutputs(vector.input_mib * kMiB), vector.expected_outputs)
        << vector.input_mib << " MiB";
  }
}

TEST(FileSizesTest, SplitsAsJava) {
  for (const SizeVector& vector : kVectors) {
    EXPECT_EQ(kDefault.SplitBytes(vector.input_mib * kMiB), vector.split_bytes)
        << vector.input_mib << " MiB";
  }
}

TEST(FileSizesTest, TakesTheLimitsThemselvesAsInRange) {
  EXPECT_FALSE(kDefault.IsOutOfRange(402653184));
  EXPECT_FALSE(kDefault.IsOutOfRange(966367641));
  EXPECT_TRUE(kDefault.IsOutOfRange(402653183));
  EXPECT_TRUE(kDefault.IsOutOfRange(966367642));
}

std::vector<size_t> Pack(const std::vector<int64_t>& weights, int64_t weight_max,
                         int64_t count_max) {
  return PackInOrder(weights.size(), [&](size_t i) { return weights[i]; }, weight_max, count_max);
}

TEST(PackInOrderTest, FillsBinsStrictlyInOrder) {
  EXPECT_THAT(Pack({4, 4, 3, 8, 1}, 10, INT64_MAX), ElementsAre(2, 3, 5));
}

TEST(PackInOrderTest, GivesAnOversizedItemItsOwnBin) {
  EXPECT_THAT(Pack({1, 50, 1}, 10, INT64_MAX), ElementsAre(1, 2, 3));
}

TEST(PackInOrderTest, CapsTheItemsOfABin) {
  EXPECT_THAT(Pack({1, 1, 1, 1, 1}, 10, 2), ElementsAre(2, 4, 5));
}

TEST(PackInOrderTest, MakesNoBinOfNothing) { EXPECT_THAT(Pack({}, 10, 2), IsEmpty()); }

}  // namespace
}  // namespace firn
