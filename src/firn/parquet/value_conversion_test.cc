#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/parquet/chunk_testing_internal.h"
#include "firn/parquet/value_conversion_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using Kind = LeafMeaning::Kind;
using P = PhysicalType;

SchemaElement Leaf(P type, LeafMeaning meaning = {}, int32_t length = 0) {
  return {.type = type, .type_length = length, .name = "a", .meaning = meaning};
}

SchemaElement Decimal(P type, int32_t precision, int32_t length = 0) {
  return Leaf(type, {.kind = Kind::kDecimal, .scale = 2, .precision = precision}, length);
}

std::string Text(const std::string& value) {
  return PlainOf(static_cast<uint32_t>(value.size())) + value;
}

Result<std::string> Convert(const SchemaElement& from, const SchemaElement& to,
                            const std::string& values, size_t count) {
  if (!FindConversion(from, to)) return MakeError(ErrorCode::kUnsupported, "no conversion");
  PageBuffer out;
  FIRN_ASSIGN(const auto bytes, ValueConverter(from, to).Convert(AsBytes(values), count, out));
  return std::string(AsText(bytes));
}

const SchemaElement kInt = Leaf(P::kInt32);
const SchemaElement kLong = Leaf(P::kInt64);
const SchemaElement kBinary = Leaf(P::kByteArray);
const SchemaElement kString = Leaf(P::kByteArray, {.kind = Kind::kString});
const SchemaElement kDate = Leaf(P::kInt32, {.kind = Kind::kDate});
const SchemaElement kMicros = Leaf(P::kInt64, {.kind = Kind::kTimestampMicros});
const SchemaElement kNanos = Leaf(P::kInt64, {.kind = Kind::kTimestampNanos});
const SchemaElement kUuid = Leaf(P::kFixedLenByteArray, {.kind = Kind::kUuid}, 16);

TEST(ValueConversionTest, WidensNumbers) {
  const SchemaElement is_unsigned = Leaf(P::kInt32, {.kind = Kind::kUnsigned, .bits = 32});
  EXPECT_THAT(Convert(kInt, kLong, PlainOf(INT32_MIN) + PlainOf(7), 2),
              IsOkAnd(PlainOf(int64_t{INT32_MIN}) + PlainOf(int64_t{7})));
  EXPECT_THAT(Convert(is_unsigned, kLong, PlainOf(int32_t{-1}), 1),
              IsOkAnd(PlainOf(int64_t{UINT32_MAX})));
  EXPECT_THAT(Convert(Leaf(P::kFloat), Leaf(P::kDouble), PlainOf(-0.0F) + PlainOf(1.5F), 2),
              IsOkAnd(PlainOf(-0.0) + PlainOf(1.5)));
}

TEST(ValueConversionTest, MakesDecimalsOfAnyWidthOfDecimalsOfAnyWidth) {
  const std::string minus_5 = std::string(6, '\xFF') + '\xFB';
  const SchemaElement wide = Decimal(P::kFixedLenByteArray, 20, 9);
  for (const auto& [from, value] : std::vector<std::pair<SchemaElement, std::string>>{
           {Decimal(P::kInt32, 9), PlainOf(int32_t{-5})},
           {Decimal(P::kInt64, 12), PlainOf(int64_t{-5})},
           {Decimal(P::kFixedLenByteArray, 12, 7), minus_5},
           {Decimal(P::kByteArray, 12), Text("\xFB")}}) {
    EXPECT_THAT(Convert(from, wide, value, 1), IsOkAnd("\xFF\xFF" + minus_5));
    EXPECT_THAT(Convert(from, Decimal(P::kInt64, 18), value, 1), IsOkAnd(PlainOf(int64_t{-5})));
  }
  EXPECT_THAT(Convert(Decimal(P::kFixedLenByteArray, 5, 3), Decimal(P::kInt32, 9),
                      std::string("\x01\x00\x02", 3), 1),
              IsOkAnd(PlainOf(int32_t{65538})));
}

TEST(ValueConversionTest, RefusesDecimalsWithMoreDigitsThanTheirColumnTells) {
  const SchemaElement to = Decimal(P::kInt64, 18);
  EXPECT_THAT(Convert(Decimal(P::kInt32, 4), to, PlainOf(9999), 1), IsOk());
  EXPECT_THAT(Convert(Decimal(P::kInt32, 4), to, PlainOf(-10000), 1),
              IsError(ErrorCode::kCorrupt, "-10000 has more digits"));
  EXPECT_THAT(Convert(Decimal(P::kByteArray, 4), to, Text(""), 1),
              IsError(ErrorCode::kCorrupt, "0 bytes"));
  EXPECT_THAT(Convert(Decimal(P::kByteArray, 4), to, Text(std::string(17, '\0')), 1),
              IsError(ErrorCode::kCorrupt, "17 bytes"));
}

TEST(ValueConversionTest, ScalesTimesTowardThePast) {
  const SchemaElement millis = Leaf(P::kInt64, {.kind = Kind::kTimestampMillis});
  EXPECT_THAT(Convert(millis, kMicros, PlainOf(int64_t{-7}), 1), IsOkAnd(PlainOf(int64_t{-7000})));
  EXPECT_THAT(Convert(kNanos, kMicros, PlainOf(int64_t{-1}) + PlainOf(int64_t{1999}), 2),
              IsOkAnd(PlainOf(int64_t{-1}) + PlainOf(int64_t{1})));
  EXPECT_THAT(Convert(kDate, kMicros, PlainOf(int32_t{-1}), 1),
              IsOkAnd(PlainOf(int64_t{-86400000000})));
  EXPECT_THAT(Convert(kMicros, kNanos, PlainOf(INT64_MAX), 1),
              IsError(ErrorCode::kCorrupt, "does not fit"));
  EXPECT_THAT(Convert(kDate, kNanos, PlainOf(INT32_MAX), 1),
              IsError(ErrorCode::kCorrupt, "does not fit"));
  const SchemaElement time = Leaf(P::kInt64, {.kind = Kind::kTimeMicros});
  EXPECT_THAT(Convert(Leaf(P::kInt32, {.kind = Kind::kTimeMillis}), time, PlainOf(5), 1),
              IsOkAnd(PlainOf(int64_t{5000})));
}

TEST(ValueConversionTest, ReadsTheOldTimestampsOfHive) {
  const SchemaElement old = Leaf(P::kInt96);
  // A second after noon of the day before the epoch.
  const std::string value = PlainOf(int64_t{43201} * 1000000000 + 999) + PlainOf(int32_t{2440587});
  EXPECT_THAT(Convert(old, kMicros, value, 1), IsOkAnd(PlainOf(int64_t{-43199000000})));
  EXPECT_THAT(Convert(old, kMicros, PlainOf(int64_t{0}) + PlainOf(int32_t{-1}), 1),
              IsError(ErrorCode::kCorrupt, "does not fit"));
  EXPECT_EQ(FindConversion(old, kNanos), std::nullopt);
  EXPECT_EQ(FindConversion(old, old), std::nullopt);
}

TEST(ValueConversionTest, TakesBytesForTextThatIsText) {
  EXPECT_THAT(Convert(kBinary, kString, Text("\xC3\xA4") + Text(""), 2), IsOk());
  EXPECT_THAT(Convert(kBinary, kString, Text("a") + Text("\xC3"), 2),
              IsError(ErrorCode::kCorrupt, "not UTF-8"));
  EXPECT_EQ(FindConversion(Leaf(P::kByteArray, {.kind = Kind::kJson}), kString),
            ValueConversion::kNone);
  EXPECT_EQ(FindConversion(kString, kBinary), ValueConversion::kNone);
}

TEST(ValueConversionTest, MakesBytesFixedAndFixedBytesFree) {
  const SchemaElement fixed = Leaf(P::kFixedLenByteArray, {}, 3);
  EXPECT_THAT(Convert(kBinary, fixed, Text("abc") + Text("def"), 2), IsOkAnd("abcdef"));
  EXPECT_THAT(Convert(kBinary, fixed, Text("ab"), 1), IsError(ErrorCode::kCorrupt, "2 bytes"));
  EXPECT_THAT(Convert(fixed, kBinary, "abcdef", 2), IsOkAnd(Text("abc") + Text("def")));
  const std::string uuid = std::string(15, '\0') + '\x2A';
  EXPECT_THAT(Convert(kString, kUuid, Text("00000000-0000-0000-0000-00000000002a") + Text(uuid), 2),
              IsOkAnd(uuid + uuid));
  EXPECT_THAT(Convert(kString, kUuid, Text("00000000"), 1), IsError(ErrorCode::kCorrupt, "8"));
}

TEST(ValueConversionTest, FindsNoneWhereValuesWouldMeanSomethingElse) {
  const SchemaElement instant = Leaf(P::kInt64, {.kind = Kind::kTimestampMicros, .is_utc = true});
  SchemaElement other_scale = Decimal(P::kInt64, 18);
  other_scale.meaning.scale = 3;
  const std::vector<std::pair<SchemaElement, SchemaElement>> pairs = {
      {kLong, kInt},
      {Leaf(P::kDouble), Leaf(P::kFloat)},
      {kInt, Leaf(P::kDouble)},
      {kInt, Decimal(P::kInt32, 9)},
      {Decimal(P::kInt32, 9), kInt},
      {Decimal(P::kInt64, 18), Decimal(P::kInt32, 9)},
      {Decimal(P::kInt32, 9), other_scale},
      {Decimal(P::kFixedLenByteArray, 38, 17), Decimal(P::kFixedLenByteArray, 38, 16)},
      {Leaf(P::kInt64, {.kind = Kind::kUnsigned, .bits = 64}), kLong},
      {Leaf(P::kInt32, {.kind = Kind::kUnsigned, .bits = 32}), kInt},
      {kDate, instant},
      {kDate, kLong},
      {kString, Leaf(P::kFixedLenByteArray, {}, 0)},
      {Leaf(P::kFixedLenByteArray, {.kind = Kind::kOther}, 12), kBinary},
      {kUuid, kString},
      {Leaf(P::kBoolean), kInt},
  };
  for (size_t i = 0; i < pairs.size(); ++i)
    EXPECT_EQ(FindConversion(pairs[i].first, pairs[i].second), std::nullopt) << i;
}

}  // namespace
}  // namespace firn
