#include "firn/format/types/value_bounds.h"

#include <limits>

#include <rapidcheck/gtest.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/utf8.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value_testing_internal.h"

namespace firn {
namespace {

using testing::HasSubstr;

TypePtr Of(TypeId id) { return Type::Primitive(id); }

std::string HexOf(const Value& value, const TypePtr& type) {
  const auto bytes = ToBoundBytes(value, *type);
  return bytes.ok() ? FormatHex(AsBytes(*bytes)) : bytes.error().Format();
}

Value FromHex(std::string_view hex, const TypePtr& type) {
  return FromBoundBytes(AsBytes(*ParseHex(hex)), *type);
}

TEST(ValueBoundsTest, EveryTypeHasTheBytesThatOtherEnginesRead) {  // B93, as PyIceberg writes them.
  const TypePtr decimal9 = Type::Decimal(9, 2);
  const TypePtr decimal38 = Type::Decimal(38, 10);
  EXPECT_EQ(HexOf(true, Of(TypeId::kBoolean)), "01");
  EXPECT_EQ(HexOf(false, Of(TypeId::kBoolean)), "00");
  EXPECT_EQ(HexOf(int32_t{-1}, Of(TypeId::kInt)), "ffffffff");
  EXPECT_EQ(HexOf(int64_t{-1}, Of(TypeId::kLong)), "ffffffffffffffff");
  EXPECT_EQ(HexOf(int64_t{1} << 40, Of(TypeId::kLong)), "0000000000010000");
  EXPECT_EQ(HexOf(-4.5F, Of(TypeId::kFloat)), "000090c0");
  EXPECT_EQ(HexOf(1e300, Of(TypeId::kDouble)), "9c7500883ce4377e");
  EXPECT_EQ(HexOf(int32_t{-1}, Of(TypeId::kDate)), "ffffffff");
  EXPECT_EQ(HexOf(int64_t{81'068'123'456}, Of(TypeId::kTime)), "406509e012000000");
  EXPECT_EQ(HexOf(int64_t{-1}, Of(TypeId::kTimestamp)), "ffffffffffffffff");
  EXPECT_EQ(HexOf(int64_t{1'510'871'468'000'000}, Of(TypeId::kTimestamptz)), "00c3262d215e0500");
  EXPECT_EQ(HexOf(std::string("\xC3\xA9\xF0\x9F\x98\x80"), Of(TypeId::kString)), "c3a9f09f9880");
  EXPECT_EQ(HexOf(*ParseUuid("f79c3e09-677c-4bbd-a479-3f349cb785e7"), Of(TypeId::kUuid)),
            "f79c3e09677c4bbda4793f349cb785e7");
  EXPECT_EQ(HexOf(BinaryValue{std::string("\0\1\xFF", 3)}, Type::Fixed(3)), "0001ff");
  EXPECT_EQ(HexOf(BinaryValue{std::string("\xFF\0", 2)}, Of(TypeId::kBinary)), "ff00");
  EXPECT_EQ(HexOf(Int128{-100}, decimal9), "9c");
  EXPECT_EQ(HexOf(Int128{1420}, decimal9), "058c");
  EXPECT_EQ(HexOf(Int128{128}, decimal38), "0080");
  EXPECT_EQ(HexOf(Int128{-128}, decimal38), "80");
  EXPECT_EQ(HexOf(Int128{0}, decimal38), "00");
  EXPECT_EQ(HexOf(PowerOfTen(38) - 1, decimal38), "4b3b4ca85a86c47a098a223fffffffff");
}

TEST(ValueBoundsTest, RefusesToWriteAValueInTheFormOfAnotherType) {
  const auto bytes = ToBoundBytes(int64_t{1}, *Of(TypeId::kInt));
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code(), ErrorCode::kInternal);
  EXPECT_FALSE(ToBoundBytes(Value(), *Of(TypeId::kString)).ok());
  EXPECT_FALSE(ToBoundBytes(Value::List({}), *Type::List({.id = 1, .type = Type::Fixed(1)})).ok());
}

TEST(ValueBoundsTest, BoundsOfAPromotedColumnAreWidened) {  // B92
  EXPECT_EQ(FromHex("fdffffff", Of(TypeId::kLong)), Value(int64_t{-3}));
  EXPECT_EQ(FromHex("07000000", Of(TypeId::kLong)), Value(int64_t{7}));
  EXPECT_EQ(FromHex("000090c0", Of(TypeId::kDouble)), Value(-4.5));
  EXPECT_EQ(FromHex("9c", Type::Decimal(20, 2)), Value(Int128{-100}));
  EXPECT_EQ(FromHex("ffffffff", Of(TypeId::kTimestamp)), Value(int64_t{-86'400'000'000}));
  EXPECT_EQ(FromHex("01000000", Of(TypeId::kTimestampNs)), Value(int64_t{86'400'000'000'000}));
}

TEST(ValueBoundsTest, ADateBoundOutOfTheRangeOfItsTimestampIsUnknown) {
  EXPECT_TRUE(FromHex("ffffff7f", Of(TypeId::kTimestamp)).is_null());
  EXPECT_TRUE(FromHex("00000080", Of(TypeId::kTimestamp)).is_null());
  EXPECT_TRUE(FromHex("ffffff7f", Of(TypeId::kTimestampNs)).is_null());
  EXPECT_TRUE(FromHex("01000000", Of(TypeId::kTimestamptz)).is_null());
  EXPECT_TRUE(FromHex("01000000", Of(TypeId::kTime)).is_null());
}

TEST(ValueBoundsTest, NanBoundsAreUnknown) {  // B90
  EXPECT_TRUE(FromHex("0000c07f", Of(TypeId::kFloat)).is_null());
  EXPECT_TRUE(FromHex("0000c0ff", Of(TypeId::kDouble)).is_null());
  EXPECT_TRUE(FromHex("000000000000f87f", Of(TypeId::kDouble)).is_null());
  EXPECT_EQ(FromHex("0000000000000080", Of(TypeId::kDouble)), Value(-0.0));
}

TEST(ValueBoundsTest, BrokenForeignTextBoundsAreIgnored) {  // B88
  const std::string whole(15, 'A');
  const std::string cut = whole + "\xE2";
  EXPECT_TRUE(FromBoundBytes(AsBytes(cut), *Of(TypeId::kString)).is_null());
  EXPECT_TRUE(FromHex("4fe2", Of(TypeId::kString)).is_null());
  EXPECT_TRUE(FromHex("eda080", Of(TypeId::kString)).is_null());  // A surrogate.
  EXPECT_EQ(FromHex("", Of(TypeId::kString)), Value(std::string()));
  EXPECT_EQ(FromHex("4fe280a2", Of(TypeId::kString)), Value(std::string("O\xE2\x80\xA2")));
}

TEST(ValueBoundsTest, BytesOfAnotherLengthAreUnknown) {
  for (const TypeId id : {TypeId::kBoolean, TypeId::kInt, TypeId::kLong, TypeId::kFloat,
                          TypeId::kDouble, TypeId::kDate, TypeId::kTime, TypeId::kTimestamp,
                          TypeId::kTimestamptz, TypeId::kTimestampNs, TypeId::kTimestamptzNs,
                          TypeId::kUuid, TypeId::kVariant, TypeId::kUnknown, TypeId::kGeometry}) {
    EXPECT_TRUE(FromHex("", Of(id)).is_null()) << FormatType(*Of(id));
    EXPECT_TRUE(FromHex("010203", Of(id)).is_null()) << FormatType(*Of(id));
  }
  EXPECT_TRUE(FromHex("0100000000000000", Of(TypeId::kInt)).is_null());
  EXPECT_TRUE(FromHex("", Type::Decimal(9, 2)).is_null());
  EXPECT_TRUE(FromHex("3b9aca00", Type::Decimal(9, 2)).is_null());  // 10^9: ten digits.
  EXPECT_TRUE(FromHex("7fffffffffffffffffffffffffffffffff", Type::Decimal(38, 2)).is_null());
  EXPECT_TRUE(FromHex("01020304", Type::Fixed(3)).is_null());
  EXPECT_EQ(FromHex("0102", Type::Fixed(3)), Value(BinaryValue{"\1\2"}));  // Truncated.
}

RC_GTEST_PROP(ValueBoundsProperty, BoundsReadBackAsTheSameValue, ()) {
  const TypePtr type = *AnyBoundedType();
  const Value value = AnyValue(*type);
  const auto bytes = ToBoundBytes(value, *type);
  RC_ASSERT(bytes.ok());
  RC_ASSERT(FromBoundBytes(AsBytes(*bytes), *type) == value);
}

TEST(ValueBoundsTest, ValuesArePromotedAsTheirTypesAre) {
  const auto promote = [](const Value& value, TypeId from, TypeId to) {
    return PromoteValue(value, *Of(from), *Of(to));
  };
  EXPECT_EQ(*promote(int32_t{-7}, TypeId::kInt, TypeId::kLong), Value(int64_t{-7}));
  EXPECT_EQ(*promote(0.1F, TypeId::kFloat, TypeId::kDouble), Value(double{0.1F}));
  EXPECT_EQ(*promote(int32_t{-1}, TypeId::kDate, TypeId::kTimestamp),
            Value(int64_t{-86'400'000'000}));
  EXPECT_EQ(*promote(Value(), TypeId::kUnknown, TypeId::kString), Value());
  EXPECT_EQ(*PromoteValue(Int128{-100}, *Type::Decimal(9, 2), *Type::Decimal(20, 2)),
            Value(Int128{-100}));
  const auto overflow = promote(int32_t{106'752}, TypeId::kDate, TypeId::kTimestampNs);
  ASSERT_FALSE(overflow.ok());
  EXPECT_EQ(overflow.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(overflow.error().message(), HasSubstr("106752"));
  EXPECT_FALSE(promote(int64_t{1}, TypeId::kLong, TypeId::kInt).ok());
  EXPECT_FALSE(promote(int64_t{1}, TypeId::kInt, TypeId::kLong).ok());
}

std::string Repeat(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += text;
  return result;
}

std::string LowerText(std::string text, int32_t width) {
  return TruncateLowerBound(Value(std::move(text)), width).get<std::string>();
}
std::string UpperText(std::string text, int32_t width) {
  const auto bound = TruncateUpperBound(Value(std::move(text)), width);
  return bound ? bound->get<std::string>() : "none";
}
std::string LowerHex(std::string_view hex, int32_t width) {
  const Value bound = TruncateLowerBound(BinaryValue{*ParseHex(hex)}, width);
  return FormatHex(AsBytes(bound.get<BinaryValue>().bytes));
}
std::string UpperHex(std::string_view hex, int32_t width) {
  const auto bound = TruncateUpperBound(BinaryValue{*ParseHex(hex)}, width);
  return bound ? FormatHex(AsBytes(bound->get<BinaryValue>().bytes)) : "none";
}

TEST(ValueBoundsTest, LongTextIsCutDownAndUpAtCodePoints) {  // B88
  EXPECT_EQ(LowerText("iceberg", 3), "ice");
  EXPECT_EQ(UpperText("iceberg", 3), "icf");
  const std::string bullet = std::string(15, 'A') + "\xE2\x80\xA2tail";
  EXPECT_EQ(LowerText(bullet, 16), std::string(15, 'A') + "\xE2\x80\xA2");
  EXPECT_EQ(UpperText(bullet, 16), std::string(15, 'A') + "\xE2\x80\xA3");
  const std::string hiragana = Repeat("\xE3\x81\x82", 20);
  EXPECT_EQ(LowerText(hiragana, 16), Repeat("\xE3\x81\x82", 16));
  EXPECT_EQ(UpperText(hiragana, 16), Repeat("\xE3\x81\x82", 15) + "\xE3\x81\x83");
  const std::string emoji = std::string(15, 'A') + "\xF0\x9F\x98\x80!";
  EXPECT_EQ(UpperText(emoji, 16), std::string(15, 'A') + "\xF0\x9F\x98\x81");
  EXPECT_EQ(UpperText(emoji, 4), "AAAB");
}

TEST(ValueBoundsTest, TextThatIsNotTooLongIsItsOwnBound) {  // B88
  for (const std::string text : {"", "0123456789abcdef", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(LowerText(text, 16), text);
    EXPECT_EQ(UpperText(text, 16), text);
    EXPECT_EQ(UpperText(text, std::numeric_limits<int32_t>::max()), text);
  }
}

TEST(ValueBoundsTest, IncrementsSkipSurrogatesAndCarryToTheLeft) {
  EXPECT_EQ(UpperText("a\xED\x9F\xBFz", 2), "a\xEE\x80\x80");  // U+D7FF to U+E000.
  EXPECT_EQ(UpperText("a\xF4\x8F\xBF\xBFz", 2), "b");          // U+10FFFF.
  EXPECT_EQ(UpperText("\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBFz", 2), "none");
  EXPECT_EQ(UpperText("\x7Fz", 1), "\xC2\x80");
  EXPECT_EQ(UpperText("\xDF\xBFz", 1), "\xE0\xA0\x80");
  EXPECT_EQ(UpperText("\xEF\xBF\xBFz", 1), "\xF0\x90\x80\x80");
}

TEST(ValueBoundsTest, TextThatIsNotUtf8HasBoundsThatAre) {
  EXPECT_EQ(LowerText("ab\xFFz", 16), "ab");
  EXPECT_EQ(UpperText("ab\xFFz", 16), "ac");
  EXPECT_EQ(LowerText("\xFF", 16), "");
  EXPECT_EQ(UpperText("\xFF", 16), "none");
}

TEST(ValueBoundsTest, BytesAreCutAndIncrementedWithCarry) {
  EXPECT_EQ(LowerHex("010203", 2), "0102");
  EXPECT_EQ(UpperHex("010203", 2), "0103");
  EXPECT_EQ(UpperHex("01ffff", 2), "02");
  EXPECT_EQ(UpperHex("ffffff", 2), "none");
  EXPECT_EQ(UpperHex("ffff", 2), "ffff");
  EXPECT_EQ(UpperHex("7f00", 1), "80");
}

TEST(ValueBoundsTest, OtherValuesAreNotCut) {
  EXPECT_EQ(TruncateLowerBound(int64_t{123456}, 2), Value(int64_t{123456}));
  EXPECT_EQ(TruncateUpperBound(int64_t{123456}, 2), Value(int64_t{123456}));
}

RC_GTEST_PROP(ValueBoundsProperty, CutBoundsEncloseTheValueAndAreShortLegalText, ()) {
  const auto width = *rc::gen::inRange<int32_t>(1, 5);
  const bool is_text = *rc::gen::arbitrary<bool>();
  const Value value =
      is_text ? Value(AnyText()) : Value(BinaryValue{AnyBytes(*rc::gen::inRange<size_t>(0, 8))});
  const Value lower = TruncateLowerBound(value, width);
  const auto upper = TruncateUpperBound(value, width);
  RC_ASSERT(std::is_lteq(CompareValues(lower, value)));
  RC_ASSERT(!upper || std::is_gteq(CompareValues(*upper, value)));
  for (const Value& bound : {lower, upper.value_or(lower)}) {
    if (!is_text) {
      RC_ASSERT(bound.get<BinaryValue>().bytes.size() <= static_cast<size_t>(width));
      continue;
    }
    RC_ASSERT(IsValidUtf8(bound.get<std::string>()));
    RC_ASSERT(CountCodePoints(bound.get<std::string>()) <= static_cast<size_t>(width));
  }
}

}  // namespace
}  // namespace firn
