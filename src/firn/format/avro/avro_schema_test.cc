#include "firn/format/avro/avro_schema.h"

#include <string>

#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

AvroNodePtr Parse(std::string_view json) {
  auto node = ParseAvroSchema(json, "t.avro");
  EXPECT_THAT(node, IsOk());
  return node.ok() ? *node : FinishAvroNode({});
}

TEST(AvroSchemaTest, KeepsTheAttributesOfIceberg) {
  const auto root = Parse(R"({"type":"record","name":"table","fields":[
      {"name":"_9col","iceberg-field-name":"9col","type":["null",{"type":"long",
       "logicalType":"timestamp-micros","adjust-to-utc":true}],"default":null,"field-id":1},
      {"name":"l","type":{"type":"array","items":"int","element-id":3},"field-id":2},
      {"name":"m","type":{"type":"map","values":"bytes","key-id":5,"value-id":6},"field-id":4},
      {"name":"d","type":{"type":"fixed","size":4,"name":"decimal_9_2","logicalType":"decimal",
       "precision":9,"scale":2},"field-id":7},
      {"name":"n","type":{"type":"array","logicalType":"map","items":{"type":"record",
       "name":"k9_v10","fields":[{"name":"key","type":"int","field-id":9},
       {"name":"value","type":"decimal_9_2","field-id":10}]}},"field-id":8}]})");

  ASSERT_EQ(root->fields.size(), 5U);
  EXPECT_EQ(root->fields[0].iceberg_name, "9col");
  EXPECT_EQ(root->fields[0].field_id, 1);
  EXPECT_TRUE(root->fields[0].has_null_default);
  EXPECT_TRUE(root->fields[0].type->children[1]->adjust_to_utc);
  EXPECT_EQ(root->fields[1].type->element_id, 3);
  EXPECT_EQ(root->fields[2].type->key_id, 5);
  EXPECT_EQ(root->fields[2].type->value_id, 6);
  EXPECT_EQ(root->fields[3].type->precision, 9);
  EXPECT_EQ(root->fields[3].type->scale, 2);
  EXPECT_EQ(root->fields[4].type->logical_type, "map");
  EXPECT_EQ(root->fields[4].type->items().fields[1].field_id, 10);
  // A type that is named the second time is the one of the first.
  EXPECT_EQ(root->fields[4].type->items().fields[1].type, root->fields[3].type);
  // union 1, array 1, map 1, fixed 4, array 1
  EXPECT_EQ(root->min_size, 8);
}

TEST(AvroSchemaTest, FormatsWhatItParsed) {
  const std::string json =
      R"({"type":"record","name":"t","fields":[{"name":"a","type":["null",{"type":"record",)"
      R"("name":"r1","fields":[{"name":"u","type":{"type":"fixed","name":"uuid_fixed","size":16,)"
      R"("logicalType":"uuid"},"field-id":2},{"name":"v","type":"uuid_fixed","field-id":3}]}],)"
      R"("doc":"say \"a\"","default":null,"field-id":1},{"name":"s","type":{"type":"long",)"
      R"("logicalType":"timestamp-nanos","adjust-to-utc":false},"field-id":4},{"name":"e",)"
      R"("type":{"type":"enum","name":"e","symbols":["A","B"]}}]})";
  EXPECT_EQ(FormatAvroSchema(*Parse(json)), json);
}

TEST(AvroSchemaTest, FindsNamedTypesThroughNamespaces) {
  const auto root = Parse(R"({"type":"record","name":"a.b.T","fields":[
      {"name":"x","type":{"type":"fixed","name":"F","size":2}},
      {"name":"y","type":"a.b.F"},{"name":"z","type":"F"}]})");
  EXPECT_EQ(root->fields[1].type, root->fields[0].type);
  EXPECT_EQ(root->fields[2].type, root->fields[0].type);
}

TEST(AvroSchemaTest, RefusesARecordInsideItself) {
  EXPECT_THAT(ParseAvroSchema(R"({"type":"record","name":"r","fields":[
                  {"name":"next","type":["null","r"]}]})",
                              "t.avro"),
              IsError(ErrorCode::kCorrupt, "t.avro: Avro schema defines the type 'r' by itself"));
}

TEST(AvroSchemaTest, RefusesDeepNesting) {
  std::string json;
  for (int i = 0; i < 300; ++i)
    json += R"({"type":"array","items":)";
  json += "\"int\"";
  for (int i = 0; i < 300; ++i)
    json += "}";
  EXPECT_THAT(ParseAvroSchema(json, "t.avro"), IsError(ErrorCode::kCorrupt, "nests deeper"));
}

TEST(AvroSchemaTest, RefusesNamesThatExpandExponentially) {
  std::string json = R"({"type":"record","name":"top","fields":[)";
  json +=
      R"({"name":"f","type":{"type":"record","name":"r0","fields":[{"name":"a","type":"int"}]}})";
  for (int i = 1; i < 60; ++i) {
    const std::string below = "\"r" + std::to_string(i - 1) + "\"";
    json += R"(,{"name":"f","type":{"type":"record","name":"r)" + std::to_string(i) +
            R"(","fields":[{"name":"a","type":)" + below + R"(},{"name":"b","type":)" + below +
            "}]}}";
  }
  json += "]}";
  EXPECT_THAT(ParseAvroSchema(json, "t.avro"), IsError(ErrorCode::kCorrupt, "expands to more"));
}

TEST(AvroSchemaTest, RefusesWhatIsNoSchema) {
  for (const char* json : {"", "{", "1", "\"int32\"", "{}", R"({"type":"fixed","name":"f"})",
                           R"({"type":"fixed","name":"f","size":-1})", R"({"type":"array"})",
                           R"({"type":"record","name":"r"})", R"({"type":"record","fields":[]})",
                           R"({"type":"record","name":"r","fields":[1]})", "[]",
                           R"([{"type":"fixed","name":"f","size":1},)"
                           R"({"type":"fixed","name":"f","size":2}])"}) {
    EXPECT_THAT(ParseAvroSchema(json, "t.avro"), IsError(ErrorCode::kCorrupt, "t.avro")) << json;
  }
}

TEST(AvroSchemaTest, ResolvesOptionsInBothOrders) {
  const auto null_first = Parse(R"(["null","long"])");
  const auto null_last = Parse(R"(["long","null"])");
  EXPECT_EQ(ResolveAvroOption(*null_first, "t")->null_branch, 0);
  EXPECT_EQ(ResolveAvroOption(*null_last, "t")->null_branch, 1);
  EXPECT_EQ(ResolveAvroOption(*null_last, "t")->value->kind, AvroKind::kLong);
  EXPECT_THAT(ResolveAvroOption(*Parse(R"(["null","long","int"])"), "t"),
              IsError(ErrorCode::kUnsupported, "union of several types"));
}

// B120
TEST(AvroSchemaTest, SanitizesNamesAsJavaDoes) {
  EXPECT_EQ(SanitizeAvroName("plain_9"), "plain_9");
  EXPECT_EQ(SanitizeAvroName("9col"), "_9col");
  EXPECT_EQ(SanitizeAvroName("a.b"), "a_x2Eb");
  EXPECT_EQ(SanitizeAvroName("x y"), "x_x20y");
  EXPECT_EQ(SanitizeAvroName("\xF0\x9F\xA4\xAF"), "_xD83E_xDD2F");  // As UTF-16 units.
  EXPECT_EQ(SanitizeAvroName("\xC3\xA9"), "_xE9");
  EXPECT_EQ(SanitizeAvroName("\xFF"), "_xFF");
}

// B120
TEST(AvroSchemaTest, KeepsColumnsApartWhoseNamesBecomeTheSame) {
  const auto type = Type::Struct({
      {.id = 1000, .name = "a.b", .type = Type::Primitive(TypeId::kInt)},
      {.id = 1001, .name = "a_x2Eb", .type = Type::Primitive(TypeId::kInt)},
  });
  const auto record = ToAvroSchema(*type, "r102");
  EXPECT_EQ(record->fields[0].name, "a_x2Eb_1000");
  EXPECT_EQ(record->fields[0].iceberg_name, "a.b");
  EXPECT_EQ(record->fields[1].name, "a_x2Eb");
  EXPECT_EQ(record->fields[1].iceberg_name, "");
}

// B121
TEST(AvroSchemaTest, ConvertsEveryPartitionTypeWithIds) {
  const auto type = Type::Struct({
      {.id = 1001, .name = "u", .type = Type::Primitive(TypeId::kUuid)},
      {.id = 1002, .name = "f", .type = Type::Fixed(4)},
      {.id = 1004, .name = "d", .type = Type::Decimal(9, 2)},
      {.id = 1005, .name = "date", .type = Type::Primitive(TypeId::kDate)},
      {.id = 1006, .name = "tz", .type = Type::Primitive(TypeId::kTimestamptz), .required = true},
      {.id = 1007, .name = "d2", .type = Type::Decimal(9, 2)},
  });
  EXPECT_EQ(
      FormatAvroSchema(*ToAvroSchema(*type, "r102")),
      R"({"type":"record","name":"r102","fields":[)"
      R"({"name":"u","type":["null",{"type":"fixed","name":"uuid_fixed","size":16,)"
      R"("logicalType":"uuid"}],"default":null,"field-id":1001},)"
      R"({"name":"f","type":["null",{"type":"fixed","name":"fixed_4","size":4}],"default":null,)"
      R"("field-id":1002},)"
      R"({"name":"d","type":["null",{"type":"fixed","name":"decimal_9_2","size":4,)"
      R"("logicalType":"decimal","precision":9,"scale":2}],"default":null,"field-id":1004},)"
      R"({"name":"date","type":["null",{"type":"int","logicalType":"date"}],"default":null,)"
      R"("field-id":1005},)"
      R"({"name":"tz","type":{"type":"long","logicalType":"timestamp-micros",)"
      R"("adjust-to-utc":true},"field-id":1006},)"
      R"({"name":"d2","type":["null","decimal_9_2"],"default":null,"field-id":1007}]})");
}

}  // namespace
}  // namespace firn
