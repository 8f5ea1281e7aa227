#include "firn/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(TextTest, SplitsAtEverySeparator) {
  EXPECT_THAT(SplitText("a,b,,c", ','), testing::ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(SplitText(",", ','), testing::ElementsAre("", ""));
  EXPECT_THAT(SplitText("", ','), testing::ElementsAre(""));
  EXPECT_THAT(SplitText("abc", ','), testing::ElementsAre("abc"));
}

TEST(TextTest, TrimsBlanksAtBothEnds) {
  EXPECT_EQ(TrimText(" \t a b \r\n"), "a b");
  EXPECT_EQ(TrimText(" \n"), "");
  EXPECT_EQ(TrimText(""), "");
}

TEST(TextTest, ChangesTheCaseOfAsciiOnly) {
  EXPECT_EQ(LowerAscii("AbZ[\u00C4"), "abz[\u00C4");
  EXPECT_EQ(UpperAscii("abz{\u00E4"), "ABZ{\u00E4");
  EXPECT_TRUE(EqualsIgnoreCase("Glue", "gLUE"));
  EXPECT_FALSE(EqualsIgnoreCase("glue", "glu"));
  EXPECT_FALSE(EqualsIgnoreCase("@", "`"));
}

TEST(TextTest, ReplacesFromLeftToRight) {
  EXPECT_EQ(ReplaceText("aaa", "aa", "b"), "ba");
  EXPECT_EQ(ReplaceText("a'b'", "'", "''"), "a''b''");
  EXPECT_EQ(ReplaceText("", "x", "y"), "");
}

}  // namespace
}  // namespace firn
