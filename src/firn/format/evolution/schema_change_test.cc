#include "firn/format/evolution/schema_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/evolution/evolution_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto kAfter = ColumnPosition::Kind::kAfter;
constexpr auto kBefore = ColumnPosition::Kind::kBefore;

AddColumn AddAt(std::string_view text, ColumnPosition position) {
  AddColumn change = MakeAddColumn(text);
  change.position = std::move(position);
  return change;
}

AlterColumn AlterType(std::string column, std::string_view type) {
  AlterColumn change;
  change.column = std::move(column);
  change.type = *ParseTypeText(type);
  return change;
}

AlterColumn MoveTo(std::string column, ColumnPosition position) {
  AlterColumn change;
  change.column = std::move(column);
  change.position = std::move(position);
  return change;
}

TEST(EvolveSchemaTest, AddedColumnsGetTheNextIdAndThenTheirPartsDo) {
  const auto table = MakeEvolvingTable({"a int, b string"});
  EXPECT_EQ(EvolveToText(table, {MakeAddColumn("s struct<x: int, y: array<int>>"),
                                 MakeAddColumn("c double")}),
            "struct<1: a: optional int, 2: b: optional string, 3: s: optional struct<4: x: "
            "optional int, 5: y: optional list<int>>, 7: c: optional double>");
}

TEST(EvolveSchemaTest, AddsFieldsToStructsInListsAndMaps) {  // B104
  const auto table = MakeEvolvingTable(
      {"s struct<a: string, c: string>, l array<struct<x: int>>, m map<string, struct<q: int>>"});
  EXPECT_EQ(
      EvolveToText(table, {AddAt("s.b struct<n: int>", {kAfter, "a"}), MakeAddColumn("l.y int"),
                           MakeAddColumn("m.value.r int"), MakeAddColumn("l.element.z int")}),
      "struct<1: s: optional struct<4: a: optional string, 11: b: optional struct<12: n: optional "
      "int>, 5: c: optional string>, 2: l: optional list<struct<7: x: optional int, 13: y: "
      "optional int, 15: z: optional int>>, 3: m: optional map<string, struct<10: q: optional int, "
      "14: r: optional int>>>");
}

TEST(EvolveSchemaTest, MapKeysNeverChange) {  // B105
  const auto table = MakeEvolvingTable(
      {"m map<struct<k: int>, struct<body: string, size: bigint>>, l array<int>"});
  EXPECT_THAT(EvolveToText(table, {MakeAddColumn("m.value.sha string")}), HasSubstr("sha"));
  for (const std::vector<SchemaChange>& change :
       {std::vector<SchemaChange>{MakeAddColumn("m.key.x int")},
        {DropColumn{"m.key.k"}},
        {RenameColumn{"m.key.k", "j"}},
        {AlterType("m.key.k", "bigint")},
        {DropColumn{"m.key"}}}) {
    EXPECT_THAT(EvolveToText(table, change),
                AllOf(HasSubstr("is in the key of map 'm'"), HasSubstr("map keys never change")));
  }
  EXPECT_THAT(EvolveToText(table, {DropColumn{"l.element"}}),
              HasSubstr("is the element of a list and cannot be dropped"));
  EXPECT_THAT(EvolveToText(table, {RenameColumn{"m.value", "v"}}),
              HasSubstr("is the value of a map and cannot be renamed"));
}

TEST(EvolveSchemaTest, AColumnThatIsDroppedAndAddedAgainIsAnotherOne) {  // B102
  auto table = MakeEvolvingTable({"id int, value string"});
  auto dropped = EvolveSchema(table, std::vector<SchemaChange>{DropColumn{"value"}});
  ASSERT_THAT(dropped, IsOk());
  table = WithSchema(table, *dropped);
  EXPECT_EQ(EvolveToText(table, {MakeAddColumn("value string")}),
            "struct<1: id: optional int, 3: value: optional string>");
  EXPECT_EQ(table.last_column_id, 2);
}

TEST(EvolveSchemaTest, NamesMayBeSwappedAndIdsStay) {  // B102
  const auto table = MakeEvolvingTable({"a int, b int, l array<struct<x: int>>"});
  EXPECT_EQ(EvolveToText(table, {RenameColumn{"a", "t"}, RenameColumn{"b", "a"},
                                 RenameColumn{"t", "b"}, RenameColumn{"l.element.x", "y"}}),
            "struct<1: b: optional int, 2: a: optional int, 3: l: optional list<struct<5: y: "
            "optional int>>>");
}

TEST(EvolveSchemaTest, MovesFieldsInsideTheirStruct) {
  const auto table = MakeEvolvingTable({"a int, b int, c int, s struct<x: int, y: int>"});
  EXPECT_EQ(EvolveToText(table, {MoveTo("c", {}), MoveTo("a", {kAfter, "b"}),
                                 MoveTo("s.y", {kBefore, "s.x"})}),
            "struct<3: c: optional int, 2: b: optional int, 1: a: optional int, 4: s: optional "
            "struct<6: y: optional int, 5: x: optional int>>");
  EXPECT_THAT(EvolveToText(table, {MoveTo("s.y", {kAfter, "a"})}),
              HasSubstr("cannot be moved beside 'a': that is not in the same struct, whose fields "
                        "are x"));
  EXPECT_THAT(EvolveToText(table, {MoveTo("a", {kAfter, "a"})}), HasSubstr("beside itself"));
}

TEST(EvolveSchemaTest, WidensTypesAndNothingElse) {
  const auto table = MakeEvolvingTable(
      {"i int, f float, d decimal(9,2), t date, s string, l array<int>, m map<string, float>"});
  EXPECT_EQ(EvolveToText(table, {AlterType("i", "bigint"), AlterType("f", "double"),
                                 AlterType("d", "decimal(20,2)"), AlterType("l.element", "bigint"),
                                 AlterType("m.value", "double")}),
            "struct<1: i: optional long, 2: f: optional double, 3: d: optional decimal(20,2), 4: "
            "t: optional date, 5: s: optional string, 6: l: optional list<long>, 7: m: optional "
            "map<string, double>>");
  const std::pair<const char*, const char*> kForbidden[] = {
      {"i", "string"}, {"i", "double"},        {"f", "int"},       {"d", "decimal(8,2)"},
      {"s", "bigint"}, {"d", "decimal(20,3)"}, {"t", "timestamp"}, {"t", "timestamptz"}};
  for (const auto& [column, type] : kForbidden) {
    EXPECT_THAT(EvolveToText(table, {AlterType(column, type)}),
                AllOf(HasSubstr("cannot change from"), HasSubstr("allowed are int to long")))
        << column << " " << type;
  }
  EXPECT_THAT(EvolveToText(table, {AlterType("l", "array<bigint>")}),
              HasSubstr("the fields of nested types are changed one by one"));
}

TEST(EvolveSchemaTest, DatesBecomeTimestampsInVersion3UnlessDataIsPartitionedByThem) {
  const auto table = MakeEvolvingTable({"t date, p date, u unknown", 3, "months(p)"});
  EXPECT_EQ(EvolveToText(table, {AlterType("t", "timestamp_ns"), AlterType("u", "string")}),
            "struct<1: t: optional timestamp_ns, 2: p: optional date, 3: u: optional string>");
  EXPECT_THAT(EvolveToText(table, {AlterType("t", "timestamptz")}), HasSubstr("cannot change"));
  EXPECT_THAT(EvolveToText(table, {AlterType("p", "timestamp")}),
              HasSubstr("partition field 'p_month' of spec 0 is made of it"));
}

TEST(EvolveSchemaTest, ARequiredColumnNeedsADefaultForTheRowsThatAreThere) {  // B106
  EXPECT_THAT(EvolveToText(MakeEvolvingTable({"a int", 2}), {MakeAddColumn("b int not null")}),
              HasSubstr("cannot be added as required without a default"));
  AddColumn with_default = MakeAddColumn("b int not null");
  with_default.default_value = Value(int32_t{5});
  EXPECT_THAT(EvolveToText(MakeEvolvingTable({"a int", 2}), {with_default}),
              HasSubstr("a default needs format version 3, and the table has 2"));
  const auto schema =
      EvolveSchema(MakeEvolvingTable({"a int", 3}), std::vector<SchemaChange>{with_default});
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->FindField("b")->initial_default, Value(int32_t{5}));
  EXPECT_EQ(schema->FindField("b")->write_default, Value(int32_t{5}));
}

TEST(EvolveSchemaTest, TheWriteDefaultChangesAndTheInitialDefaultNever) {  // B106
  AddColumn add = MakeAddColumn("c int");
  add.default_value = Value(int32_t{5});
  AlterColumn alter;
  alter.column = "c";
  alter.write_default = Value(int32_t{21});
  auto schema =
      EvolveSchema(MakeEvolvingTable({"a int", 3}), std::vector<SchemaChange>{add, alter});
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->FindField("c")->initial_default, Value(int32_t{5}));
  EXPECT_EQ(schema->FindField("c")->write_default, Value(int32_t{21}));

  alter.write_default = Value();
  schema = EvolveSchema(MakeEvolvingTable({"a int", 3}), std::vector<SchemaChange>{add, alter});
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->FindField("c")->initial_default, Value(int32_t{5}));
  EXPECT_EQ(schema->FindField("c")->write_default, std::nullopt);
}

TEST(EvolveSchemaTest, DefaultsAreWidenedWithTheirColumn) {
  AddColumn add = MakeAddColumn("c int");
  add.default_value = Value(int32_t{5});
  const auto schema = EvolveSchema(MakeEvolvingTable({"a int", 3}),
                                   std::vector<SchemaChange>{add, AlterType("c", "bigint")});
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->FindField("c")->initial_default, Value(int64_t{5}));
  EXPECT_EQ(schema->FindField("c")->write_default, Value(int64_t{5}));
}

TEST(EvolveSchemaTest, OnlyPrimitiveColumnsHaveDefaults) {
  AddColumn nested = MakeAddColumn("s struct<x: int>");
  nested.default_value = Value::Struct({int32_t{1}});
  EXPECT_THAT(EvolveToText(MakeEvolvingTable({"a int", 3}), {nested}),
              HasSubstr("nested columns have none but null"));
  AddColumn wrong = MakeAddColumn("b int");
  wrong.default_value = Value(std::string("x"));
  EXPECT_THAT(EvolveToText(MakeEvolvingTable({"a int", 3}), {wrong}),
              HasSubstr("the default is no value of type int"));
}

TEST(EvolveSchemaTest, NullsMayBeAllowedAndDocsChanged) {
  const auto table = MakeEvolvingTable({"a int not null, l array<int not null>"});
  AlterColumn change;
  change.column = "a";
  change.is_optional = true;
  change.doc = "new";
  AlterColumn element;
  element.column = "l.element";
  element.is_optional = true;
  const auto schema = EvolveSchema(table, std::vector<SchemaChange>{change, element});
  ASSERT_THAT(schema, IsOk());
  EXPECT_FALSE(schema->FindField("a")->required);
  EXPECT_EQ(schema->FindField("a")->doc, "new");
  EXPECT_FALSE(schema->FindField("l.element")->required);
  element.doc = "elements have no doc";
  EXPECT_THAT(EvolveToText(table, {element}), HasSubstr("is the element of a list"));
}

TEST(EvolveSchemaTest, ColumnsInUseAreNotDropped) {  // B78
  auto table =
      MakeEvolvingTable({"id int not null, name string, x double, s struct<y: int>, free int", 2,
                         "name, bucket(4, s.y)", "x desc"});
  const auto identified =
      EvolveSchema(table, std::vector<SchemaChange>{SetIdentifierFields{{"id"}}});
  ASSERT_THAT(identified, IsOk());
  table = WithSchema(table, *identified);
  EXPECT_THAT(EvolveToText(table, {DropColumn{"id"}}), HasSubstr("it is an identifier field"));
  EXPECT_THAT(EvolveToText(table, {DropColumn{"name"}}),
              HasSubstr("it is the source of partition field 'name' of spec 0"));
  EXPECT_THAT(EvolveToText(table, {DropColumn{"x"}}),
              HasSubstr("it is a column of sort order 1 (x DESC NULLS LAST)"));
  EXPECT_THAT(EvolveToText(table, {DropColumn{"s"}}),
              HasSubstr("in it, 's.y' is the source of partition field 's.y_bucket'"));
  EXPECT_THAT(EvolveToText(table, {DropColumn{"free"}, RenameColumn{"name", "label"}}),
              AllOf(HasSubstr("label"), testing::Not(HasSubstr("free"))));
}

TEST(EvolveSchemaTest, AColumnThatOnlyAnOldSpecUsesIsDropped) {  // B77
  auto table = MakeEvolvingTable({"id int, trip int, dist int", 2, "bucket(8, trip)"});
  const auto spec = EvolvePartitionSpec(
      table,
      std::vector<PartitionChange>{DropPartitionField{*ParsePartitionFieldText("trip_bucket")},
                                   AddPartitionField{*ParsePartitionFieldText("bucket(4, dist)")}});
  ASSERT_THAT(spec, IsOk());
  table = WithSpec(table, *spec);
  const auto schema = EvolveSchema(table, std::vector<SchemaChange>{DropColumn{"trip"}});
  ASSERT_THAT(schema, IsOk());
  const auto metadata = WithSchema(table, *schema);
  const TypePtr old_type = PartitionType(*metadata.FindSpec(0), metadata.SchemasNewestFirst());
  EXPECT_EQ(FormatType(*old_type), "struct<1000: trip_bucket: optional int>");
}

TEST(EvolveSchemaTest, IdentifierFieldsAreRequiredPrimitivesThatAreNoFloats) {
  const auto table = MakeEvolvingTable(
      {"id int not null, o int, d double not null, s struct<x: int not null> not null, l "
       "array<struct<y: int not null>> not null, p struct<z: int not null>"});
  const auto schema =
      EvolveSchema(table, std::vector<SchemaChange>{SetIdentifierFields{{"id", "s.x", "id"}}});
  ASSERT_THAT(schema, IsOk());
  EXPECT_THAT(schema->identifier_field_ids(), testing::ElementsAre(1, 7));
  const std::pair<const char*, const char*> kForbidden[] = {
      {"o", "is optional, expected required"},
      {"d", "has type double"},
      {"s", "expected a primitive"},
      {"l.element.y", "expected required structs only"},
      {"p.z", "expected required structs only"},
      {"nothing", "there is no column 'nothing'"}};
  for (const auto& [column, problem] : kForbidden) {
    EXPECT_THAT(EvolveToText(table, {SetIdentifierFields{{column}}}), HasSubstr(problem)) << column;
  }
  AlterColumn optional;
  optional.column = "id";
  optional.is_optional = true;
  EXPECT_THAT(EvolveToText(table, {SetIdentifierFields{{"id"}}, optional}),
              HasSubstr("identifier field 'id' is optional"));
}

TEST(EvolveSchemaTest, NamesAreUnique) {
  const auto table =
      MakeEvolvingTable({"a int, b int, ts timestamp, s struct<x: int>", 2, "days(ts)"});
  EXPECT_THAT(EvolveToText(table, {MakeAddColumn("a string")}),
              HasSubstr("there is a column 'a' already"));
  EXPECT_THAT(EvolveToText(table, {RenameColumn{"a", "b"}}),
              HasSubstr("renaming 'a': there is a column 'b' already"));
  EXPECT_THAT(EvolveToText(table, {MakeAddColumn("`s.x` int")}),
              HasSubstr("there is a column 's.x' already"));
  EXPECT_THAT(EvolveToText(table, {RenameColumn{"a", ""}}), HasSubstr("name of a column is empty"));
  // B70: other engines take names that differ in case alone for one.
  EXPECT_THAT(EvolveToText(table, {MakeAddColumn("A string")}),
              HasSubstr("a column 'A' would differ from 'a' in case alone"));
  EXPECT_THAT(EvolveToText(table, {RenameColumn{"a", "B"}}), HasSubstr("from 'b' in case alone"));
  EXPECT_THAT(EvolveToText(table, {MakeAddColumn("s.X int")}),
              HasSubstr("a column 's.X' would differ from 's.x' in case alone"));
  ASSERT_THAT(EvolveSchema(table, std::vector<SchemaChange>{RenameColumn{"a", "A"}}), IsOk());
  EXPECT_THAT(EvolveToText(table, {MakeAddColumn("ts_day date")}),
              HasSubstr("partition field 'ts_day' (day of column 'ts') is"));
}

TEST(EvolveSchemaTest, TheCaseOfNamesIsFreeWhereOneColumnFits) {
  const auto table = MakeEvolvingTable({"userId int not null, Twin int, s struct<Deep: int>", 3});
  AlterColumn alter;
  alter.column = "S.DEEP";
  alter.type = Type::Primitive(TypeId::kLong);
  AlterColumn move;
  move.column = "twin";
  move.position = ColumnPosition{ColumnPosition::Kind::kAfter, "S"};
  const auto schema = EvolveSchema(
      table, std::vector<SchemaChange>{alter, move, SetIdentifierFields{{"USERID"}},
                                       MakeAddColumn("S.more int"), RenameColumn{"TWIN", "other"}});
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(FormatType(*schema->as_struct()),
            "struct<1: userId: required int, 3: s: optional struct<4: Deep: optional long, 5: "
            "more: optional int>, 2: other: optional int>");
  EXPECT_THAT(schema->identifier_field_ids(), testing::ElementsAre(1));
  move.position->other = "usrId";
  EXPECT_THAT(EvolveToText(table, {move}), HasSubstr("(did you mean 'userId'?)"));
}

TEST(EvolveSchemaTest, TypesOfANewerFormatVersionAreRefused) {
  EXPECT_THAT(EvolveToText(MakeEvolvingTable({"a int", 2}), {MakeAddColumn("t timestamp_ns")}),
              HasSubstr("needs format version 3, but the table has 2"));
  EXPECT_THAT(EvolveToText(MakeEvolvingTable({"a int", 3}), {MakeAddColumn("t timestamp_ns")}),
              HasSubstr("timestamp_ns"));
}

TEST(EvolveSchemaTest, TheLastFieldOfAStructStays) {
  const auto table = MakeEvolvingTable({"s struct<x: int>"});
  EXPECT_THAT(EvolveToText(table, {DropColumn{"s.x"}}), HasSubstr("the only one of its struct"));
  EXPECT_THAT(EvolveToText(table, {DropColumn{"s"}}), HasSubstr("the only one of the table"));
}

TEST(EvolveSchemaTest, NamesAllProblemsAtOnce) {
  const auto table = MakeEvolvingTable({"a int, b string"});
  EXPECT_THAT(EvolveToText(table, {DropColumn{"x"}, AlterType("b", "int"), MakeAddColumn("c int"),
                                   MakeAddColumn("a.d int")}),
              AllOf(HasSubstr("3 changes are refused: there is no column 'x'"),
                    HasSubstr("; column 'b' cannot change from string to int"),
                    HasSubstr("; adding 'a.d': column 'a' has type int, expected a struct")));
}

}  // namespace
}  // namespace firn
