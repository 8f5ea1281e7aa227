#include "firn/base/retry.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using std::chrono::milliseconds;

bool IsUnavailable(const Error& error) { return error.code() == ErrorCode::kUnavailable; }

class RetryTest : public testing::Test {
 protected:
  // Fail the first `failures` attempts.
  Status Run(const RetryPolicy& policy, int failures, ErrorCode code = ErrorCode::kUnavailable,
             const CancelToken& cancel = {}) {
    return Retry(
        policy, clock_, *random_, cancel,
        [&]() -> Status {
          if (++attempts_ <= failures) return MakeError(code, "attempt {}", attempts_);
          return {};
        },
        IsUnavailable);
  }

  FakeClock clock_;
  std::unique_ptr<Random> random_ = MakeSeededRandom(1);
  int attempts_ = 0;
};

TEST_F(RetryTest, DoesNotWaitForASuccess) {
  EXPECT_THAT(Run({}, 0), IsOk());
  EXPECT_EQ(attempts_, 1);
  EXPECT_EQ(clock_.slept(), milliseconds(0));
}

TEST_F(RetryTest, WaitsLongerAfterEachFailure) {
  EXPECT_THAT(Run({.retry_count_max = 3, .wait_min = milliseconds(100), .jitter = 0}, 3), IsOk());
  EXPECT_EQ(attempts_, 4);
  EXPECT_EQ(clock_.slept(), milliseconds(100 + 200 + 400));
}

TEST_F(RetryTest, ReturnsTheLastErrorWhenExhausted) {
  EXPECT_THAT(Run({.retry_count_max = 2}, 100), IsError(ErrorCode::kUnavailable, "attempt 3"));
  EXPECT_EQ(attempts_, 3);
}

TEST_F(RetryTest, DoesNotRepeatWhatIsNotRetryable) {
  EXPECT_THAT(Run({}, 100, ErrorCode::kCommitUnknown), IsError(ErrorCode::kCommitUnknown));
  EXPECT_EQ(attempts_, 1);
}

TEST_F(RetryTest, StartsNoRetryAfterTheTotalTime) {
  const RetryPolicy policy{.retry_count_max = 100,
                           .wait_min = milliseconds(1000),
                           .total_max = milliseconds(3500),
                           .factor = 1,
                           .jitter = 0};
  EXPECT_THAT(Run(policy, 1000), IsError(ErrorCode::kUnavailable, "attempt 4"));
  EXPECT_EQ(clock_.slept(), milliseconds(3000));
}

TEST_F(RetryTest, StopsWaitingWhenCancelled) {
  CancelSource source;
  source.Cancel();
  EXPECT_THAT(Run({}, 100, ErrorCode::kUnavailable, source.token()),
              IsError(ErrorCode::kCancelled, "attempt 1"));
  EXPECT_EQ(attempts_, 1);
}

TEST_F(RetryTest, NeverWaitsLongerThanTheCapOrShorterThanTheBackoff) {
  const RetryPolicy policy{.wait_min = milliseconds(100), .wait_max = milliseconds(5000)};
  milliseconds backoff{100};
  for (int retry = 1; retry < 5000; ++retry) {
    const milliseconds wait = RetryWait(policy, retry, *random_);
    ASSERT_GE(wait, backoff);
    ASSERT_LE(wait, std::min(milliseconds(5000), backoff + backoff / 10));
    backoff = std::min(backoff * 2, milliseconds(5000));
  }
}

TEST_F(RetryTest, SpreadsWaitsByJitter) {
  const RetryPolicy policy{.wait_min = milliseconds(100'000), .wait_max = milliseconds(200'000)};
  std::vector<int64_t> waits;
  for (int i = 0; i < 100; ++i)
    waits.push_back(RetryWait(policy, 1, *random_).count());
  EXPECT_LT(*std::min_element(waits.begin(), waits.end()), 101'000);
  EXPECT_GT(*std::max_element(waits.begin(), waits.end()), 109'000);
}

}  // namespace
}  // namespace firn
