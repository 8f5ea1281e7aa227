#include <map>
#include <set>

#include <gmock/gmock.h>

#include "firn/base/executor.h"
#include "firn/base/random.h"
#include "firn/maintain/orphans/file_difference_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> Rest(FileDifference& difference) {
  std::vector<std::string> rest;
  EXPECT_THAT(difference.VisitRest({},
                                   [&](const FileDifference::Candidate& candidate) -> Status {
                                     rest.emplace_back(candidate.payload);
                                     return {};
                                   }),
              IsOk());
  return rest;
}

TEST(FileDifferenceTest, KeepsWhatIsOnlyAmongTheCandidatesEachOnce) {
  MemoryBudget budget(int64_t{1} << 20);
  FileDifference difference(budget, budget.total_bytes());
  EXPECT_FALSE(difference.has_candidates());
  for (const char* key : {"a", "b", "c", "b", ""})
    ASSERT_THAT(difference.AddCandidate(key, std::string("file ") + key), IsOk());
  for (const char* key : {"c", "d", "c"})
    ASSERT_THAT(difference.AddOther(key), IsOk());
  EXPECT_TRUE(difference.has_candidates());
  EXPECT_THAT(Rest(difference), UnorderedElementsAre("file a", "file b", "file "));
  EXPECT_THAT(Rest(difference), UnorderedElementsAre("file a", "file b", "file "));
}

TEST(FileDifferenceTest, TellsFilesOfOneKeyApartByTags) {
  MemoryBudget budget(int64_t{1} << 20);
  FileDifference difference(budget, budget.total_bytes());
  for (const uint16_t tag : std::vector<uint16_t>{1, 2, 3})
    ASSERT_THAT(difference.AddCandidate("a", std::to_string(tag), tag), IsOk());
  ASSERT_THAT(difference.AddCandidate("b", "b", 1), IsOk());
  ASSERT_THAT(difference.AddOther("a", 7), IsOk());
  ASSERT_THAT(difference.AddOther("a", 2), IsOk());
  std::map<std::string, std::optional<uint16_t>> rest;
  ASSERT_THAT(
      difference.VisitRest([](uint16_t candidate, uint16_t other) { return candidate == other; },
                           [&](const FileDifference::Candidate& candidate) -> Status {
                             rest.emplace(candidate.payload, candidate.other_tag);
                             return {};
                           }),
      IsOk());
  EXPECT_THAT(rest, UnorderedElementsAre(testing::Pair("1", 2), testing::Pair("3", 2),
                                         testing::Pair("b", std::nullopt)));
}

// Against sets in memory, with room for all, for some, and with a budget that others have used up.
TEST(FileDifferenceTest, SpillsRatherThanGrowsWithTheSameResult) {
  for (const int64_t room : {int64_t{256} << 20, int64_t{8} << 20, int64_t{0}}) {
    MemoryBudget budget(int64_t{256} << 20);
    FileDifference difference(budget, room);
    const auto random = MakeSeededRandom(7);
    std::set<std::string> expected;
    std::set<std::string> others;
    constexpr uint64_t kKeys = 60'000;
    for (uint64_t i = 0; i < kKeys; ++i) {
      const uint64_t number = random->Below(kKeys);
      const std::string key = std::to_string(number) + std::string(number % 3 * 40, 'x');
      (random->Below(2) == 0 ? expected : others).insert(key);
    }
    // Payloads of different lengths, so that records end anywhere in what is read.
    std::set<std::string> rest;
    for (const std::string& key : expected)
      ASSERT_THAT(difference.AddCandidate(key, key), IsOk());
    for (const std::string& key : others)
      ASSERT_THAT(difference.AddOther(key), IsOk());
    EXPECT_LE(budget.used_bytes(), room);
    for (const std::string& key : Rest(difference))
      EXPECT_TRUE(rest.insert(key).second) << key;
    for (const std::string& key : others)
      expected.erase(key);
    EXPECT_EQ(rest, expected) << room;
  }
}

TEST(FileDifferenceTest, TakesFilesFromManyThreads) {
  const auto threads = MakeThreadPool(4);
  MemoryBudget budget(int64_t{16} << 20);
  FileDifference difference(budget, int64_t{1} << 20);
  constexpr size_t kTasks = 8;
  constexpr size_t kFiles = 5'000;
  ASSERT_THAT(ParallelFor(*threads, kTasks,
                          [&](size_t task) -> Status {
                            for (size_t i = 0; i < kFiles; ++i) {
                              const std::string key = std::to_string(task * kFiles + i);
                              FIRN_RETURN_IF_ERROR(difference.AddCandidate(key, key));
                              FIRN_RETURN_IF_ERROR(difference.AddOther(key));
                            }
                            return {};
                          }),
              IsOk());
  ASSERT_THAT(difference.AddCandidate("last", "last"), IsOk());
  EXPECT_THAT(Rest(difference), testing::ElementsAre("last"));
}

TEST(FileDifferenceTest, IsEmptyWithoutCandidates) {
  MemoryBudget budget(int64_t{1} << 20);
  FileDifference difference(budget, budget.total_bytes());
  ASSERT_THAT(difference.AddOther("a"), IsOk());
  EXPECT_THAT(Rest(difference), IsEmpty());
}

}  // namespace
}  // namespace firn
