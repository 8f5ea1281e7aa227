#include "firn/base/executor.h"

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

// Keep one worker busy until the returned promise is set or gone. The task shares the future and
// not the promise: the worker may come to wait for it only when the promise has been destroyed.
[[nodiscard]] std::promise<void> Occupy(Executor& pool) {
  std::promise<void> release;
  const auto started = std::make_shared<std::promise<void>>();
  pool.Submit([started, released = release.get_future().share()] {
    started->set_value();
    released.wait();
  });
  started->get_future().wait();
  return release;
}

TEST(ThreadPoolTest, RunsEveryTaskBeforeItEnds) {
  std::atomic<int> ran{0};
  {
    const auto pool = MakeThreadPool(3);
    EXPECT_EQ(pool->concurrency(), 3U);
    for (int i = 0; i < 1000; ++i)
      pool->Submit([&] { ++ran; });
  }
  EXPECT_EQ(ran, 1000);
}

TEST(ThreadPoolTest, HasAThreadAtLeast) { EXPECT_GE(MakeThreadPool(0)->concurrency(), 1U); }

TEST(ThreadPoolTest, LetsTheCallerRunQueuedTasks) {
  const auto pool = MakeThreadPool(1);
  std::promise<void> release = Occupy(*pool);
  std::atomic<bool> ran{false};
  pool->Submit([&] { ran = true; });
  while (!ran)
    pool->RunOne();  // The worker is stuck, so only this thread can.
  EXPECT_FALSE(pool->RunOne());
  release.set_value();
}

TEST(ThreadPoolTest, KnowsItsOwnWorkers) {
  const auto pool = MakeThreadPool(1);
  const auto other = MakeThreadPool(1);
  EXPECT_FALSE(pool->IsOnWorker());
  std::promise<std::pair<bool, bool>> seen;
  pool->Submit([&] { seen.set_value({pool->IsOnWorker(), other->IsOnWorker()}); });
  EXPECT_EQ(seen.get_future().get(), std::make_pair(true, false));
}

TEST(InlineExecutorTest, RunsATaskInsideSubmit) {
  const auto executor = MakeInlineExecutor();
  bool ran = false;
  executor->Submit([&] { ran = true; });
  EXPECT_TRUE(ran);
  EXPECT_FALSE(executor->RunOne());
  EXPECT_EQ(executor->concurrency(), 1U);
}

TEST(ParallelForTest, CallsTheBodyOnceForEachIndex) {
  const auto pool = MakeThreadPool(4);
  for (const size_t count : {0U, 1U, 3U, 1000U}) {
    std::vector<std::atomic<int>> calls(count);
    EXPECT_THAT(ParallelFor(*pool, count,
                            [&](size_t i) -> Status {
                              ++calls[i];
                              return {};
                            }),
                IsOk());
    for (const auto& number : calls)
      EXPECT_EQ(number, 1);
  }
}

TEST(ParallelForTest, ReturnsTheErrorWithTheLowestIndexWhateverEndsFirst) {
  const auto pool = MakeThreadPool(4);
  for (int round = 0; round < 50; ++round) {
    std::atomic<bool> has_late_error_happened{false};
    const Status status = ParallelFor(*pool, 100, [&](size_t i) -> Status {
      if (i == 1) {  // Fails after index 2 has.
        while (!has_late_error_happened)
          std::this_thread::yield();
        return Error(ErrorCode::kCorrupt, "index 1");
      }
      if (i >= 2) {
        has_late_error_happened = true;
        return MakeError(ErrorCode::kNotFound, "index {}", i);
      }
      return {};
    });
    ASSERT_THAT(status, IsError(ErrorCode::kCorrupt, "index 1"));
  }
}

TEST(ParallelForTest, StartsNothingAfterAnError) {
  const auto executor = MakeInlineExecutor();
  std::vector<size_t> started;
  const Status status = ParallelFor(*executor, 10, [&](size_t i) -> Status {
    started.push_back(i);
    if (i == 3) return Error(ErrorCode::kUnavailable, "stop");
    return {};
  });
  EXPECT_THAT(status, IsError(ErrorCode::kUnavailable, "stop"));
  EXPECT_THAT(started, testing::ElementsAre(0, 1, 2, 3));
}

TEST(ParallelForTest, StopsWhenCancelled) {
  const auto pool = MakeThreadPool(2);
  CancelSource source;
  std::atomic<int> calls{0};
  const Status status = ParallelFor(
      *pool, 1'000'000,
      [&](size_t) -> Status {
        if (++calls == 10) source.Cancel();
        return {};
      },
      source.token());
  EXPECT_THAT(status, IsError(ErrorCode::kCancelled));
  EXPECT_LT(calls, 1000);
}

TEST(ParallelForTest, IsOkIfAllWasDoneBeforeTheCancellation) {
  const auto executor = MakeInlineExecutor();
  CancelSource source;
  EXPECT_THAT(ParallelFor(
                  *executor, 3,
                  [&](size_t i) -> Status {
                    if (i == 2) source.Cancel();
                    return {};
                  },
                  source.token()),
              IsOk());
}

TEST(ParallelForTest, PrefersAnErrorToTheCancellationItCaused) {
  const auto executor = MakeInlineExecutor();
  CancelSource source;
  EXPECT_THAT(ParallelFor(
                  *executor, 3,
                  [&](size_t) -> Status {
                    source.Cancel();
                    return Error(ErrorCode::kCorrupt, "broken");
                  },
                  source.token()),
              IsError(ErrorCode::kCorrupt, "broken"));
}

TEST(ParallelForTest, KeepsToTheAllowedParallelism) {
  const auto pool = MakeThreadPool(8);
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  EXPECT_THAT(ParallelFor(
                  *pool, 200,
                  [&](size_t) -> Status {
                    const int number = ++running;
                    for (int seen = most;
                         seen < number && !most.compare_exchange_weak(seen, number);) {
                    }
                    std::this_thread::yield();
                    --running;
                    return {};
                  },
                  {}, 2),
              IsOk());
  EXPECT_LE(most, 2);
}

TEST(ParallelForTest, DoesNotDeadlockWhenNested) {
  const auto pool = MakeThreadPool(2);
  std::atomic<int> leaves{0};
  const std::function<Status(size_t)> leaf = [&](size_t) -> Status {
    ++leaves;
    return {};
  };
  const std::function<Status(size_t)> inner = [&](size_t) { return ParallelFor(*pool, 5, leaf); };
  const std::function<Status(size_t)> outer = [&](size_t) { return ParallelFor(*pool, 5, inner); };
  EXPECT_THAT(ParallelFor(*pool, 5, outer), IsOk());
  EXPECT_EQ(leaves, 125);
}

TEST(ParallelForTest, NeedsNoFreeWorker) {
  const auto pool = MakeThreadPool(1);
  std::promise<void> release = Occupy(*pool);
  std::atomic<int> calls{0};
  EXPECT_THAT(ParallelFor(
                  *pool, 10,
                  [&](size_t) -> Status {
                    ++calls;
                    return {};
                  },
                  {}, 4),
              IsOk());
  EXPECT_EQ(calls, 10);
  release.set_value();  // The queued part of the loop starts only here and must find nothing to do.
}

}  // namespace
}  // namespace firn
