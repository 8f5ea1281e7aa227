#include "firn/base/number.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

#include "firn/base/random.h"

namespace firn {
namespace {

TEST(NumberTest, ParsesIntegersToTheirLimits) {
  EXPECT_EQ(ParseInt64("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(ParseInt64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(ParseInt32("-2147483648"), INT32_MIN);
  EXPECT_EQ(ParseUint64("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(ParseInt64("007"), 7);
  EXPECT_FALSE(ParseInt64("9223372036854775808"));
  EXPECT_FALSE(ParseInt32("2147483648"));
  EXPECT_FALSE(ParseUint64("-1"));
}

TEST(NumberTest, RefusesWhatIsNotWhollyANumber) {
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1x", "0x10", "1.0", "1e3", "--1", "1,000"}) {
    EXPECT_FALSE(ParseInt64(text)) << text;
  }
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.5x", "0x10", "1e", "e5", ".", "-.",
                           "nan(1)", "-nan", "infinit", "1e5.5", "--1", "1,5"}) {
    EXPECT_FALSE(ParseDouble(text)) << text;
  }
}

TEST(NumberTest, ParsesFloatingPoint) {
  EXPECT_EQ(ParseDouble("0.1"), 0.1);
  EXPECT_EQ(ParseDouble("-1.5e-3"), -0.0015);
  EXPECT_EQ(ParseDouble("1E5"), 100'000.0);
  EXPECT_EQ(ParseDouble(".5"), 0.5);
  EXPECT_EQ(ParseDouble("5."), 5.0);
  EXPECT_TRUE(std::signbit(*ParseDouble("-0.0")));
  EXPECT_EQ(ParseFloat("16777217"), 16'777'216.0F);
}

TEST(NumberTest, ParsesNotANumberAndInfinity) {
  EXPECT_TRUE(std::isnan(*ParseDouble("NaN")));
  EXPECT_TRUE(std::isnan(*ParseFloat("nan")));
  EXPECT_EQ(ParseDouble("Infinity"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(ParseDouble("-inf"), -std::numeric_limits<double>::infinity());
}

TEST(NumberTest, TellsTooLargeFromTooSmall) {
  const std::string digits = "1" + std::string(309, '0');
  for (const std::string& text : {std::string("1e309"), std::string("-1e309"),
                                  std::string("1e999999999999"), digits, digits + ".5"}) {
    EXPECT_FALSE(ParseDouble(text)) << text;
  }
  EXPECT_EQ(ParseDouble("1e-400"), 0.0);
  EXPECT_EQ(ParseDouble("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_TRUE(std::signbit(*ParseDouble("-1e-400")));
  EXPECT_EQ(ParseDouble("4.9e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_FALSE(ParseFloat("1e39"));
  EXPECT_EQ(ParseFloat("1e-50"), 0.0F);
}

TEST(NumberTest, FormatsTheShortestTextThatReadsBack) {
  EXPECT_EQ(FormatDouble(0.1), "0.1");
  EXPECT_EQ(FormatDouble(-0.0), "-0");
  EXPECT_EQ(FormatDouble(1e20), "1e+20");
  EXPECT_EQ(FormatFloat(0.1F), "0.1");
  EXPECT_EQ(FormatDouble(std::numeric_limits<double>::infinity()), "inf");
}

TEST(NumberTest, EveryBitPatternComesBackAndTheStandardLibraryAgrees) {
  const auto random = MakeSeededRandom(5);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<double>(random->Next());
    if (std::isnan(value)) continue;
    const std::string text = FormatDouble(value);
    ASSERT_EQ(ParseDouble(text), value) << text;
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), value);
    const auto narrow = std::bit_cast<float>(static_cast<uint32_t>(random->Next()));
    if (std::isnan(narrow)) continue;
    ASSERT_EQ(ParseFloat(FormatFloat(narrow)), narrow);
  }
}

}  // namespace
}  // namespace firn
