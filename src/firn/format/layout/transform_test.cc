#include "firn/format/layout/transform.h"

#include <cstdlib>
#include <ctime>
#include <limits>

#include <rapidcheck/gtest.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/types/value_testing_internal.h"

namespace firn {
namespace {

using testing::HasSubstr;

TypePtr Of(TypeId id) { return Type::Primitive(id); }

Value Parse(std::string_view text, const TypePtr& type) {
  auto value = ParseValue(text, *type);
  EXPECT_TRUE(value.ok()) << text;
  return value.ok() ? *value : Value();
}

Transform Make(std::string_view text) {
  auto transform = ParseTransform(text);
  EXPECT_TRUE(transform.ok()) << text;
  return transform.ok() ? *transform : Transform{};
}

Value Apply(std::string_view transform, const TypePtr& source, const Value& value) {
  auto result = ApplyTransform(Make(transform), *source, value);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message());
  return result.ok() ? *result : Value(std::string("error"));
}

TEST(TransformTest, TextReadsBackAsTheSameTransform) {
  for (const char* text : {"identity", "bucket[16]", "truncate[2147483647]", "year", "month", "day",
                           "hour", "void", "zorder[3]", "bucket", "Custom(1)"}) {
    EXPECT_EQ(FormatTransform(Make(text)), text);
  }
  EXPECT_EQ(Make("BUCKET[16]"), (Transform{.kind = TransformKind::kBucket, .width = 16}));
  EXPECT_EQ(Make("Void").kind, TransformKind::kVoid);
  EXPECT_EQ(Make("zorder[3]").kind, TransformKind::kUnknown);
}

TEST(TransformTest, RefusesAWidthThatIsNotPositive) {
  for (const char* text :
       {"bucket[0]", "truncate[-1]", "bucket[]", "truncate[99999999999]", "bucket[x]"}) {
    const auto transform = ParseTransform(text);
    ASSERT_FALSE(transform.ok()) << text;
    EXPECT_EQ(transform.error().code(), ErrorCode::kCorrupt);
    EXPECT_THAT(transform.error().message(), HasSubstr(text));
  }
}

struct HashVector {
  Value value;
  TypePtr type;
  int32_t hash;
  int32_t bucket16 = -1;  // Negative: not given.
  int32_t bucket100 = -1;
};

std::vector<HashVector> HashVectors() {
  const TypePtr int_type = Of(TypeId::kInt);
  const TypePtr long_type = Of(TypeId::kLong);
  const TypePtr string = Of(TypeId::kString);
  const TypePtr timestamp = Of(TypeId::kTimestamp);
  const TypePtr timestamp_ns = Of(TypeId::kTimestampNs);
  const TypePtr decimal = Type::Decimal(9, 2);
  const TypePtr fixed = Type::Fixed(4);
  const Value bytes = BinaryValue{std::string("\0\1\2\3", 4)};
  return {
      {int32_t{34}, int_type, 2017239379, 3, 79},
      {int64_t{34}, long_type, 2017239379, 3, 79},
      {int64_t{-1}, long_type, 1651860712, 8, 12},
      {int32_t{-1}, int_type, 1651860712, 8, 12},
      {int64_t{0}, long_type, 1669671676, 12, 76},
      {std::numeric_limits<int64_t>::min(), long_type, 1366273829, 5, 29},
      {std::string("34"), string, -427558391, 9, 57},
      {std::string("iceberg"), string, 1210000089, 9, 89},
      {std::string(), string, 0, 0, 0},
      {std::string("\xF0\x9F\x98\x80"), string, -1095487750, 10, 98},
      {Int128{1420}, decimal, -500754589, 3, 59},
      {Int128{-1420}, decimal, 667775751, 7, 51},
      {Int128{128}, decimal, 1544076949, 5, 49},
      {Parse("2017-11-16", Of(TypeId::kDate)), Of(TypeId::kDate), -653330422, 10, 26},
      {Parse("22:31:08", Of(TypeId::kTime)), Of(TypeId::kTime), -662762989},
      {Parse("2017-11-16T22:31:08", timestamp), timestamp, -2047944441},
      {Parse("2017-11-16T22:31:08", timestamp_ns), timestamp_ns, -2047944441},
      {Parse("2017-11-16T22:31:08Z", Of(TypeId::kTimestamptz)), Of(TypeId::kTimestamptz),
       -2047944441},
      {Parse("2017-11-16T22:31:08.000001", timestamp), timestamp, -1207196810},
      {Parse("2017-11-16T22:31:08.000001001", timestamp_ns), timestamp_ns, -1207196810},
      {Parse("f79c3e09-677c-4bbd-a479-3f349cb785e7", Of(TypeId::kUuid)), Of(TypeId::kUuid),
       1488055340, 12, 40},
      {bytes, fixed, -188683207},
      {bytes, Of(TypeId::kBinary), -188683207},
  };
}

TEST(TransformTest, BucketsAreThoseOfTheSpec) {
  for (const HashVector& vector : HashVectors()) {
    const std::string what =
        FormatType(*vector.type) + " " + FormatValue(vector.value, *vector.type);
    EXPECT_EQ(BucketHash(vector.value, *vector.type), vector.hash) << what;
    if (vector.bucket16 < 0) continue;
    EXPECT_EQ(Apply("bucket[16]", vector.type, vector.value), Value(vector.bucket16)) << what;
    EXPECT_EQ(Apply("bucket[100]", vector.type, vector.value), Value(vector.bucket100)) << what;
  }
}

TEST(TransformTest, TypesThatHaveNoBucketsHaveTheHashOfTheSpec) {
  EXPECT_EQ(BucketHash(1.0, *Of(TypeId::kDouble)), -142385009);
  EXPECT_EQ(BucketHash(1.0F, *Of(TypeId::kFloat)), -142385009);
  EXPECT_EQ(BucketHash(0.0, *Of(TypeId::kDouble)), 1669671676);
  EXPECT_EQ(BucketHash(-0.0, *Of(TypeId::kDouble)), 1669671676);
  EXPECT_EQ(BucketHash(true, *Of(TypeId::kBoolean)), 1392991556);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(BucketHash(kNan, *Of(TypeId::kDouble)), BucketHash(-kNan, *Of(TypeId::kDouble)));
}

TEST(TransformTest, NumbersAreTruncatedDownwards) {
  const TypePtr int_type = Of(TypeId::kInt);
  const TypePtr long_type = Of(TypeId::kLong);
  for (const auto& [width, value, expected] :
       std::vector<std::array<int32_t, 3>>{{10, 0, 0},
                                           {10, 1, 0},
                                           {10, -1, -10},
                                           {10, 10, 10},
                                           {10, 9, 0},
                                           {10, -9, -10},
                                           {10, -10, -10},
                                           {10, -11, -20},
                                           {10, 2147483647, 2147483640},
                                           {10, -2147483637, -2147483640},
                                           {7, 9, 7},
                                           {7, -9, -14},
                                           {7, -11, -14},
                                           {7, 2147483647, 2147483646},
                                           {1, -11, -11}}) {
    const std::string transform = "truncate[" + std::to_string(width) + "]";
    EXPECT_EQ(Apply(transform, int_type, value), Value(expected)) << width << " " << value;
    EXPECT_EQ(Apply(transform, long_type, int64_t{value}), Value(int64_t{expected}));
  }
  const TypePtr decimal = Type::Decimal(9, 2);
  EXPECT_EQ(Apply("truncate[50]", decimal, Int128{1065}), Value(Int128{1050}));
  EXPECT_EQ(Apply("truncate[50]", decimal, Int128{-5}), Value(Int128{-50}));
}

TEST(TransformTest, TruncationBelowTheLeastNumberWraps) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(Apply("truncate[10]", Of(TypeId::kInt), kMin), Value(int32_t{2147483646}));
  EXPECT_EQ(Apply("truncate[10]", Of(TypeId::kLong), std::numeric_limits<int64_t>::min()),
            Value(int64_t{9223372036854775806}));
}

TEST(TransformTest, TextIsTruncatedByCodePointsAndBytesByBytes) {
  const TypePtr string = Of(TypeId::kString);
  EXPECT_EQ(Apply("truncate[3]", string, std::string("iceberg")), Value(std::string("ice")));
  EXPECT_EQ(Apply("truncate[3]", string, std::string("ic")), Value(std::string("ic")));
  EXPECT_EQ(Apply("truncate[2]", string, std::string("\xF0\x9F\x98\x80\xC3\xA9x")),
            Value(std::string("\xF0\x9F\x98\x80\xC3\xA9")));
  EXPECT_EQ(Apply("truncate[2]", Of(TypeId::kBinary), BinaryValue{"\xF0\x9F\x98"}),
            Value(BinaryValue{"\xF0\x9F"}));
}

struct TimeVector {
  const char* text;
  int32_t year;
  int32_t month;
  int32_t day;
  int32_t hour;
};

constexpr TimeVector kTimeVectors[] = {
    {"1970-01-01T00:00:00", 0, 0, 0, 0},
    {"1969-12-31T23:59:59.999999", -1, -1, -1, -1},
    {"1969-12-31T23:00:00", -1, -1, -1, -1},
    {"1969-12-31T22:59:59.999999", -1, -1, -1, -2},
    {"1969-01-01T00:00:00", -1, -12, -365, -8760},
    {"1900-02-28T12:00:00", -70, -839, -25509, -612204},
    {"2017-11-16T22:31:08", 47, 574, 17486, 419686},
    {"9999-12-31T23:59:59.999999", 8029, 96359, 2932896, 70389527},
};

TEST(TransformTest, TimesBeforeTheEpochRoundDown) {  // B79
  for (const TimeVector& vector : kTimeVectors) {
    for (const TypeId id :
         {TypeId::kTimestamp, TypeId::kTimestamptz, TypeId::kTimestampNs, TypeId::kTimestamptzNs}) {
      const bool is_nanos = id == TypeId::kTimestampNs || id == TypeId::kTimestamptzNs;
      if (is_nanos && vector.year > 200) continue;  // Out of range.
      const TypePtr type = Of(id);
      const Value time = Parse(vector.text, type);
      EXPECT_EQ(Apply("year", type, time), Value(vector.year)) << vector.text;
      EXPECT_EQ(Apply("month", type, time), Value(vector.month)) << vector.text;
      EXPECT_EQ(Apply("day", type, time), Value(vector.day)) << vector.text;
      EXPECT_EQ(Apply("hour", type, time), Value(vector.hour)) << vector.text;
    }
    const TypePtr date = Of(TypeId::kDate);
    const Value day = Parse(std::string_view(vector.text).substr(0, 10), date);
    EXPECT_EQ(Apply("year", date, day), Value(vector.year)) << vector.text;
    EXPECT_EQ(Apply("month", date, day), Value(vector.month)) << vector.text;
    EXPECT_EQ(Apply("day", date, day), Value(vector.day)) << vector.text;
  }
  EXPECT_EQ(Apply("hour", Of(TypeId::kTimestamp), int64_t{-1}), Value(int32_t{-1}));
  EXPECT_EQ(Apply("day", Of(TypeId::kTimestampNs), int64_t{-1}), Value(int32_t{-1}));
}

TEST(TransformTest, TheZoneOfTheProcessDoesNotCount) {  // B81
  const char* saved = std::getenv("TZ");
  const std::string before = saved == nullptr ? "" : saved;
  for (const char* zone : {"Asia/Kolkata", "America/Los_Angeles", "UTC"}) {
    setenv("TZ", zone, 1);
    tzset();
    const Value instant = Parse("2024-01-01T20:00Z", Of(TypeId::kTimestamptz));
    const Value local = Parse("2024-01-01T20:00", Of(TypeId::kTimestamp));
    EXPECT_EQ(Apply("day", Of(TypeId::kTimestamptz), instant), Value(int32_t{19723})) << zone;
    EXPECT_EQ(Apply("day", Of(TypeId::kTimestamp), local), Value(int32_t{19723})) << zone;
    EXPECT_EQ(FormatTransformed(Make("day"), *Of(TypeId::kDate), int32_t{19723}), "2024-01-01");
    EXPECT_EQ(FormatValue(instant, *Of(TypeId::kTimestamptz)), "2024-01-01T20:00:00+00:00");
  }
  saved == nullptr ? unsetenv("TZ") : setenv("TZ", before.c_str(), 1);
  tzset();
}

TEST(TransformTest, NullStaysNullAndVoidMakesNull) {
  for (const char* text : {"identity", "bucket[16]", "truncate[3]", "void"}) {
    EXPECT_TRUE(Apply(text, Of(TypeId::kString), Value()).is_null()) << text;
  }
  EXPECT_TRUE(Apply("void", Of(TypeId::kString), std::string("a")).is_null());
}

TEST(TransformTest, AnUnknownTransformIsCarriedButNotComputed) {
  const Transform unknown = Make("zorder[3]");
  const auto value = ApplyTransform(unknown, *Of(TypeId::kInt), int32_t{1});
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.error().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(value.error().message(), HasSubstr("zorder[3]"));
  EXPECT_TRUE(CanTransform(unknown, *Of(TypeId::kInt)));
  EXPECT_EQ(*TransformResultType(unknown, Of(TypeId::kInt)), *Of(TypeId::kString));
}

TEST(TransformTest, EachTransformKnowsItsSources) {
  const auto can = [](std::string_view text, const TypePtr& type) {
    return CanTransform(Make(text), *type);
  };
  EXPECT_TRUE(can("identity", Of(TypeId::kDouble)));
  EXPECT_FALSE(can("identity", Of(TypeId::kVariant)));
  EXPECT_FALSE(can("identity", Of(TypeId::kGeometry)));
  EXPECT_FALSE(can("identity", Type::Struct({})));
  EXPECT_TRUE(can("bucket[4]", Of(TypeId::kUuid)));
  EXPECT_TRUE(can("bucket[4]", Type::Fixed(4)));
  EXPECT_FALSE(can("bucket[4]", Of(TypeId::kDouble)));
  EXPECT_FALSE(can("bucket[4]", Of(TypeId::kBoolean)));
  EXPECT_TRUE(can("truncate[4]", Type::Decimal(9, 2)));
  EXPECT_FALSE(can("truncate[4]", Type::Fixed(4)));
  EXPECT_TRUE(can("day", Of(TypeId::kDate)));
  EXPECT_TRUE(can("hour", Of(TypeId::kTimestamptzNs)));
  EXPECT_FALSE(can("hour", Of(TypeId::kDate)));
  EXPECT_FALSE(can("year", Of(TypeId::kTime)));
  EXPECT_TRUE(can("void", Type::Struct({})));
}

TEST(TransformTest, ResultsHaveTheTypesOfTheSpec) {
  const TypePtr timestamp = Of(TypeId::kTimestamp);
  EXPECT_EQ(*TransformResultType(Make("identity"), timestamp), *timestamp);
  EXPECT_EQ(*TransformResultType(Make("void"), timestamp), *timestamp);
  EXPECT_EQ(*TransformResultType(Make("bucket[2]"), timestamp), *Of(TypeId::kInt));
  EXPECT_EQ(*TransformResultType(Make("month"), timestamp), *Of(TypeId::kInt));
  EXPECT_EQ(*TransformResultType(Make("day"), timestamp), *Of(TypeId::kDate));
}

TEST(TransformTest, TransformedValuesAreReadable) {
  const auto format = [](std::string_view text, TypeId type, const Value& value) {
    return FormatTransformed(Make(text), *Of(type), value);
  };
  EXPECT_EQ(format("year", TypeId::kInt, int32_t{47}), "2017");
  EXPECT_EQ(format("year", TypeId::kInt, int32_t{-1}), "1969");
  EXPECT_EQ(format("month", TypeId::kInt, int32_t{574}), "2017-11");
  EXPECT_EQ(format("month", TypeId::kInt, int32_t{-1}), "1969-12");
  EXPECT_EQ(format("day", TypeId::kDate, int32_t{-1}), "1969-12-31");
  EXPECT_EQ(format("day", TypeId::kInt, int32_t{17486}), "2017-11-16");
  EXPECT_EQ(format("hour", TypeId::kInt, int32_t{419686}), "2017-11-16-22");
  EXPECT_EQ(format("hour", TypeId::kInt, int32_t{-1}), "1969-12-31-23");
  EXPECT_EQ(format("bucket[16]", TypeId::kInt, int32_t{3}), "3");
  EXPECT_EQ(format("day", TypeId::kDate, Value()), "null");
  EXPECT_EQ(format("void", TypeId::kString, Value()), "null");
}

RC_GTEST_PROP(TransformProperty, OrderIsPreservedWhereATransformSaysSo, ()) {
  const TypePtr type = *AnyBoundedType();
  const Transform transform = Make(*rc::gen::elementOf(std::vector<std::string>{
      "identity", "truncate[1]", "truncate[7]", "year", "month", "day", "hour"}));
  RC_PRE(CanTransform(transform, *type));
  Value a = AnyValue(*type);
  Value b = AnyValue(*type);
  const Value result_a = *ApplyTransform(transform, *type, a);
  const Value result_b = *ApplyTransform(transform, *type, b);
  // Truncation wraps below the least number, as the other engines do.
  RC_PRE(transform.kind != TransformKind::kTruncate ||
         (CompareValues(result_a, a) <= 0 && CompareValues(result_b, b) <= 0));
  RC_ASSERT(transform.preserves_order());
  if (CompareValues(a, b) <= 0) RC_ASSERT(std::is_lteq(CompareValues(result_a, result_b)));
  if (CompareValues(a, b) >= 0) RC_ASSERT(std::is_gteq(CompareValues(result_a, result_b)));
}

RC_GTEST_PROP(TransformProperty, BucketsLieInRange, ()) {
  const TypePtr type = *AnyBoundedType();
  const auto width = *rc::gen::inRange<int32_t>(1, 100);
  const Transform transform{.kind = TransformKind::kBucket, .width = width};
  RC_PRE(CanTransform(transform, *type));
  const Value bucket = *ApplyTransform(transform, *type, AnyValue(*type));
  RC_ASSERT(bucket.get<int32_t>() >= 0);
  RC_ASSERT(bucket.get<int32_t>() < width);
}

}  // namespace
}  // namespace firn
