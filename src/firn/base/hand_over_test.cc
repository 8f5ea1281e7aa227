#include "firn/base/hand_over.h"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

TEST(HandOverTest, GivesAllItemsInOrderAndThenTheEnd) {
  HandOver<int> items(
      [](const HandOver<int>::Emit& emit) -> Status {
        for (int i = 0; i < 1000; ++i)
          FIRN_RETURN_IF_ERROR(emit(i));
        return {};
      },
      2);
  for (int i = 0; i < 1000; ++i)
    ASSERT_THAT(items.Next(), IsOkAnd(std::optional(i)));
  EXPECT_THAT(items.Next(), IsOkAnd(std::optional<int>()));
  EXPECT_THAT(items.Next(), IsOkAnd(std::optional<int>()));
}

TEST(HandOverTest, GivesAnErrorBehindTheItemsBeforeIt) {
  HandOver<int> items(
      [](const HandOver<int>::Emit& emit) -> Status {
        FIRN_RETURN_IF_ERROR(emit(1));
        return MakeError(ErrorCode::kCorrupt, "broken");
      },
      8);
  EXPECT_THAT(items.Next(), IsOkAnd(std::optional(1)));
  EXPECT_THAT(items.Next(), IsError(ErrorCode::kCorrupt, "broken"));
}

TEST(HandOverTest, HoldsNoMoreItemsThanAskedForAndStopsAProducerThatNobodyReads) {
  std::atomic<int> emitted = 0;
  std::optional<ErrorCode> stopped_by;
  {
    HandOver<int> items(
        [&](const HandOver<int>::Emit& emit) -> Status {
          while (true) {
            const Status status = emit(emitted);
            if (!status.ok()) {
              stopped_by = status.error().code();
              return status;
            }
            ++emitted;
          }
        },
        3);
    EXPECT_THAT(items.Next(), IsOkAnd(std::optional(0)));
  }
  EXPECT_EQ(stopped_by, ErrorCode::kCancelled);
  EXPECT_LE(emitted, 4);
}

}  // namespace
}  // namespace firn
