#include "firn/base/ascii.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(AsciiTest, FoldsOnlyAsciiLetters) {
  EXPECT_EQ(ToLowerAscii("AZaz09_[\xC3\x84"), "azaz09_[\xC3\x84");
  EXPECT_TRUE(EqualsIgnoringAsciiCase("Bucket", "bUCKET"));
  EXPECT_FALSE(EqualsIgnoringAsciiCase("bucket", "buckets"));
  EXPECT_FALSE(EqualsIgnoringAsciiCase("[", "{"));
}

TEST(AsciiTest, TrimsBlanksAtBothEndsOnly) {
  EXPECT_EQ(TrimAscii(" \t a b\r\n"), "a b");
  EXPECT_EQ(TrimAscii(" \n"), "");
  EXPECT_EQ(TrimAscii(""), "");
}

}  // namespace
}  // namespace firn
