#include "firn/base/byte_prefix.h"

#include <string>

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(BytePrefixTest, OrdersAsTheFirstEightBytesDo) {
  const std::string ascending[] = {"", "a", "ab", "b", "\xFF", "\xFF\xFE"};
  for (size_t i = 1; i < std::size(ascending); ++i)
    EXPECT_LT(BytePrefix(ascending[i - 1]), BytePrefix(ascending[i])) << i;
  EXPECT_EQ(BytePrefix("abcdefgh"), BytePrefix("abcdefghi"));
  EXPECT_EQ(BytePrefix(std::string_view("a\0", 2)), BytePrefix("a"));
  EXPECT_EQ(BytePrefix("abcdefgh"), 0x6162636465666768U);
}

}  // namespace
}  // namespace firn
