#include "firn/base/memory_budget.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/executor.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

// Wait until others have come as far as `condition` says; what they do next is what is tested.
void WaitUntil(const std::function<bool()>& condition) {
  while (!condition())
    std::this_thread::yield();
}

TEST(MemoryBudgetTest, CountsWhatIsReservedAndTheMostThatWas) {
  MemoryBudget budget(100);
  {
    const auto a = budget.Reserve(60);
    ASSERT_THAT(a, IsOk());
    auto b = budget.Reserve(40);
    ASSERT_THAT(b, IsOk());
    EXPECT_EQ(budget.used_bytes(), 100);
    b->ShrinkTo(10);
    EXPECT_EQ(b->bytes(), 10);
    b->ShrinkTo(50);  // Does not grow.
    EXPECT_EQ(budget.used_bytes(), 70);
  }
  EXPECT_EQ(budget.used_bytes(), 0);
  EXPECT_EQ(budget.peak_bytes(), 100);
  EXPECT_EQ(budget.total_bytes(), 100);
}

TEST(MemoryBudgetTest, MovesReservationsWithoutCountingTwice) {
  MemoryBudget budget(100);
  MemoryReservation a = *budget.Reserve(30);
  MemoryReservation b = std::move(a);
  EXPECT_EQ(a.bytes(), 0);  // NOLINT(bugprone-use-after-move): that is the claim.
  EXPECT_EQ(budget.used_bytes(), 30);
  b = *budget.Reserve(20);
  EXPECT_EQ(budget.used_bytes(), 20);
  b = MemoryReservation();
  EXPECT_EQ(budget.used_bytes(), 0);
}

TEST(MemoryBudgetTest, TryReserveTakesWhatIsFreeOrSaysWhatIsNot) {
  MemoryBudget budget(100);
  const auto a = budget.TryReserve(70);
  ASSERT_THAT(a, IsOk());
  EXPECT_THAT(budget.TryReserve(31),
              IsError(ErrorCode::kResourceExhausted, "31 bytes wanted, 30 of 100 bytes free"));
  EXPECT_THAT(budget.TryReserve(30), IsOk());
  EXPECT_THAT(budget.TryReserve(0), IsOk());
}

TEST(MemoryBudgetTest, WaitsUntilMemoryIsGivenBack) {
  MemoryBudget budget(100);
  auto held = budget.Reserve(80);
  std::atomic<bool> is_granted{false};
  std::thread waiter([&] {
    const auto reservation = budget.Reserve(50);
    EXPECT_THAT(reservation, IsOk());
    is_granted = true;
  });
  // A waiter in the queue turns TryReserve away even though 10 bytes are free.
  WaitUntil([&] { return !budget.TryReserve(10).ok(); });
  EXPECT_FALSE(is_granted);
  held->ShrinkTo(50);
  waiter.join();
  EXPECT_TRUE(is_granted);
}

TEST(MemoryBudgetTest, GrantsAnOversizedRequestWhenNothingElseIsReserved) {
  MemoryBudget budget(100);
  auto held = budget.Reserve(1);
  std::thread waiter([&] {
    const auto reservation = budget.Reserve(1000);
    ASSERT_THAT(reservation, IsOk());
    EXPECT_EQ(budget.used_bytes(), 1000);
    EXPECT_THAT(budget.TryReserve(1), IsError(ErrorCode::kResourceExhausted));
  });
  WaitUntil([&] { return !budget.TryReserve(1).ok(); });
  held->ShrinkTo(0);
  waiter.join();
  EXPECT_EQ(budget.used_bytes(), 0);
  EXPECT_EQ(budget.peak_bytes(), 1000);
}

TEST(MemoryBudgetTest, ServesTheFirstComerFirstThoughALaterOneWouldFit) {
  MemoryBudget budget(100);
  auto held = budget.Reserve(60);
  std::atomic<bool> has_large{false};
  std::atomic<bool> has_small{false};
  std::thread large([&] {
    const auto reservation = budget.Reserve(90);
    EXPECT_FALSE(has_small);
    has_large = true;
    EXPECT_THAT(reservation, IsOk());
  });
  WaitUntil([&] { return !budget.TryReserve(1).ok(); });
  std::thread small([&] {
    const auto reservation = budget.Reserve(20);
    EXPECT_TRUE(has_large);
    has_small = true;
    EXPECT_THAT(reservation, IsOk());
  });
  held->ShrinkTo(0);
  large.join();
  small.join();
}

TEST(MemoryBudgetTest, LeavesTheQueueWhenCancelled) {
  MemoryBudget budget(100);
  auto held = budget.Reserve(60);
  CancelSource source;
  std::thread cancelled([&] {
    EXPECT_THAT(budget.Reserve(90, source.token()), IsError(ErrorCode::kCancelled, "90 bytes"));
  });
  WaitUntil([&] { return !budget.TryReserve(1).ok(); });
  std::thread next([&] { EXPECT_THAT(budget.Reserve(40), IsOk()); });
  source.Cancel();
  cancelled.join();
  next.join();  // The one behind is not held up by the one that left.
}

TEST(MemoryBudgetTest, GrantsWhatIsFreeEvenIfCancelled) {
  MemoryBudget budget(100);
  CancelSource source;
  source.Cancel();
  EXPECT_THAT(budget.Reserve(10, source.token()), IsOk());
}

TEST(MemoryBudgetConcurrencyTest, NeverExceedsItsTotal) {
  MemoryBudget budget(1000);
  const auto pool = MakeThreadPool(8);
  EXPECT_THAT(ParallelFor(*pool, 2000,
                          [&](size_t i) -> Status {
                            FIRN_ASSIGN(const auto reservation,
                                        budget.Reserve(static_cast<int64_t>(1 + i * 37 % 600)));
                            if (budget.used_bytes() <= 1000) return {};
                            return Error(ErrorCode::kInternal, "over the total");
                          }),
              IsOk());
  EXPECT_EQ(budget.used_bytes(), 0);
  EXPECT_LE(budget.peak_bytes(), 1000);
}

}  // namespace
}  // namespace firn
