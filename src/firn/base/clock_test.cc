#include "firn/base/clock.h"

#include <thread>

#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

using std::chrono::milliseconds;

TEST(SystemClockTest, TellsPlausibleTime) {
  const Timestamp year_2020{std::chrono::sys_days{std::chrono::year{2020} / 1 / 1}};
  EXPECT_GT(SystemClock().Now(), year_2020);
  const auto before = SystemClock().Elapsed();
  EXPECT_THAT(SystemClock().Sleep(milliseconds(1), {}), IsOk());
  EXPECT_GE(SystemClock().Elapsed() - before, milliseconds(1));
}

TEST(SystemClockTest, DoesNotSleepForNegativeTimes) {
  EXPECT_THAT(SystemClock().Sleep(std::chrono::hours(-1), {}), IsOk());
}

TEST(SystemClockTest, WakesWhenCancelled) {
  CancelSource source;
  std::thread sleeper([&] {
    EXPECT_THAT(SystemClock().Sleep(std::chrono::hours(10), source.token()),
                IsError(ErrorCode::kCancelled));
  });
  source.Cancel();
  sleeper.join();
}

TEST(CancelTest, TokensOfOneSourceAreCancelledTogether) {
  CancelSource source;
  const CancelToken a = source.token();
  const CancelToken b = a;
  EXPECT_THAT(b.Check(), IsOk());
  source.Cancel();
  EXPECT_TRUE(a.is_cancelled());
  EXPECT_THAT(b.Check(), IsError(ErrorCode::kCancelled));
  EXPECT_THAT(CancelToken().Check(), IsOk());
}

}  // namespace
}  // namespace firn
