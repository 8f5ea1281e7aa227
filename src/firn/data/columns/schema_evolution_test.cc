#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

TypePtr Int() { return Primitive(TypeId::kInt); }
TypePtr Long() { return Primitive(TypeId::kLong); }
TypePtr Text() { return Primitive(TypeId::kString); }

// B102
TEST(SchemaEvolutionTest, ReadsARenamedColumnOfOldFiles) {
  RowTable table({Optional(1, "id", Int()), Optional(2, "old", Text())});
  const auto before = table.Write({Row({1, "before"})});
  table.EvolveTo({Optional(1, "id", Int()), Optional(2, "new", Text())});
  const auto after = table.Write({Row({2, "after"})});

  EXPECT_THAT(table.Read({before, after}),
              IsOkAnd(ElementsAre(R"({"id":1,"new":"before"})", R"({"id":2,"new":"after"})")));
}

// B102
TEST(SchemaEvolutionTest, DoesNotBringBackADroppedColumnUnderTheSameName) {
  RowTable table({Optional(1, "id", Int()), Optional(2, "value", Text())});
  const auto before = table.Write({Row({1, "old"})});
  table.EvolveTo({Optional(1, "id", Int()), Optional(3, "value", Text())});
  const auto after = table.Write({Row({2, "new"})});

  EXPECT_THAT(table.Read({before, after}),
              IsOkAnd(ElementsAre(R"({"id":1,"value":null})", R"({"id":2,"value":"new"})")));
}

// B102
TEST(SchemaEvolutionTest, FollowsIdsWhenNamesAreSwappedAndColumnsMove) {
  RowTable table({Optional(1, "a", Int()), Optional(2, "b", Int()), Optional(3, "c", Int())});
  const auto task = table.Write({Row({1, 2, 3})});
  table.EvolveTo({Optional(3, "c", Int()), Optional(2, "a", Int()), Optional(1, "b", Int())});

  EXPECT_THAT(table.Read({task}), IsOkAnd(ElementsAre(R"({"c":3,"a":2,"b":1})")));
}

// B104
TEST(SchemaEvolutionTest, FillsFieldsAddedInsideNestedColumns) {
  const auto item = [](std::vector<NestedField> fields) {
    return Type::List(Optional(11, "element", Type::Struct(std::move(fields))));
  };
  RowTable table(
      {Optional(1, "s", Type::Struct({Optional(2, "a", Text()), Optional(3, "c", Text())})),
       Optional(10, "xs", item({Optional(12, "k", Int())}))});
  const auto task = table.Write(
      {Row({Value::Struct({"A", "C"}), Value::List({Value::Struct({5})})}),
       Row({{}, Value::List({{}, Value::Struct({6})})}), Row({Value::Struct({{}, "D"}), {}})});
  const TypePtr added = Type::Struct({Optional(5, "n", Int())});
  const TypePtr map = Type::Map(Required(21, "key", Text()),
                                Optional(22, "value", Type::Struct({Optional(23, "q", Int())})));
  table.EvolveTo(
      {Optional(1, "s",
                Type::Struct(
                    {Optional(2, "a", Text()), Optional(4, "b", added), Optional(3, "c", Text())})),
       Optional(10, "xs", item({Optional(13, "new", Text()), Optional(12, "kk", Long())})),
       Optional(20, "m", map)});

  EXPECT_THAT(
      table.Read({task}, {}, "", true),
      IsOkAnd(ElementsAre(R"({"s":{"a":"A","b":null,"c":"C"},"xs":[{"new":null,"kk":5}],"m":null})",
                          R"({"s":null,"xs":[null,{"new":null,"kk":6}],"m":null})",
                          R"({"s":{"a":null,"b":null,"c":"D"},"xs":null,"m":null})")));
}

// B105
TEST(SchemaEvolutionTest, ReadsPartsOfMapValuesWhateverIsProjected) {
  const auto map = [](std::vector<NestedField> fields) {
    return Optional(1, "m",
                    Type::Map(Required(2, "key", Text()),
                              Optional(3, "value", Type::Struct(std::move(fields)))));
  };
  const NestedField other = Optional(9, "other", Int());
  RowTable table({map({Optional(4, "body", Text()), Optional(5, "size", Long())}), other});
  const auto before =
      table.Write({Row({Value::Map({{Value("main"), Value::Struct({"x", int64_t{1}})}}), 7})});
  table.EvolveTo(
      {map({Optional(4, "body", Text()), Optional(5, "size", Long()), Optional(6, "sha", Text())}),
       other});

  EXPECT_THAT(
      table.Read({before}, {"m"}),
      IsOkAnd(ElementsAre(R"({"m":[{"key":"main","value":{"body":"x","size":1,"sha":null}}]})")));
  EXPECT_THAT(table.Read({before}, {"m.value.sha"}),
              IsOkAnd(ElementsAre(R"({"m":[{"key":"main","value":{"sha":null}}]})")));
  EXPECT_THAT(table.Read({before}, {"m.value.body"}, "other = 7"),
              IsOkAnd(ElementsAre(R"({"m":[{"key":"main","value":{"body":"x"}}]})")));
  EXPECT_THAT(table.Read({before}, {"other"}), IsOkAnd(ElementsAre(R"({"other":7})")));
}

TEST(SchemaEvolutionTest, KnowsWhereAStructIsNullThoughNoneOfItsOldFieldsIsWanted) {
  RowTable table(
      {Optional(1, "s", Type::Struct({Optional(2, "a", Text()), Optional(3, "b", Int())}))});
  const auto task = table.Write({Row({Value::Struct({"x", 1})}), Row({{}})});
  table.EvolveTo({Optional(1, "s", Type::Struct({Optional(4, "c", Int())}))});

  EXPECT_THAT(table.Read({task}, {}, "", true),
              IsOkAnd(ElementsAre(R"({"s":{"c":null}})", R"({"s":null})")));
}

TEST(SchemaEvolutionTest, PromotesTypes) {
  RowTable table({Optional(1, "i", Int()), Optional(2, "f", Primitive(TypeId::kFloat)),
                  Optional(3, "d", Type::Decimal(9, 2)),
                  Optional(4, "day", Primitive(TypeId::kDate)),
                  Optional(5, "night", Primitive(TypeId::kDate))});
  const auto task =
      table.Write({Row({-3, 1.5F, Int128{-125}, 19000, -1}), Row({{}, {}, {}, {}, {}})});
  table.EvolveTo({Optional(1, "i", Long()), Optional(2, "f", Primitive(TypeId::kDouble)),
                  Optional(3, "d", Type::Decimal(30, 2)),
                  Optional(4, "day", Primitive(TypeId::kTimestamp)),
                  Optional(5, "night", Primitive(TypeId::kTimestampNs))});

  EXPECT_THAT(
      table.Read({task}, {}, "", true),
      IsOkAnd(ElementsAre(R"({"i":-3,"f":1.5,"d":"-1.25","day":"2022-01-08T00:00:00.000000",)"
                          R"("night":"1969-12-31T00:00:00.000000000"})",
                          R"({"i":null,"f":null,"d":null,"day":null,"night":null})")));
}

TEST(SchemaEvolutionTest, RefusesADateThatNoTimestampCanHold) {
  RowTable table({Optional(1, "day", Primitive(TypeId::kDate))});
  const auto task = table.Write({Row({int32_t{2000000000}})});
  table.EvolveTo({Optional(1, "day", Primitive(TypeId::kTimestampNs))});

  const auto rows = table.Read({task});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("column 'day': the value 2000000000"));
}

// B94
TEST(SchemaEvolutionTest, ComparesOldFilesWithLiteralsBeyondTheirWidth) {
  RowTable table({Optional(1, "x", Int())});
  const auto task = table.Write({Row({1}), Row({2}), Row({3})});
  table.EvolveTo({Optional(1, "x", Long())});

  EXPECT_THAT(table.Read({task}, {}, "x < 2147483648"), IsOkAnd(testing::SizeIs(3)));
  EXPECT_THAT(table.Read({task}, {}, "x > -2147483649"), IsOkAnd(testing::SizeIs(3)));
  EXPECT_THAT(table.Read({task}, {}, "x <> 2147483648"), IsOkAnd(testing::SizeIs(3)));
  EXPECT_THAT(table.Read({task}, {}, "x IN (1, 1099511627776)"), IsOkAnd(testing::SizeIs(1)));
}

// B111
TEST(SchemaEvolutionTest, RefusesAnotherScaleOfADecimal) {
  RowTable table({Optional(1, "d", Type::Decimal(13, 10))});
  const auto task = table.Write({Row({Int128{12345678901}})});
  table.EvolveTo({Optional(1, "d", Type::Decimal(28, 10))});
  EXPECT_THAT(table.Read({task}, {}, "d > 1.2"), IsOkAnd(ElementsAre(R"({"d":"1.2345678901"})")));

  table.EvolveTo({Optional(1, "d", Type::Decimal(28, 11))});
  const auto rows = table.Read({task});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("column 'd' (field id 1) is stored as decimal"));
}

// B106
TEST(SchemaEvolutionTest, FillsInitialDefaultsAndKeepsExplicitNulls) {
  RowTable table({Required(1, "id", Int())});
  table.metadata().format_version = 3;
  const auto one = table.Write({Row({1})});
  NestedField c = Optional(2, "c", Int());
  c.initial_default = Value(5);
  table.EvolveTo({Required(1, "id", Int()), c});
  const auto rest = table.Write({Row({2, 5}), Row({3, 21}), Row({4, {}})});

  EXPECT_THAT(table.Read({one, rest}),
              IsOkAnd(ElementsAre(R"({"id":1,"c":5})", R"({"id":2,"c":5})", R"({"id":3,"c":21})",
                                  R"({"id":4,"c":null})")));
  EXPECT_THAT(table.Read({one, rest}, {"id"}, "c = 5"),
              IsOkAnd(ElementsAre(R"({"id":1})", R"({"id":2})")));
}

// B106
TEST(SchemaEvolutionTest, FillsDefaultsInsideStructs) {
  NestedField child = Optional(3, "n", Int());
  child.initial_default = Value(9);
  RowTable table({Optional(1, "s", Type::Struct({Optional(2, "a", Int())}))});
  const auto task = table.Write({Row({Value::Struct({1})}), Row({{}})});
  NestedField empty = Optional(10, "e", Type::Struct({child}));
  empty.type = Type::Struct({[&] {
                               NestedField inner = child;
                               inner.id = 11;
                               return inner;
                             }(),
                             Optional(12, "plain", Text())});
  empty.initial_default = Value::Struct({{}, {}});
  table.EvolveTo({Optional(1, "s", Type::Struct({Optional(2, "a", Int()), child})), empty});

  EXPECT_THAT(table.Read({task}, {}, "", true),
              IsOkAnd(ElementsAre(R"({"s":{"a":1,"n":9},"e":{"n":9,"plain":null}})",
                                  R"({"s":null,"e":{"n":9,"plain":null}})")));
}

TEST(SchemaEvolutionTest, RefusesARequiredColumnThatHasNoValue) {
  RowTable table({Optional(1, "id", Int())});
  const auto task = table.Write({Row({1})});
  table.EvolveTo({Optional(1, "id", Int()), Required(2, "must", Int())});

  const auto rows = table.Read({task});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("column 'must' (field id 2) is required"));
  EXPECT_THAT(table.Read({task}, {"id"}), IsOk());
}

TEST(SchemaEvolutionTest, TakesIdentityPartitionsThatFilesLeaveOut) {
  RowTable table({Optional(1, "id", Int()), Optional(2, "day", Text())});
  auto spec = std::make_shared<PartitionSpec>();
  spec->fields = {{.source_ids = {2}, .field_id = 1000, .name = "day"}};
  table.metadata().partition_specs = {spec};
  const SchemaPtr full = table.metadata().current_schema();
  table.metadata().schemas = {
      std::make_shared<Schema>(0, std::vector<NestedField>{Optional(1, "id", Int())})};
  const auto task = table.Write({Row({1})}, 1, Row({"monday"}));
  table.metadata().schemas = {full};

  EXPECT_THAT(table.Read({task}), IsOkAnd(ElementsAre(R"({"id":1,"day":"monday"})")));
  EXPECT_THAT(table.Read({task}, {"id"}, "day = 'monday'"), IsOkAnd(testing::SizeIs(1)));
}

// The partition is of the wider type by now, while an older snapshot is read with its own schema.
TEST(SchemaEvolutionTest, ReadsAnOldSchemaOfAPartitionColumnThatWasWidened) {
  RowTable table({Optional(1, "id", Int())});
  auto spec = std::make_shared<PartitionSpec>();
  spec->fields = {{.source_ids = {1}, .field_id = 1000, .name = "id"}};
  table.metadata().partition_specs = {spec};
  auto task = table.Write({Row({7})}, 1, Row({7}));
  const SchemaPtr old = table.metadata().current_schema();
  table.EvolveTo({Optional(1, "id", Long())});
  task.file.partition = Row({int64_t{7}});  // As manifests are read then.
  ReadOptions options;
  options.projection = old;
  EXPECT_THAT(table.ReadWith({task}, options), IsOkAnd(ElementsAre(R"({"id":7})")));
}

// A struct that a file lacks is null, and so has no value for a field that structs must have.
TEST(SchemaEvolutionTest, WritesAgainRowsThatLackAStructWithARequiredField) {
  RowTable table({Optional(1, "id", Int())});
  const auto task = table.Write({Row({1})});
  table.EvolveTo(
      {Optional(1, "id", Int()), Optional(2, "s", Type::Struct({Required(3, "x", Int())}))});
  ReadOptions options;
  options.projection = table.metadata().current_schema();
  auto rows = ReadTasks(table.read_context(), {task}, options);
  ASSERT_THAT(rows, IsOk());
  DataWriteOptions write;
  write.schema = options.projection;
  write.spec = table.metadata().default_spec();
  const auto files = WriteDataFiles(table.write_context(), write, *std::move(rows));
  ASSERT_THAT(files, IsOk());
  FileScanTask again;
  again.file = files->front();
  EXPECT_THAT(table.Read({again}), IsOkAnd(ElementsAre(R"({"id":1,"s":null})")));
}

TEST(SchemaEvolutionTest, ReadsUnknownColumnsAsNull) {
  RowTable table({Optional(1, "id", Int()), Optional(2, "u", Primitive(TypeId::kUnknown)),
                  Optional(3, "s",
                           Type::Struct({Optional(4, "v", Primitive(TypeId::kUnknown)),
                                         Optional(5, "w", Int())}))});
  const auto task = table.Write({Row({1, {}, Value::Struct({{}, 2})})});

  EXPECT_THAT(table.Read({task}),
              IsOkAnd(ElementsAre(R"({"id":1,"u":null,"s":{"v":null,"w":2}})")));
}

TEST(SchemaEvolutionTest, RefusesTypesItCannotReadOnlyWhenTheyAreAskedFor) {
  RowTable table({Optional(1, "id", Int())});
  const auto task = table.Write({Row({1})});
  table.EvolveTo({Optional(1, "id", Int()), Optional(2, "v", Type::Geometry(""))});

  EXPECT_THAT(table.Read({task}, {"id"}), IsOkAnd(ElementsAre(R"({"id":1})")));
  const auto rows = table.Read({task});
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(rows.error().message(), HasSubstr("column 'v': values of type geometry"));
}

}  // namespace
}  // namespace firn
