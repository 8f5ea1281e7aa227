#include "firn/format/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

NestedField Field(int32_t id, std::string name, TypePtr type, bool required = false) {
  return {.id = id, .name = std::move(name), .type = std::move(type), .required = required};
}
TypePtr Int() { return Type::Primitive(TypeId::kInt); }
TypePtr String() { return Type::Primitive(TypeId::kString); }

// id, Name, s<x, y<z>>, points list<struct<x>>, m map<string, struct<v>>, "a.b"
Schema MakeSchema() {
  const TypePtr y = Type::Struct({Field(6, "z", String())});
  return Schema(3,
                {Field(1, "id", Int(), true), Field(2, "Name", String()),
                 Field(3, "s", Type::Struct({Field(4, "x", Int()), Field(5, "y", y)})),
                 Field(7, "points", Type::List(Field(8, "", Type::Struct({Field(9, "x", Int())})))),
                 Field(10, "m",
                       Type::Map(Field(11, "", String()),
                                 Field(12, "", Type::Struct({Field(13, "v", Int())})))),
                 Field(14, "a.b", Int())},
                {1});
}

TEST(SchemaTest, FindsFieldsAtAnyDepthByIdAndByName) {
  const Schema schema = MakeSchema();
  for (const auto& [id, name] :
       std::vector<std::pair<int32_t, const char*>>{{1, "id"},
                                                    {6, "s.y.z"},
                                                    {8, "points.element"},
                                                    {9, "points.element.x"},
                                                    {11, "m.key"},
                                                    {13, "m.value.v"},
                                                    {14, "a.b"}}) {
    ASSERT_NE(schema.FindField(id), nullptr);
    EXPECT_EQ(schema.FindField(name), schema.FindField(id)) << name;
    EXPECT_EQ(schema.FullName(id), name);
  }
  EXPECT_EQ(schema.FindField(99), nullptr);
  EXPECT_EQ(schema.FindField("name"), nullptr);
  EXPECT_EQ(schema.FullName(99), "");
  EXPECT_EQ(schema.highest_field_id(), 14);
}

TEST(SchemaTest, FindsStructsInListsAndMapsByShortNamesToo) {
  const Schema schema = MakeSchema();
  EXPECT_EQ(schema.FindField("points.x"), schema.FindField(9));
  EXPECT_EQ(schema.FindField("m.v"), schema.FindField(13));
  const Schema conflict(
      0, {Field(1, "points.x", Int()),
          Field(2, "points", Type::List(Field(3, "", Type::Struct({Field(4, "x", Int())}))))});
  EXPECT_EQ(conflict.FindField("points.x")->id, 1);
}

TEST(SchemaTest, CopiesAndMovesKeepTheirIndexes) {
  auto original = std::make_unique<Schema>(MakeSchema());
  Schema copy = *original;
  const Schema moved = std::move(*original);
  original.reset();
  EXPECT_EQ(copy.FindField("s.y.z")->id, 6);
  EXPECT_EQ(moved.FindField("s.y.z")->id, 6);
}

TEST(SchemaTest, IgnoresCaseOnRequestAndReportsColumnsThatDifferOnlyInCase) {
  const Schema schema = MakeSchema();
  const auto found = schema.FindFieldIgnoringCase("S.Y.Z");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ((*found)->id, 6);
  EXPECT_EQ(*schema.FindFieldIgnoringCase("nothing"), nullptr);

  const Schema twins(0, {Field(1, "id", Int()), Field(2, "ID", Int())});
  const auto twin = twins.FindFieldIgnoringCase("Id");
  ASSERT_FALSE(twin.ok());
  EXPECT_EQ(twin.error().code(), ErrorCode::kInvalidInput);
  EXPECT_THAT(twin.error().message(), HasSubstr("'ID' and 'id' match"));
}

TEST(SchemaTest, KnowsParentsAndThePathThroughStructs) {
  const Schema schema = MakeSchema();
  EXPECT_EQ(schema.ParentId(1), std::nullopt);
  EXPECT_THAT(schema.ParentId(6), Optional(5));
  EXPECT_THAT(schema.ParentId(9), Optional(8));
  EXPECT_THAT(schema.StructPath(6), Optional(ElementsAre(2, 1, 0)));
  EXPECT_THAT(schema.StructPath(14), Optional(ElementsAre(5)));
  EXPECT_EQ(schema.StructPath(9), std::nullopt);
  EXPECT_EQ(schema.StructPath(13), std::nullopt);
  EXPECT_EQ(schema.StructPath(99), std::nullopt);
}

TEST(SchemaTest, SchemasAreTheSameWhateverTheirIds) {
  const Schema a(1, {Field(1, "a", Int(), true), Field(2, "b", Int(), true)}, {1, 2});
  const Schema b(2, {Field(1, "a", Int(), true), Field(2, "b", Int(), true)}, {2, 1});
  const Schema c(1, {Field(1, "a", Int(), true), Field(2, "b", Int(), true)}, {1});
  EXPECT_TRUE(a.IsSameAs(b));
  EXPECT_FALSE(a.IsSameAs(c));
}

TEST(SchemaTest, SelectsFieldsWithTheStructsListsAndMapsAroundThem) {
  const Schema schema = MakeSchema();
  const Schema selected = SelectFields(schema, {6, 9, 13});
  EXPECT_EQ(FormatType(*selected.as_struct()),
            "struct<3: s: optional struct<5: y: optional struct<6: z: optional string>>, "
            "7: points: optional list<struct<9: x: optional int>>, "
            "10: m: optional map<string, struct<13: v: optional int>>>");
  EXPECT_TRUE(selected.identifier_field_ids().empty());
  EXPECT_EQ(SelectFields(schema, {3}).fields().front(), schema.fields()[2]);
  EXPECT_EQ(SelectFields(schema, {11}).fields().front(), schema.fields()[4]);
  EXPECT_THAT(SelectFields(schema, {1, 2}).identifier_field_ids(), ElementsAre(1));
  EXPECT_TRUE(SelectFields(schema, {}).fields().empty());
}

TEST(SchemaTest, ALegalSchemaIsValid) {
  const auto status = ValidateSchema(MakeSchema(), 1);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message());
}

struct InvalidSchema {
  const char* name;
  Schema schema;
  int format_version;
  const char* message;
};

std::vector<InvalidSchema> InvalidSchemas() {
  const TypePtr timestamp_ns = Type::Primitive(TypeId::kTimestampNs);
  const TypePtr unknown = Type::Primitive(TypeId::kUnknown);
  const TypePtr inner = Type::Struct({Field(2, "b", Int(), true)});
  NestedField defaulted = Field(1, "a", Int());
  defaulted.initial_default = Value(int32_t{5});
  NestedField unknown_default = Field(1, "a", unknown);
  unknown_default.write_default = Value(int32_t{5});
  NestedField list_default = Field(1, "a", Type::List(Field(2, "", Int())));
  list_default.initial_default = Value::List({});
  return {
      {"DuplicateId", Schema(0, {Field(1, "a", Int()), Field(1, "b", Int())}), 2, "same id 1"},
      {"DuplicateName", Schema(0, {Field(1, "a", Int()), Field(2, "a", Int())}), 2,
       "same name 'a'"},
      {"DuplicateFullName", Schema(0, {Field(1, "a", inner), Field(3, "a.b", Int())}), 2,
       "same name 'a.b'"},
      {"ReservedId", Schema(0, {Field(kFileFieldId, "a", Int())}), 2, "expected 0 to 2147483447"},
      {"NewType", Schema(0, {Field(1, "a", timestamp_ns)}), 2, "needs format version 3"},
      {"RequiredUnknown", Schema(0, {Field(1, "a", unknown, true)}), 3, "expected optional"},
      {"InitialDefault", Schema(0, {defaulted}), 2, "needs format version 3"},
      {"UnknownDefault", Schema(0, {unknown_default}), 3, "expected null"},
      {"ListDefault", Schema(0, {list_default}), 3, "expected null"},
      {"IdentifierMissing", Schema(0, {Field(1, "a", Int(), true)}, {7}), 2, "field 7 is not in"},
      {"IdentifierOptional", Schema(0, {Field(1, "a", Int())}, {1}), 2, "expected required"},
      {"IdentifierFloat", Schema(0, {Field(1, "a", Type::Primitive(TypeId::kDouble), true)}, {1}),
       2, "no float or double"},
      {"IdentifierInOptionalStruct", Schema(0, {Field(1, "a", inner)}, {2}), 2,
       "required structs only"},
      {"IdentifierInList",
       Schema(0, {Field(1, "a", Type::List(Field(2, "", Int(), true)), true)}, {2}), 2,
       "required structs only"},
  };
}

class InvalidSchemaTest : public testing::TestWithParam<InvalidSchema> {};

TEST_P(InvalidSchemaTest, IsRefusedWithTheFieldNamed) {
  const auto status = ValidateSchema(GetParam().schema, GetParam().format_version);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(status.error().message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(All, InvalidSchemaTest, testing::ValuesIn(InvalidSchemas()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(SchemaTest, AStructMayDefaultToTheDefaultsOfItsFields) {
  NestedField field = Field(1, "a", Type::Struct({Field(2, "b", Int())}));
  field.initial_default = Value::Struct({});
  EXPECT_TRUE(ValidateSchema(Schema(0, {field}), 3).ok());
}

}  // namespace
}  // namespace firn
