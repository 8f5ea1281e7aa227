#include "firn/format/types/decimal_text.h"

#include <rapidcheck/gtest.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/types/value_testing_internal.h"

namespace firn {
namespace {

using testing::HasSubstr;

Int128 Parse(std::string_view text, int32_t precision, int32_t scale) {
  const auto value = ParseDecimal(text, precision, scale);
  EXPECT_TRUE(value.ok()) << text;
  return value.ok() ? *value : Int128{-999};
}

TEST(DecimalTextTest, PrintsAllDigitsOfTheScale) {
  EXPECT_EQ(FormatDecimal(1420, 2), "14.20");
  EXPECT_EQ(FormatDecimal(-5, 2), "-0.05");
  EXPECT_EQ(FormatDecimal(0, 10), "0.0000000000");
  EXPECT_EQ(FormatDecimal(128, 10), "0.0000000128");
  EXPECT_EQ(FormatDecimal(-42, 0), "-42");
  EXPECT_EQ(FormatDecimal(2, -20), "2E+20");
  EXPECT_EQ(FormatDecimal(PowerOfTen(38) - 1, 38), "0." + std::string(38, '9'));
}

TEST(DecimalTextTest, PrintsAsJavaPrintsBigDecimals) {
  EXPECT_EQ(FormatDecimalAsJava(1420, 2), "14.20");
  EXPECT_EQ(FormatDecimalAsJava(0, 10), "0E-10");
  EXPECT_EQ(FormatDecimalAsJava(1, 6), "0.000001");
  EXPECT_EQ(FormatDecimalAsJava(1, 7), "1E-7");
  EXPECT_EQ(FormatDecimalAsJava(-128, 8), "-0.00000128");
  EXPECT_EQ(FormatDecimalAsJava(-128, 10), "-1.28E-8");
  EXPECT_EQ(FormatDecimalAsJava(2, -20), "2E+20");
  EXPECT_EQ(FormatDecimalAsJava(0, 0), "0");
}

TEST(DecimalTextTest, ReadsPlainAndScientificNotation) {
  EXPECT_TRUE(Parse("14.20", 9, 2) == 1420);
  EXPECT_TRUE(Parse("14.2", 9, 2) == 1420);
  EXPECT_TRUE(Parse("14", 9, 2) == 1400);
  EXPECT_TRUE(Parse("+14.200000", 9, 2) == 1420);
  EXPECT_TRUE(Parse("-.05", 9, 2) == -5);
  EXPECT_TRUE(Parse("5.", 9, 2) == 500);
  EXPECT_TRUE(Parse("0E-10", 9, 2) == 0);
  EXPECT_TRUE(Parse("1.42E+1", 9, 2) == 1420);
  EXPECT_TRUE(Parse("1420e-2", 9, 2) == 1420);
  EXPECT_TRUE(Parse("000000000000000000000000000000000000000000001.5", 2, 1) == 15);
  EXPECT_TRUE(Parse("2E+20", 38, -20) == 2);
  EXPECT_TRUE(Parse(std::string(38, '9'), 38, 0) == PowerOfTen(38) - 1);
}

TEST(DecimalTextTest, RefusesWhatTheTypeCannotHold) {
  for (const auto& [text, message] :
       std::vector<std::pair<const char*, const char*>>{{"", "is not a number"},
                                                        {"-", "is not a number"},
                                                        {".", "is not a number"},
                                                        {"1e", "is not a number"},
                                                        {"1x", "is not a number"},
                                                        {"1 ", "is not a number"},
                                                        {"1e+-1", "is not a number"},
                                                        {"1e99999999999", "is not a number"},
                                                        {"14.205", "more than 2 digits"},
                                                        {"1e-3", "more than 2 digits"},
                                                        {"12345678.00", "too large"},
                                                        {"1e2147483647", "too large"}}) {
    const auto value = ParseDecimal(text, 9, 2);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().code(), ErrorCode::kInvalidInput);
    EXPECT_THAT(value.error().message(), HasSubstr(message)) << text;
  }
}

RC_GTEST_PROP(DecimalTextProperty, BothNotationsReadBack, ()) {
  const auto precision = *rc::gen::inRange<int32_t>(1, 39);
  const auto scale = *rc::gen::inRange<int32_t>(0, precision + 1);
  const Int128 value = AnyDecimal(precision);
  RC_ASSERT(*ParseDecimal(FormatDecimal(value, scale), precision, scale) == value);
  RC_ASSERT(*ParseDecimal(FormatDecimalAsJava(value, scale), precision, scale) == value);
}

}  // namespace
}  // namespace firn
