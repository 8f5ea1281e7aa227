#include "firn/format/schema/schema_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/types/type_fields.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::HasSubstr;

std::string Parse(std::string_view text) {
  const auto schema = ParseSchemaText(text);
  return schema.ok() ? FormatType(*schema->as_struct()) : schema.error().Format();
}

TEST(SchemaTextTest, ReadsColumnsWithTheirTypesAndNullability) {
  EXPECT_EQ(Parse("id bigint not null, name string, ts timestamptz"),
            "struct<1: id: required long, 2: name: optional string, 3: ts: optional timestamptz>");
}

TEST(SchemaTextTest, NumbersColumnsLevelByLevelAsANewTableDoes) {
  // The ids that Spark and PyIceberg give.
  EXPECT_EQ(Parse("a int, s struct<x: int, y: struct<z: int>>, l array<struct<u: int>>, "
                  "m map<struct<k: int>, array<int>>, b int"),
            "struct<1: a: optional int, "
            "2: s: optional struct<6: x: optional int, 7: y: optional struct<8: z: optional int>>, "
            "3: l: optional list<struct<10: u: optional int>>, "
            "4: m: optional map<struct<13: k: optional int>, list<int>>, 5: b: optional int>");
  const auto schema = ParseSchemaText("l array<int>, m map<string, array<int>>");
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->FindField("l.element")->id, 3);
  EXPECT_EQ(schema->FindField("m.key")->id, 4);
  EXPECT_EQ(schema->FindField("m.value")->id, 5);
  EXPECT_EQ(schema->FindField("m.value.element")->id, 6);
}

TEST(SchemaTextTest, KnowsTheNamesOfIcebergAndOfSql) {
  const std::pair<const char*, const char*> kNames[] = {
      {"bool", "boolean"},
      {"BOOLEAN", "boolean"},
      {"tinyint", "int"},
      {"smallint", "int"},
      {"integer", "int"},
      {"long", "long"},
      {"BigInt", "long"},
      {"real", "float"},
      {"double", "double"},
      {"decimal", "decimal(10,0)"},
      {"decimal(5)", "decimal(5,0)"},
      {"numeric( 9 , 2 )", "decimal(9,2)"},
      {"date", "date"},
      {"time", "time"},
      {"timestamp", "timestamp"},
      {"timestamp_ntz", "timestamp"},
      {"timestamp_ltz", "timestamptz"},
      {"timestamptz_ns", "timestamptz_ns"},
      {"varchar(10)", "string"},
      {"char(3)", "string"},
      {"text", "string"},
      {"uuid", "uuid"},
      {"fixed[16]", "fixed[16]"},
      {"fixed(3)", "fixed[3]"},
      {"varbinary", "binary"},
      {"variant", "variant"},
      {"void", "unknown"},
      {"geometry", "geometry"},
      {"geometry(EPSG:4326)", "geometry(EPSG:4326)"},
      {"geography('OGC:CRS84', karney)", "geography(OGC:CRS84, karney)"},
      {"list<int>", "list<int>"},
      {"array<array<int>>", "list<list<int>>"},
      {"map<string,int>", "map<string, int>"},
  };
  for (const auto& [text, expected] : kNames) {
    const auto type = ParseTypeText(text);
    ASSERT_THAT(type, IsOk()) << text;
    EXPECT_EQ(FormatType(**type), expected) << text;
  }
}

TEST(SchemaTextTest, ReadsCommentsQuotedNamesAndFieldsWithoutColon) {
  const auto schema = ParseSchemaText(
      "`odd ``name``, ` int comment 'it''s', größe double \n, s struct<a int not null comment "
      "\"x\">");
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->fields()[0].name, "odd `name`, ");
  EXPECT_EQ(schema->fields()[0].doc, "it's");
  EXPECT_EQ(schema->fields()[1].name, "größe");
  EXPECT_TRUE(schema->FindField("s.a")->required);
  EXPECT_EQ(schema->FindField("s.a")->doc, "x");
}

TEST(SchemaTextTest, ElementsAndValuesMayBeRequired) {
  const auto schema = ParseSchemaText("l array<int not null> not null, m map<int, int required>");
  ASSERT_THAT(schema, IsOk());
  EXPECT_TRUE(schema->FindField("l.element")->required);
  EXPECT_TRUE(schema->FindField("m.value")->required);
  EXPECT_FALSE(schema->FindField("m")->required);
}

TEST(SchemaTextTest, ErrorsSayWhereWhatWasFoundAndWhatWasExpected) {
  const std::pair<const char*, const char*> kErrors[] = {
      {"", "schema, character 1: found its end, expected the name of a column"},
      {"id", "schema, character 3: found its end, expected a type such as 'bigint'"},
      {"id strin", "schema, character 4: found 'strin', expected a type such as"},
      {"größe int, , b int", "schema, character 12: found ',', expected the name of a column"},
      {"id int nut null", "schema, character 8: found 'nut', expected ',' or the end"},
      {"id int not nul", "schema, character 12: found 'nul', expected 'null'"},
      {"id int null not null", "schema, character 13: it is said twice"},
      {"id int comment a", "schema, character 16: found 'a', expected a comment in quotes"},
      {"id int comment 'a", "schema, character 16: the quote is never closed"},
      {"`id int", "schema, character 1: the quote is never closed"},
      {"2id int", "schema, character 1: a name that begins with a digit stands in backquotes"},
      {"a-b int", "schema, character 2: a name with such a character stands in backquotes"},
      {"s struct<>", "schema, character 10: found '>', expected the name of a field"},
      {"s struct<a: int", "schema, character 16: found its end, expected ',' or '>'"},
      {"l array<int, int>", "schema, character 12: found ',', expected '>'"},
      {"m map<int>", "schema, character 10: found '>', expected ','"},
      {"d decimal(39,2)", "schema, character 3: found decimal(39,2), expected 1 to 38 digits"},
      {"d decimal(2,3)", "schema, character 3: found decimal(2,3), expected 1 to 38 digits"},
      {"d decimal(99999999999)", "schema, character 11: found '99999999999', expected a number"},
      {"f fixed", "schema, character 8: found its end, expected '['"},
      {"a int, a string", "fields 1 and 2 have the same name 'a'"},
      {"`` int", "schema, character 1: the name is empty"},
  };
  for (const auto& [text, expected] : kErrors) {
    EXPECT_THAT(ParseSchemaText(text), IsError(ErrorCode::kInvalidInput, expected)) << text;
  }
}

TEST(SchemaTextTest, RefusesTypesThatLieTooDeepInEachOther) {
  std::string text = "l ";
  for (int i = 0; i < 100'000; ++i)
    text += "array<";
  EXPECT_THAT(ParseSchemaText(text), IsError(ErrorCode::kInvalidInput, "more than 100 deep"));
}

TEST(SchemaTextTest, ReadsAColumnToBeAddedWithItsPath) {
  const auto column = ParseColumnText("a.`b.c` struct<x: int> comment 'x'");
  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->path, testing::ElementsAre("a", "b.c"));
  EXPECT_EQ(column->column.name, "b.c");
  EXPECT_EQ(column->column.doc, "x");
  EXPECT_EQ(column->column.id, 0);
  EXPECT_THAT(ParseColumnText("a. int"),
              IsError(ErrorCode::kInvalidInput, "character 7: found its end, expected a type"));
  EXPECT_THAT(ParseColumnText("a int, b int"),
              IsError(ErrorCode::kInvalidInput, "character 6: found ',', expected its end"));
}

TEST(SchemaTextTest, ReadsTheNameOfAColumn) {
  EXPECT_THAT(ParseColumnPath("a.`b.c`.d"), IsOkAnd(testing::ElementsAre("a", "b.c", "d")));
  EXPECT_THAT(ParseColumnPath("a..b"), IsError(ErrorCode::kInvalidInput, "character 3"));
  EXPECT_THAT(ParseColumnPath("a b"), IsError(ErrorCode::kInvalidInput, "expected its end or '.'"));
}

TEST(SchemaTextTest, WhatIsWrittenIsReadAgain) {
  const auto schema = ParseSchemaText(
      "id bigint not null comment 'it''s', `a b` decimal(9,2), ns timestamptz_ns, f fixed[3], s "
      "struct<`x.y`: int not null, z: array<map<string, double not null>>>, g geometry(EPSG:1), "
      "h geography(OGC:CRS84, andoyer), u unknown, v variant");
  ASSERT_THAT(schema, IsOk());
  const std::string text = FormatSchemaText(*schema);
  const auto again = ParseSchemaText(text);
  ASSERT_THAT(again, IsOk()) << text;
  EXPECT_TRUE(again->IsSameAs(*schema)) << text;
}

TEST(TypeFieldsTest, NewIdsFollowTheLevelsAndTellTheOldOnes) {
  const auto schema = ParseSchemaText("s struct<x: int>, m map<int, int>");
  ASSERT_THAT(schema, IsOk());
  std::vector<int32_t> old_ids;
  int32_t last_id = 100;
  const auto fields = AssignFreshIds(schema->fields(), [&](const NestedField& field) {
    old_ids.push_back(field.id);
    return ++last_id;
  });
  EXPECT_THAT(old_ids, testing::ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(fields[0].type->fields()[0].id, 103);
  EXPECT_EQ(fields[1].type->value().id, 105);
}

}  // namespace
}  // namespace firn
