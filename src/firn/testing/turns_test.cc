#include "firn/testing/turns.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace firn {
namespace {

using std::chrono::seconds;

std::string Interleave(uint64_t seed, uint64_t keep_percent = 0) {
  const auto threads = MakeThreadPool(3);
  Turns turns(*threads, {.seed = seed, .keep_percent = keep_percent});
  std::string order;
  std::vector<std::function<void()>> actors;
  for (const char name : {'a', 'b', 'c'}) {
    actors.emplace_back([&turns, &order, name] {
      for (int i = 0; i < 20; ++i) {
        order += name;
        turns.Pass();
      }
    });
  }
  turns.Run(std::move(actors));
  EXPECT_EQ(turns.current(), std::nullopt);
  return order;
}

int CountSwitches(const std::string& order) {
  int count = 0;
  for (size_t i = 1; i < order.size(); ++i)
    count += order[i] != order[i - 1] ? 1 : 0;
  return count;
}

TEST(TurnsTest, TheSeedDecidesTheOrder) {
  const std::string order = Interleave(1);
  EXPECT_EQ(order.size(), 60U);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(Interleave(1), order);
  EXPECT_NE(Interleave(2), order);
}

TEST(TurnsTest, ActorsMayGoOnLongerThanAtRandom) {
  EXPECT_LT(CountSwitches(Interleave(1, 90)), CountSwitches(Interleave(1)) / 2);
}

TEST(TurnsTest, TimeMovesWhenAllSleep) {
  const auto threads = MakeThreadPool(2);
  Turns turns(*threads, {.seed = 7});
  std::vector<std::string> events;
  const auto note = [&](const char* what) {
    events.push_back(std::string(what) + std::to_string(turns.elapsed() / seconds(1)));
  };
  turns.Run({[&] {
               turns.Sleep(seconds(2));
               note("a");
               turns.Sleep(seconds(4));
               note("a");
             },
             [&] {
               turns.Sleep(seconds(5));
               note("b");
             }});
  EXPECT_THAT(events, testing::ElementsAre("a2", "b5", "a6"));
  turns.Sleep(seconds(1));
  EXPECT_EQ(turns.elapsed(), seconds(7));
}

}  // namespace
}  // namespace firn
