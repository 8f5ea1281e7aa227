#include "firn/format/types/value_render.h"

#include <limits>

#include <rapidcheck/gtest.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/json/json_reader.h"
#include "firn/format/types/value_testing_internal.h"

namespace firn {
namespace {

TypePtr Of(TypeId id) { return Type::Primitive(id); }

std::string Json(const Value& value, const TypePtr& type) {
  std::string out;
  AppendRowJson(out, value, *type);
  return out;
}

std::string Cell(const Value& value, const TypePtr& type) {
  std::string out;
  AppendCsvCell(out, value, *type);
  return out;
}

TEST(ValueRenderTest, NumbersAreNumbersAndTheRestIsText) {
  EXPECT_EQ(Json(true, Of(TypeId::kBoolean)), "true");
  EXPECT_EQ(Json(int32_t{-34}, Of(TypeId::kInt)), "-34");
  EXPECT_EQ(Json(std::numeric_limits<int64_t>::max(), Of(TypeId::kLong)), "9223372036854775807");
  EXPECT_EQ(Json(Int128{1420}, Type::Decimal(9, 2)), "\"14.20\"");
  EXPECT_EQ(Json(Int128{0}, Type::Decimal(38, 10)), "\"0.0000000000\"");
  EXPECT_EQ(Json(std::string("a\"\n"), Of(TypeId::kString)), R"("a\"\n")");
  EXPECT_EQ(Json(*ParseUuid("f79c3e09-677c-4bbd-a479-3f349cb785e7"), Of(TypeId::kUuid)),
            "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"");
  EXPECT_EQ(Json(BinaryValue{"\xCA\xFE"}, Of(TypeId::kBinary)), "\"cafe\"");
  EXPECT_EQ(Json(BinaryValue{}, Of(TypeId::kBinary)), "\"\"");
  EXPECT_EQ(Json(Value(), Of(TypeId::kString)), "null");
}

TEST(ValueRenderTest, FloatsAreTheShortestTextOfTheirWidth) {
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(Json(0.1F, Of(TypeId::kFloat)), "0.1");
  EXPECT_EQ(Json(0.1, Of(TypeId::kDouble)), "0.1");
  EXPECT_EQ(Json(double{0.1F}, Of(TypeId::kDouble)), "0.10000000149011612");
  EXPECT_EQ(Json(1.0, Of(TypeId::kDouble)), "1.0");
  EXPECT_EQ(Json(-0.0, Of(TypeId::kDouble)), "-0.0");
  EXPECT_EQ(Json(-0.0F, Of(TypeId::kFloat)), "-0.0");
  EXPECT_EQ(Json(1e300, Of(TypeId::kDouble)), "1e+300");
  EXPECT_EQ(Json(Limits::quiet_NaN(), Of(TypeId::kDouble)), "\"NaN\"");
  EXPECT_EQ(Json(Limits::infinity(), Of(TypeId::kDouble)), "\"Infinity\"");
  EXPECT_EQ(Json(-std::numeric_limits<float>::infinity(), Of(TypeId::kFloat)), "\"-Infinity\"");
}

TEST(ValueRenderTest, TimesAlwaysHaveSixOrNineDigits) {
  EXPECT_EQ(Json(int32_t{-1}, Of(TypeId::kDate)), "\"1969-12-31\"");
  EXPECT_EQ(Json(int64_t{36'000'000'000}, Of(TypeId::kTime)), "\"10:00:00.000000\"");
  EXPECT_EQ(Json(int64_t{0}, Of(TypeId::kTimestamp)), "\"1970-01-01T00:00:00.000000\"");
  EXPECT_EQ(Json(int64_t{-1}, Of(TypeId::kTimestamptz)), "\"1969-12-31T23:59:59.999999+00:00\"");
  EXPECT_EQ(Json(int64_t{1}, Of(TypeId::kTimestampNs)), "\"1970-01-01T00:00:00.000000001\"");
  EXPECT_EQ(Json(int64_t{0}, Of(TypeId::kTimestamptzNs)),
            "\"1970-01-01T00:00:00.000000000+00:00\"");
}

TypePtr RowType() {
  const TypePtr list = Type::List({.id = 3, .type = Of(TypeId::kDate)});
  const TypePtr map =
      Type::Map({.id = 5, .type = Of(TypeId::kInt)}, {.id = 6, .type = Of(TypeId::kDouble)});
  return Type::Struct({{.id = 1, .name = "s", .type = Of(TypeId::kString)},
                       {.id = 2, .name = "days", .type = list},
                       {.id = 4, .name = "m", .type = map}});
}

TEST(ValueRenderTest, NestedValuesAreObjectsAndArrays) {
  const Value row = Value::Struct({std::string("x"), Value::List({int32_t{0}, Value()}),
                                   Value::Map({{int32_t{1}, 2.5}, {int32_t{2}, Value()}})});
  EXPECT_EQ(Json(row, RowType()), R"({"s":"x","days":["1970-01-01",null],)"
                                  R"("m":[{"key":1,"value":2.5},{"key":2,"value":null}]})");
  EXPECT_EQ(Json(Value::Struct({Value(), Value::List({}), Value::Map({})}), RowType()),
            R"({"s":null,"days":[],"m":[]})");
}

TEST(ValueRenderTest, CsvTellsNullFromEmptyTextAndQuotesWhatItMust) {
  EXPECT_EQ(Cell(Value(), Of(TypeId::kString)), "");
  EXPECT_EQ(Cell(std::string(), Of(TypeId::kString)), "\"\"");
  EXPECT_EQ(Cell(std::string("a b"), Of(TypeId::kString)), "a b");
  EXPECT_EQ(Cell(std::string("a,b"), Of(TypeId::kString)), "\"a,b\"");
  EXPECT_EQ(Cell(std::string("say \"hi\""), Of(TypeId::kString)), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(Cell(std::string("a\nb"), Of(TypeId::kString)), "\"a\nb\"");
  EXPECT_EQ(Cell(1.5, Of(TypeId::kDouble)), "1.5");
  EXPECT_EQ(Cell(std::numeric_limits<double>::quiet_NaN(), Of(TypeId::kDouble)), "NaN");
  EXPECT_EQ(Cell(Int128{-5}, Type::Decimal(9, 2)), "-0.05");
  EXPECT_EQ(Cell(BinaryValue{}, Of(TypeId::kBinary)), "\"\"");
  EXPECT_EQ(
      Cell(Value::List({std::string("a")}), Type::List({.id = 1, .type = Of(TypeId::kString)})),
      "\"[\"\"a\"\"]\"");
}

TEST(ValueRenderTest, ARowOfCsvIsItsCells) {
  std::string out;
  AppendRowCsv(out, Value::Struct({std::string("x"), Value(), Value::Map({})}), *RowType());
  EXPECT_EQ(out, "x,,[]");
}

RC_GTEST_PROP(ValueRenderProperty, EveryValueIsLegalJson, ()) {
  const TypePtr type = *AnyBoundedType();
  RC_ASSERT(IsJsonText(Json(AnyValue(*type), type)));
}

}  // namespace
}  // namespace firn
