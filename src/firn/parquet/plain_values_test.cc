#include <gtest/gtest.h>

#include "firn/parquet/plain_values_internal.h"

namespace firn {
namespace {

TEST(PlainValuesTest, PagesMayEndWithTheEightZerosOfFastparquet) {
  constexpr std::byte kZeros[9] = {};
  constexpr std::byte kOthers[8] = {std::byte{1}};
  EXPECT_TRUE(IsPagePadding({}));
  EXPECT_TRUE(IsPagePadding(std::span(kZeros).first(8)));
  EXPECT_FALSE(IsPagePadding(std::span(kZeros).first(6)));
  EXPECT_FALSE(IsPagePadding(kZeros));
  EXPECT_FALSE(IsPagePadding(kOthers));
}

}  // namespace
}  // namespace firn
