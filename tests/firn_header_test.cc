#include <gtest/gtest.h>

#include "firn/firn.h"

namespace firn {
namespace {

TEST(FirnHeaderTest, IsAllThatAProgramNeedsToInclude) {
  const Result<int> result = 1;
  EXPECT_TRUE(result.ok());
}

}  // namespace
}  // namespace firn
