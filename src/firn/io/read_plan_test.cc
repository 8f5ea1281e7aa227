#include "firn/io/read_plan.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/testing/counting_file_io.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;

MATCHER_P3(IsRead, offset, length, parts, "") {
  return arg.range.offset == offset && arg.range.length == length && arg.parts == parts;
}

using Parts = std::vector<size_t>;

TEST(ReadPlanTest, MergesNearRangesAndKeepsFarOnesApart) {
  const std::vector<ByteRange> ranges = {{1000, 10}, {0, 10}, {15, 5}, {1010, 5}};
  EXPECT_THAT(*PlanReads(ranges, 2000, {.gap_max_bytes = 5}),
              ElementsAre(IsRead(0, 20, Parts{1, 2}), IsRead(1000, 15, Parts{0, 3})));
  EXPECT_THAT(
      *PlanReads(ranges, 2000, {.gap_max_bytes = 4}),
      ElementsAre(IsRead(0, 10, Parts{1}), IsRead(15, 5, Parts{2}), IsRead(1000, 15, Parts{0, 3})));
}

TEST(ReadPlanTest, MergesOverlappingAndContainedRanges) {
  const std::vector<ByteRange> ranges = {{0, 100}, {10, 20}, {50, 100}, {0, 100}};
  EXPECT_THAT(*PlanReads(ranges, 200), ElementsAre(IsRead(0, 150, Parts{0, 3, 1, 2})));
}

TEST(ReadPlanTest, LimitsTheSizeThatMergingMakes) {
  const std::vector<ByteRange> ranges = {{0, 60}, {60, 60}, {120, 500}, {620, 1}};
  EXPECT_THAT(*PlanReads(ranges, 1000, {.request_max_bytes = 120}),
              ElementsAre(IsRead(0, 120, Parts{0, 1}), IsRead(120, 500, Parts{2}),
                          IsRead(620, 1, Parts{3})));
}

TEST(ReadPlanTest, NeedsNoRequestForNothing) {
  EXPECT_TRUE(PlanReads({}, 10)->empty());
  EXPECT_TRUE(PlanReads(std::vector<ByteRange>{{5, 0}, {10, 0}}, 10)->empty());
}

TEST(ReadPlanTest, EveryRangeIsServedOnceByARequestThatHoldsIt) {
  const auto random = MakeSeededRandom(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<ByteRange> ranges(random->Below(20));
    for (ByteRange& range : ranges) {
      range.offset = static_cast<int64_t>(random->Below(1000));
      range.length = static_cast<int64_t>(random->Below(100));
    }
    const CoalesceOptions options{.gap_max_bytes = static_cast<int64_t>(random->Below(50)),
                                  .request_max_bytes = static_cast<int64_t>(random->Below(300))};
    const auto reads = PlanReads(ranges, 1100, options);
    ASSERT_THAT(reads, IsOk());
    std::set<size_t> served;
    for (const MergedRead& read : *reads) {
      ASSERT_TRUE(read.parts.size() == 1 || read.range.length <= options.request_max_bytes ||
                  std::any_of(read.parts.begin(), read.parts.end(), [&](size_t part) {
                    return ranges[part].length == read.range.length;
                  }));
      for (const size_t part : read.parts) {
        ASSERT_TRUE(served.insert(part).second);
        ASSERT_GE(ranges[part].offset, read.range.offset);
        ASSERT_LE(ranges[part].offset + ranges[part].length, read.range.offset + read.range.length);
      }
    }
    const auto nonempty = std::count_if(ranges.begin(), ranges.end(),
                                        [](const ByteRange& range) { return range.length > 0; });
    ASSERT_EQ(served.size(), static_cast<size_t>(nonempty));
  }
}

TEST(ReadPlanTest, MakesOneRequestOfNearRangesOfAFile) {
  FakeClock clock;
  CountingFileIO io(MakeMemoryFileIO(clock));
  ASSERT_THAT(WriteFile(io, "memory:/f", AsBytes(std::string(1'000'000, 'x'))), IsOk());
  const auto file = io.Open("memory:/f");
  ASSERT_THAT(file, IsOk());
  const std::vector<ByteRange> ranges = {{0, 1000}, {2000, 1000}, {900'000, 10}};
  EXPECT_THAT((*file)->ReadRanges(ranges), IsOk());
  EXPECT_EQ(io.Count(FileOperation::kRead).calls, 2);
  EXPECT_EQ(io.Count(FileOperation::kRead).bytes, 3010);
}

}  // namespace
}  // namespace firn
