#include "firn/base/format_bytes.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(FormatBytesTest, TakesTheUnitThatKeepsNumbersShort) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(999), "999 B");
  EXPECT_EQ(FormatBytes(1234), "1.2 kB");
  EXPECT_EQ(FormatBytes(340e6), "340 MB");
  EXPECT_EQ(FormatBytes(2.5e15), "2.5 PB");
}

}  // namespace
}  // namespace firn
