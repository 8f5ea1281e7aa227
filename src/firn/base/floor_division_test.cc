#include "firn/base/floor_division.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(FloorDivisionTest, RoundsTowardsNegativeInfinity) {
  EXPECT_EQ(FloorDivide(-1, 10), -1);
  EXPECT_EQ(FloorDivide(-10, 10), -1);
  EXPECT_EQ(FloorDivide(-11, 10), -2);
  EXPECT_EQ(FloorDivide(9, 10), 0);
  EXPECT_EQ(FloorModulo(-1, 10), 9);
  EXPECT_EQ(FloorModulo(-10, 10), 0);
  EXPECT_EQ(FloorModulo(11, 10), 1);
}

TEST(FloorDivisionTest, DoesNotOverflowAtTheLimits) {
  EXPECT_EQ(FloorDivide(INT64_MIN, int64_t{1}), INT64_MIN);
  EXPECT_EQ(FloorModulo(INT64_MIN, INT64_MAX), INT64_MAX - 1);
  EXPECT_EQ(FloorModulo(INT64_MAX, INT64_MAX), 0);
  EXPECT_EQ(FloorDivide(INT64_MIN, INT64_MAX), -2);
}

}  // namespace
}  // namespace firn
