#include <gtest/gtest.h>

#include "firn/expression/number_literal_internal.h"

namespace firn {
namespace {

TEST(NumberLiteralTest, ReadsEveryNotationOfANumber) {
  for (const char* text :
       {"1500", "1500.", "1500.000", "1.5e3", "1.5E+3", "0001500", "15e2", ".15e4", "+1500"}) {
    const auto number = ParseDecimalNumber(text);
    ASSERT_TRUE(number) << text;
    EXPECT_EQ(number->digits, "15") << text;
    EXPECT_EQ(number->exponent, 2) << text;
    EXPECT_FALSE(number->is_negative) << text;
  }
  for (const char* text : {"0", "-0", "0.000", "0e99", ".0"}) {
    const auto number = ParseDecimalNumber(text);
    ASSERT_TRUE(number && number->is_zero()) << text;
    EXPECT_EQ(number->exponent, 0) << text;
  }
}

TEST(NumberLiteralTest, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "1x", " 1", "0x10", "NaN"}) {
    EXPECT_FALSE(ParseDecimalNumber(text)) << text;
  }
}

TEST(NumberLiteralTest, ComparesByNumberNotByText) {
  EXPECT_TRUE(CompareNumberTexts("10", "9") > 0);
  EXPECT_TRUE(CompareNumberTexts("-10", "9") < 0);
  EXPECT_TRUE(CompareNumberTexts("-10", "-9") < 0);
  EXPECT_TRUE(CompareNumberTexts("1.10", "1.1") == 0);
  EXPECT_TRUE(CompareNumberTexts("1.11", "1.1") > 0);
  EXPECT_TRUE(CompareNumberTexts("0.05", "0.5") < 0);
  EXPECT_TRUE(CompareNumberTexts("-0", "0.0") == 0);
  EXPECT_TRUE(CompareNumberTexts("1e999999999999", "1e5") > 0);
  EXPECT_TRUE(CompareNumberTexts("1e-999999999999", "0") > 0);
}

TEST(NumberLiteralTest, FloorsTowardsNegativeInfinity) {
  const auto floor = [](const char* text, int scale) {
    const ScaledFloor result = FloorScaled(*ParseDecimalNumber(text), scale);
    return std::pair(static_cast<int64_t>(result.value), result.is_exact);
  };
  EXPECT_EQ(floor("2.5", 0), std::pair(int64_t{2}, false));
  EXPECT_EQ(floor("-2.5", 0), std::pair(int64_t{-3}, false));
  EXPECT_EQ(floor("-2.5", 1), std::pair(int64_t{-25}, true));
  EXPECT_EQ(floor("14.2", 2), std::pair(int64_t{1420}, true));
  EXPECT_EQ(floor("0.001", 2), std::pair(int64_t{0}, false));
  EXPECT_EQ(floor("-0.001", 2), std::pair(int64_t{-1}, false));
  EXPECT_EQ(floor("1e-999999999", 2), std::pair(int64_t{0}, false));
  EXPECT_EQ(floor("-9223372036854775808", 0), std::pair(INT64_MIN, true));
}

TEST(NumberLiteralTest, KnowsWhatIsTooLarge) {
  EXPECT_TRUE(FloorScaled(*ParseDecimalNumber("1e39"), 0).is_too_large);
  EXPECT_TRUE(FloorScaled(*ParseDecimalNumber("-1e999999999"), 0).is_too_large);
  EXPECT_TRUE(FloorScaled(*ParseDecimalNumber("1e37"), 2).is_too_large);
  EXPECT_FALSE(FloorScaled(*ParseDecimalNumber("9e37"), 0).is_too_large);
}

}  // namespace
}  // namespace firn
