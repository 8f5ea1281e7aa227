#include "firn/data/render/render.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::HasSubstr;

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

Result<std::string> Render(std::vector<NestedField> fields, std::vector<StructValue> rows,
                           RowFormat format = RowFormat::kJson) {
  const TypePtr type = Type::Struct(std::move(fields));
  FIRN_ASSIGN(auto stream, MakeRowStream(type, std::move(rows)));
  return RenderText(std::move(stream), type, format);
}

TEST(RenderJsonTest, WritesEveryTypeInItsForm) {
  UuidBytes uuid{};
  uuid[0] = std::byte{0xf7};
  uuid[15] = std::byte{0x01};
  const std::vector<std::pair<NestedField, Value>> columns = {
      {Optional(1, "b", Primitive(TypeId::kBoolean)), true},
      {Optional(2, "i", Primitive(TypeId::kInt)), -7},
      {Optional(3, "l", Primitive(TypeId::kLong)), std::numeric_limits<int64_t>::min()},
      {Optional(4, "f", Primitive(TypeId::kFloat)), 0.1F},
      {Optional(5, "d", Primitive(TypeId::kDouble)), -0.0},
      {Optional(6, "dec", Type::Decimal(9, 2)), Int128{-5}},
      {Optional(7, "day", Primitive(TypeId::kDate)), 20484},
      {Optional(8, "t", Primitive(TypeId::kTime)), int64_t{36000000001}},
      {Optional(9, "ts", Primitive(TypeId::kTimestamp)), int64_t{1}},
      {Optional(10, "tz", Primitive(TypeId::kTimestamptz)), int64_t{-1}},
      {Optional(11, "tn", Primitive(TypeId::kTimestampNs)), int64_t{1}},
      {Optional(12, "tzn", Primitive(TypeId::kTimestamptzNs)), int64_t{1}},
      {Optional(13, "s", Primitive(TypeId::kString)), "a\"\n\xC3\xA9"},
      {Optional(14, "u", Primitive(TypeId::kUuid)), uuid},
      {Optional(15, "x", Type::Fixed(2)), BinaryValue{std::string("\x00\xff", 2)}},
      {Optional(16, "y", Primitive(TypeId::kBinary)), BinaryValue{""}},
      {Optional(17, "n", Primitive(TypeId::kUnknown)), {}}};
  std::vector<NestedField> fields;
  StructValue row;
  for (const auto& [field, value] : columns) {
    fields.push_back(field);
    row.fields.push_back(value);
  }

  EXPECT_THAT(
      Render(fields, {row}),
      IsOkAnd(R"({"b":true,"i":-7,"l":-9223372036854775808,"f":0.1,"d":-0.0,"dec":"-0.05",)"
              R"("day":"2026-01-31","t":"10:00:00.000001","ts":"1970-01-01T00:00:00.000001",)"
              R"("tz":"1969-12-31T23:59:59.999999+00:00","tn":"1970-01-01T00:00:00.000000001",)"
              R"("tzn":"1970-01-01T00:00:00.000000001+00:00","s":"a\"\n)"
              "\xC3\xA9"
              R"(","u":"f7000000-0000-0000-0000-000000000001","x":"00ff","y":"","n":null})"
              "\n"));
}

TEST(RenderJsonTest, WritesFloatsThatAreNoNumbersAsWords) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(Render({Optional(1, "d", Primitive(TypeId::kDouble))},
                     {Row({std::nan("")}), Row({infinity}), Row({-infinity})}),
              IsOkAnd("{\"d\":\"NaN\"}\n{\"d\":\"Infinity\"}\n{\"d\":\"-Infinity\"}\n"));
}

TEST(RenderJsonTest, WritesNestedValues) {
  const TypePtr pair = Type::Struct(
      {Optional(5, "x", Primitive(TypeId::kInt)), Optional(6, "y", Primitive(TypeId::kString))});
  EXPECT_THAT(
      Render({Optional(1, "l", Type::List(Optional(4, "element", pair))),
              Optional(2, "m",
                       Type::Map(Required(7, "key", Primitive(TypeId::kString)),
                                 Optional(8, "value", Primitive(TypeId::kDate))))},
             {Row({Value::List({Value::Struct({1, {}}), {}}),
                   Value::Map({{Value("k"), Value(0)}, {Value("n"), {}}})}),
              Row({Value::List({}), {}})}),
      IsOkAnd("{\"l\":[{\"x\":1,\"y\":null},null],"
              "\"m\":[{\"key\":\"k\",\"value\":\"1970-01-01\"},{\"key\":\"n\",\"value\":null}]}\n"
              "{\"l\":[],\"m\":null}\n"));
}

TEST(RenderCsvTest, TellsNullFromEmptyAndQuotesWhatNeedsIt) {
  EXPECT_THAT(
      Render({Optional(1, "a,b", Primitive(TypeId::kString)),
              Optional(2, "l", Type::List(Optional(3, "element", Primitive(TypeId::kInt))))},
             {Row({{}, Value::List({1, 2})}), Row({"", {}}), Row({"x\"y", Value::List({})})},
             RowFormat::kCsv),
      IsOkAnd("\"a,b\",l\n,\"[1,2]\"\n\"\",\n\"x\"\"y\",[]\n"));
}

TEST(RenderCsvTest, WritesTheHeaderOfNoRows) {
  EXPECT_THAT(Render({Optional(1, "a", Primitive(TypeId::kInt))}, {}, RowFormat::kCsv),
              IsOkAnd("a\n"));
}

TEST(RenderTableTest, AlignsColumns) {
  EXPECT_THAT(
      Render({Optional(1, "n", Primitive(TypeId::kInt)),
              Optional(2, "name", Primitive(TypeId::kString)),
              Optional(3, "z", Primitive(TypeId::kString))},
             {Row({1, "\xC3\xA9t\xC3\xA9", "a\nb"}), Row({100, {}, ""})}, RowFormat::kTable),
      IsOkAnd("  n  name  z\n"
              "---  ----  ----\n"
              "  1  \xC3\xA9t\xC3\xA9   a\\nb\n"
              "100  null  \n"));
}

TEST(RenderArrowTest, WritesAStream) {
  const auto bytes =
      Render({Optional(1, "a", Primitive(TypeId::kInt))}, {Row({1})}, RowFormat::kArrow);
  ASSERT_THAT(bytes, IsOk());
  EXPECT_EQ(bytes->substr(0, 4), "\xFF\xFF\xFF\xFF");
}

TEST(RenderParquetTest, WritesAFileThatReadsBack) {
  const std::vector<NestedField> fields = {Optional(1, "a", Primitive(TypeId::kInt)),
                                           Optional(2, "u", Primitive(TypeId::kUuid))};
  const UuidBytes uuid{};
  const auto bytes = Render(fields, {Row({1, uuid}), Row({{}, {}})}, RowFormat::kParquet);
  ASSERT_THAT(bytes, IsOk());
  RowTable table(fields);

  EXPECT_THAT(table.Read({table.AddFile("x.parquet", *bytes)}, {}, "", true),
              IsOkAnd(testing::ElementsAre(R"({"a":1,"u":"00000000-0000-0000-0000-000000000000"})",
                                           R"({"a":null,"u":null})")));
}

TEST(RenderRowsTest, StopsAtTheLimit) {
  const TypePtr type = Type::Struct({Optional(1, "a", Primitive(TypeId::kInt))});
  std::string text;
  const auto sink = [&](std::span<const std::byte> bytes) -> Status {
    text += AsText(bytes);
    return {};
  };

  const auto count = RenderRows(*MakeRowStream(type, {Row({1}), Row({2}), Row({3})}),
                                {.type = type, .row_count_max = 2}, sink);

  EXPECT_THAT(count, IsOkAnd(2));
  EXPECT_EQ(text, "{\"a\":1}\n{\"a\":2}\n");
}

TEST(RenderRowsTest, PassesOnTheErrorOfTheSink) {
  const TypePtr type = Type::Struct({Optional(1, "a", Primitive(TypeId::kInt))});
  const auto sink = [](std::span<const std::byte>) -> Status {
    return MakeError(ErrorCode::kUnavailable, "the pipe is closed");
  };

  const auto count = RenderRows(*MakeRowStream(type, {Row({1})}), {.type = type}, sink);

  ASSERT_FALSE(count.ok());
  EXPECT_EQ(count.error().code(), ErrorCode::kUnavailable);
}

TEST(ParseRowFormatTest, ListsTheFormats) {
  EXPECT_THAT(ParseRowFormat("JSON"), IsOkAnd(RowFormat::kJson));
  const auto format = ParseRowFormat("xml");
  ASSERT_FALSE(format.ok());
  EXPECT_EQ(format.error().code(), ErrorCode::kInvalidInput);
  EXPECT_THAT(format.error().message(), HasSubstr("arrow, csv, json, parquet, table"));
}

}  // namespace
}  // namespace firn
