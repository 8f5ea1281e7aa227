#include "firn/base/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(VersionTest, HasThreeNumbers) {
  EXPECT_THAT(std::string(Version()), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace firn
