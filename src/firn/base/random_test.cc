#include "firn/base/random.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(RandomTest, RepeatsTheNumbersOfASeed) {
  const auto a = MakeSeededRandom(42);
  const auto b = MakeSeededRandom(42);
  const auto c = MakeSeededRandom(43);
  std::set<uint64_t> numbers;
  for (int i = 0; i < 100; ++i) {
    const uint64_t number = a->Next();
    EXPECT_EQ(number, b->Next());
    EXPECT_NE(number, c->Next());
    numbers.insert(number);
  }
  EXPECT_EQ(numbers.size(), 100U);
}

TEST(RandomTest, MatchesTheKnownSequenceOfSplitMix) {
  const auto random = MakeSeededRandom(1'234'567);
  EXPECT_EQ(random->Next(), 6'457'827'717'110'365'317U);
  EXPECT_EQ(random->Next(), 3'203'168'211'198'807'973U);
}

TEST(RandomTest, SpreadsEvenlyBelowABound) {
  const auto random = MakeSeededRandom(7);
  int counts[6] = {};
  for (int i = 0; i < 60'000; ++i)
    ++counts[random->Below(6)];
  for (const int count : counts)
    EXPECT_NEAR(count, 10'000, 500);
  EXPECT_EQ(random->Below(1), 0U);
}

TEST(RandomTest, OfTheSystemDiffers) { EXPECT_NE(SystemRandom().Next(), SystemRandom().Next()); }

TEST(RandomTest, MakesVersion4Uuids) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(FormatUuid(MakeUuid(SystemRandom())),
                testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                      "[0-9a-f]{12}"));
  }
}

TEST(RandomTest, FormatsUuidsInByteOrder) {
  UuidBytes uuid{};
  for (size_t i = 0; i < uuid.size(); ++i)
    uuid[i] = static_cast<std::byte>(0x11 * i);
  EXPECT_EQ(FormatUuid(uuid), "00112233-4455-6677-8899-aabbccddeeff");
}

}  // namespace
}  // namespace firn
