#include "firn/base/passing_reservation.h"

#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

TEST(PassingReservationTest, TakesWhatIsFreeAndLetsLittlePassWhereNothingIs) {
  MemoryBudget budget(6400);
  const auto free = ReserveOrPass(budget, 6400);
  ASSERT_THAT(free, IsOk());
  EXPECT_EQ(budget.used_bytes(), 6400);

  const auto little = ReserveOrPass(budget, 100);
  ASSERT_THAT(little, IsOk());
  EXPECT_EQ(little->bytes(), 0);
  EXPECT_THAT(ReserveOrPass(budget, 101), IsError(ErrorCode::kResourceExhausted, "101 bytes"));
}

}  // namespace
}  // namespace firn
