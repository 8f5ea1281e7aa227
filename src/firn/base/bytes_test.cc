#include "firn/base/bytes.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(BytesTest, FormatsHex) {
  EXPECT_EQ(FormatHex({}), "");
  EXPECT_EQ(FormatHex(AsBytes("\x01\xAB\xFF")), "01abff");
}

TEST(BytesTest, FormatsBase64AsTheRfcShows) {
  EXPECT_EQ(FormatBase64({}), "");
  EXPECT_EQ(FormatBase64(AsBytes("f")), "Zg==");
  EXPECT_EQ(FormatBase64(AsBytes("fo")), "Zm8=");
  EXPECT_EQ(FormatBase64(AsBytes("foo")), "Zm9v");
  EXPECT_EQ(FormatBase64(AsBytes("foob")), "Zm9vYg==");
  EXPECT_EQ(FormatBase64(AsBytes("fooba")), "Zm9vYmE=");
  EXPECT_EQ(FormatBase64(AsBytes("foobar")), "Zm9vYmFy");
  EXPECT_EQ(FormatBase64(AsBytes("\xFB\xFF\xFE")), "+//+");
}

TEST(BytesTest, BuffersCopyAndTruncate) {
  Buffer buffer = Buffer::CopyOf(AsBytes("hello"));
  EXPECT_EQ(buffer.view(), "hello");
  buffer.Truncate(2);
  EXPECT_EQ(buffer.view(), "he");
  buffer.Truncate(5);
  EXPECT_EQ(buffer.view(), "he");
  EXPECT_TRUE(Buffer::CopyOf({}).empty());
  EXPECT_EQ(Buffer().view(), "");
}

}  // namespace
}  // namespace firn
