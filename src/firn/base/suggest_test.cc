#include "firn/base/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

using testing::Optional;

TEST(SuggestTest, FindsTheNameWithTheFewestEdits) {
  const std::vector<std::string> names = {"describe", "drop", "list", "register", "rename"};

  EXPECT_THAT(SuggestName("desribe", names), Optional(std::string("describe")));
  EXPECT_THAT(SuggestName("dorp", names), Optional(std::string("drop")));
  EXPECT_THAT(SuggestName("LIST", names), Optional(std::string("list")));
  EXPECT_THAT(SuggestName("lists", names), Optional(std::string("list")));
  EXPECT_THAT(SuggestName("ranme", names), Optional(std::string("rename")));
}

TEST(SuggestTest, SaysNothingWhenNoNameIsNear) {
  EXPECT_EQ(SuggestName("compact", {"describe", "drop"}), std::nullopt);
  EXPECT_EQ(SuggestName("", {"describe"}), std::nullopt);
  EXPECT_EQ(SuggestName("x", {}), std::nullopt);
}

}  // namespace
}  // namespace firn
