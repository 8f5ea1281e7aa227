#include "firn/firn.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(FirnHeaderTest, IsAllThatAProgramNeedsToInclude) {
  const Result<int> result = 1;
  EXPECT_TRUE(result.ok());
}

}  // namespace
}  // namespace firn
