#include <cmath>
#include <limits>

#include <rapidcheck/gtest.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/types/type.h"
#include "firn/format/types/value.h"
#include "firn/format/types/value_testing_internal.h"

namespace firn {
namespace {

using testing::HasSubstr;

TypePtr Of(TypeId id) { return Type::Primitive(id); }

std::string FormatFloat64(double value) { return FormatValue(value, *Of(TypeId::kDouble)); }
std::string FormatFloat32(float value) { return FormatValue(value, *Of(TypeId::kFloat)); }

TEST(ValueTextTest, FloatsHaveJavasNotation) {
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(FormatFloat64(1), "1.0");
  EXPECT_EQ(FormatFloat64(-0.0), "-0.0");
  EXPECT_EQ(FormatFloat64(0.1), "0.1");
  EXPECT_EQ(FormatFloat64(100), "100.0");
  EXPECT_EQ(FormatFloat64(0.001), "0.001");
  EXPECT_EQ(FormatFloat64(9.999e-4), "9.999E-4");
  EXPECT_EQ(FormatFloat64(9999999), "9999999.0");
  EXPECT_EQ(FormatFloat64(1e7), "1.0E7");
  EXPECT_EQ(FormatFloat64(1e10), "1.0E10");
  EXPECT_EQ(FormatFloat64(12345678), "1.2345678E7");
  EXPECT_EQ(FormatFloat64(-123456789.125), "-1.23456789125E8");
  EXPECT_EQ(FormatFloat64(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(FormatFloat64(2e23), "2.0E23");
  EXPECT_EQ(FormatFloat64(Limits::max()), "1.7976931348623157E308");
  EXPECT_EQ(FormatFloat64(Limits::min()), "2.2250738585072014E-308");
  EXPECT_EQ(FormatFloat64(Limits::denorm_min()), "4.9E-324");
  EXPECT_EQ(FormatFloat64(2 * Limits::denorm_min()), "9.9E-324");
  EXPECT_EQ(FormatFloat64(Limits::quiet_NaN()), "NaN");
  EXPECT_EQ(FormatFloat64(-Limits::infinity()), "-Infinity");
  EXPECT_EQ(FormatFloat32(0.1F), "0.1");
  EXPECT_EQ(FormatFloat32(1e10F), "1.0E10");
  EXPECT_EQ(FormatFloat32(16777216.0F), "1.6777216E7");
  EXPECT_EQ(FormatFloat32(3.3e-5F), "3.3E-5");
  EXPECT_EQ(FormatFloat32(std::numeric_limits<float>::denorm_min()), "1.4E-45");
  EXPECT_EQ(FormatFloat32(std::numeric_limits<float>::infinity()), "Infinity");
}

TEST(ValueTextTest, TimesAreShortenedAsJavaShortensThem) {
  const TypePtr time = Of(TypeId::kTime);
  for (const auto& [micros, text] :
       std::vector<std::pair<int64_t, const char*>>{{0, "00:00"},
                                                    {60'000'000, "00:01"},
                                                    {1'000'000, "00:00:01"},
                                                    {36'000'000'000, "10:00"},
                                                    {36'000'500'000, "10:00:00.500"},
                                                    {36'000'100'000, "10:00:00.100"},
                                                    {36'000'123'456, "10:00:00.123456"},
                                                    {36'000'000'001, "10:00:00.000001"}}) {
    EXPECT_EQ(FormatValue(micros, *time), text);
  }
}

TEST(ValueTextTest, TimestampsKeepSecondsAndLoseTrailingZeros) {
  const TypePtr timestamp = Of(TypeId::kTimestamp);
  for (const char* text : {"2026-01-31T10:00:00", "2026-01-31T10:00:01", "2026-01-31T10:00:00.5",
                           "2026-01-31T10:00:00.000001", "1969-12-31T23:59:59.999999",
                           "-0005-01-31T10:00:00", "+12026-01-31T10:00:00"}) {
    const auto value = ParseValue(text, *timestamp);
    ASSERT_TRUE(value.ok()) << text;
    EXPECT_EQ(FormatValue(*value, *timestamp), text);
  }
  EXPECT_EQ(FormatValue(int64_t{120'000}, *timestamp), "1970-01-01T00:00:00.12");
  EXPECT_EQ(FormatValue(int64_t{0}, *Of(TypeId::kTimestamptz)), "1970-01-01T00:00:00+00:00");
  EXPECT_EQ(FormatValue(int64_t{1}, *Of(TypeId::kTimestampNs)), "1970-01-01T00:00:00.000000001");
  EXPECT_EQ(FormatValue(int64_t{-1}, *Of(TypeId::kTimestamptzNs)),
            "1969-12-31T23:59:59.999999999+00:00");
}

TEST(ValueTextTest, OtherValuesHaveTheTextOfPartitionPaths) {
  EXPECT_EQ(FormatValue(Value(), *Of(TypeId::kString)), "null");
  EXPECT_EQ(FormatValue(true, *Of(TypeId::kBoolean)), "true");
  EXPECT_EQ(FormatValue(int32_t{-34}, *Of(TypeId::kInt)), "-34");
  EXPECT_EQ(FormatValue(int32_t{17486}, *Of(TypeId::kDate)), "2017-11-16");
  EXPECT_EQ(FormatValue(int32_t{-721'000}, *Of(TypeId::kDate)), "-005-12-21");
  EXPECT_EQ(FormatValue(int32_t{2'932'897}, *Of(TypeId::kDate)), "10000-01-01");
  EXPECT_EQ(FormatValue(Int128{1420}, *Type::Decimal(9, 2)), "14.20");
  EXPECT_EQ(FormatValue(Int128{0}, *Type::Decimal(38, 10)), "0E-10");
  EXPECT_EQ(FormatValue(std::string("a/b"), *Of(TypeId::kString)), "a/b");
  EXPECT_EQ(FormatValue(BinaryValue{std::string("\0\1\xFF", 3)}, *Type::Fixed(3)), "AAH/");
  EXPECT_EQ(FormatValue(*ParseUuid("F79C3E09-677C-4BBD-A479-3F349CB785E7"), *Of(TypeId::kUuid)),
            "f79c3e09-677c-4bbd-a479-3f349cb785e7");
}

TEST(ValueTextTest, AValueInTheFormOfAnotherTypeIsStillPrinted) {
  EXPECT_EQ(FormatValue(int32_t{3}, *Of(TypeId::kString)), "3");
  EXPECT_EQ(FormatValue(std::string("x"), *Of(TypeId::kDate)), "x");
  EXPECT_EQ(FormatValue(Value::List({int32_t{1}}), *Of(TypeId::kUnknown)), "[1]");
}

TEST(ValueTextTest, LiteralsAreRead) {
  const auto parse = [](std::string_view text, const TypePtr& type) {
    const auto value = ParseValue(text, *type);
    return value.ok() ? *value : Value(value.error().Format());
  };
  EXPECT_EQ(parse("TRUE", Of(TypeId::kBoolean)), Value(true));
  EXPECT_EQ(parse("-2147483648", Of(TypeId::kInt)), Value(std::numeric_limits<int32_t>::min()));
  EXPECT_EQ(parse("1e-3", Of(TypeId::kDouble)), Value(0.001));
  EXPECT_EQ(parse("2026-01-31", Of(TypeId::kTimestamp)),
            parse("2026-01-31T00:00:00", Of(TypeId::kTimestamp)));
  EXPECT_EQ(parse("2026-01-31 10:00", Of(TypeId::kTimestamptz)),
            parse("2026-01-31T12:00:00+02:00", Of(TypeId::kTimestamptz)));
  EXPECT_EQ(parse("0aFF", Of(TypeId::kBinary)), Value(BinaryValue{"\x0A\xFF"}));
  EXPECT_EQ(parse("", Of(TypeId::kBinary)), Value(BinaryValue{}));
  EXPECT_EQ(parse(" null", Of(TypeId::kString)), Value(std::string(" null")));
}

TEST(ValueTextTest, LiteralsThatDoNotFitAreRefusedWithTheReason) {
  for (const auto& [text, type, message] :
       std::vector<std::tuple<const char*, TypePtr, const char*>>{
           {"yes", Of(TypeId::kBoolean), "true or false"},
           {"2147483648", Of(TypeId::kInt), "2147483647"},
           {"1.0", Of(TypeId::kLong), "a whole number"},
           {"1e39", Of(TypeId::kFloat), "32-bit float"},
           {"1.005", Type::Decimal(9, 2), "more than 2 digits"},
           {"2026-02-30", Of(TypeId::kDate), "a date such as"},
           {"25:00", Of(TypeId::kTime), "a time such as"},
           {"2026-01-31T10:00:00Z", Of(TypeId::kTimestamp), "no zone"},
           {"2026-01-31T10:00:00.0000001", Of(TypeId::kTimestamp), "a time such as"},
           {"300000-01-01", Of(TypeId::kTimestamp), "in range"},
           {"f79c3e09677c4bbda4793f349cb785e7", Of(TypeId::kUuid), "a UUID such as"},
           {"0a0", Of(TypeId::kBinary), "two hexadecimal digits"},
           {"0a0b", Type::Fixed(3), "6 hexadecimal digits"},
           {"1", Of(TypeId::kVariant), "a type that has literals"}}) {
    const auto value = ParseValue(text, *type);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().code(), ErrorCode::kInvalidInput);
    EXPECT_THAT(value.error().message(), HasSubstr(message));
    EXPECT_THAT(value.error().message(), HasSubstr(text));
  }
}

TEST(ValueTextTest, ALiteralBeyondTheOldTypeIsRefusedRatherThanCutDown) {  // B94
  EXPECT_FALSE(ParseValue("2147483648", *Of(TypeId::kInt)).ok());
  EXPECT_EQ(*ParseValue("2147483648", *Of(TypeId::kLong)), Value(int64_t{2147483648}));
  EXPECT_EQ(*ParseValue("-2147483649", *Of(TypeId::kLong)), Value(int64_t{-2147483649}));
}

RC_GTEST_PROP(ValueTextProperty, TextReadsBackWhereLiteralsHaveTheSameForm, ()) {
  const TypePtr type = *AnyBoundedType();
  RC_PRE(type->id() != TypeId::kBinary && type->id() != TypeId::kFixed);  // Base64 and hex.
  const Value value = AnyValue(*type);
  std::string text = FormatValue(value, *type);
  if (type->id() == TypeId::kDate) {  // Literals have a sign before long years, paths have none.
    text.clear();
    AppendDate(text, value.get<int32_t>());
  }
  const auto parsed = ParseValue(text, *type);
  RC_ASSERT(parsed.ok());
  RC_ASSERT(*parsed == value);
}

}  // namespace
}  // namespace firn
