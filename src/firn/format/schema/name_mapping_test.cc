#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/schema/name_mapping_change.h"

namespace firn {
namespace {

using testing::HasSubstr;

NestedField Column(int32_t id, std::string name, TypePtr type) {
  return {.id = id, .name = std::move(name), .type = std::move(type)};
}
TypePtr Int() { return Type::Primitive(TypeId::kInt); }
TypePtr String() { return Type::Primitive(TypeId::kString); }

TEST(NameMappingTest, ReadsNamesIdsAndChildren) {
  const auto mapping = ParseNameMapping(R"([
    {"field-id": 1, "names": ["id", "record_id"]},
    {"names": ["a.b"], "field-id": 2, "fields": [{"field-id": 3, "names": ["x"]}]},
    {"field-id": null, "names": [], "future": {"x": 1}}])");
  ASSERT_TRUE(mapping.ok()) << mapping.error().message();
  EXPECT_EQ(FindMappedField(mapping->fields, "record_id")->field_id, 1);
  const MappedField* dotted = FindMappedField(mapping->fields, "a.b");
  ASSERT_NE(dotted, nullptr);
  EXPECT_EQ(FindMappedField(dotted->fields, "x")->field_id, 3);
  EXPECT_EQ(FindMappedField(mapping->fields, "a"), nullptr);
  EXPECT_EQ(mapping->fields[2].field_id, std::nullopt);
}

TEST(NameMappingTest, WritesWhatItReads) {
  const std::string json =
      R"([{"field-id":1,"names":["id","record \"id\""]},)"
      R"({"field-id":2,"names":["s"],"fields":[{"field-id":3,"names":["x"]}]},{"names":[]}])";
  EXPECT_EQ(FormatNameMapping(*ParseNameMapping(json)), json);
}

TEST(NameMappingTest, RefusesTextOfAnotherShape) {
  for (const char* json : {"", "{}", "[1]", R"([{"names":"id"}])", R"([{"names":[1]}])",
                           R"([{"field-id":"1","names":["a"]}])", R"([{"fields":{}}])", "[{]",
                           R"([{"names":["a"]}] x)"}) {
    const auto mapping = ParseNameMapping(json);
    ASSERT_FALSE(mapping.ok()) << json;
    EXPECT_EQ(mapping.error().code(), ErrorCode::kCorrupt);
    EXPECT_THAT(mapping.error().message(), HasSubstr("name mapping"));
  }
}

TEST(NameMappingTest, RefusesANameThatStandsTwiceAtOneLevel) {
  const auto twice = ParseNameMapping(R"([{"names":["a"]},{"names":["b","a"]}])");
  ASSERT_FALSE(twice.ok());
  EXPECT_THAT(twice.error().message(), HasSubstr("'a' stands twice"));
  EXPECT_TRUE(ParseNameMapping(R"([{"names":["a"],"fields":[{"names":["a"]}]}])").ok());
}

TEST(NameMappingTest, ManyLevelsAreRefusedRatherThanFollowed) {
  std::string json;
  for (int i = 0; i < 100'000; ++i)
    json += R"([{"names":[],"fields":)";
  EXPECT_FALSE(ParseNameMapping(json).ok());
}

// struct<x, y struct<z>>, list<struct<k>>, map<string, struct<v>>
Schema NestedSchema() {
  const TypePtr y = Type::Struct({Column(4, "z", String())});
  return Schema(0,
                {Column(1, "s", Type::Struct({Column(2, "x", Int()), Column(3, "y", y)})),
                 Column(5, "l", Type::List(Column(6, "", Type::Struct({Column(7, "k", Int())})))),
                 Column(8, "m",
                        Type::Map(Column(9, "", String()),
                                  Column(10, "", Type::Struct({Column(11, "v", Int())}))))});
}

TEST(NameMappingTest, NestedColumnsAreMappedAtEveryLevel) {  // B101
  const NameMapping mapping = MakeNameMapping(NestedSchema());
  const auto find = [&](const std::vector<std::string_view>& path) {
    const std::vector<MappedField>* level = &mapping.fields;
    const MappedField* found = nullptr;
    for (const std::string_view name : path) {
      found = FindMappedField(*level, name);
      if (found == nullptr) return int32_t{-1};
      level = &found->fields;
    }
    return *found->field_id;
  };
  EXPECT_EQ(find({"s", "y", "z"}), 4);
  EXPECT_EQ(find({"l", "element", "k"}), 7);
  EXPECT_EQ(find({"m", "key"}), 9);
  EXPECT_EQ(find({"m", "value", "v"}), 11);
  EXPECT_EQ(find({"s", "z"}), -1);
  EXPECT_EQ(FormatNameMapping(*ParseNameMapping(FormatNameMapping(mapping))),
            FormatNameMapping(mapping));
}

std::string Update(const NameMapping& mapping, const Schema& before,
                   std::vector<NestedField> columns) {
  return FormatNameMapping(UpdateNameMapping(mapping, before, Schema(1, std::move(columns))));
}
std::string Update(const Schema& before, std::vector<NestedField> columns) {
  return Update(MakeNameMapping(before), before, std::move(columns));
}

TEST(NameMappingTest, ARenamedColumnHasBothNamesAndADroppedOneStays) {
  const Schema before(0, {Column(1, "a", Int()), Column(2, "b", Int())});
  EXPECT_EQ(Update(before, {Column(1, "c", Int())}),
            R"([{"field-id":1,"names":["a","c"]},{"field-id":2,"names":["b"]}])");
  EXPECT_EQ(Update(before, {Column(1, "a", Int()), Column(2, "b", Int())}),
            FormatNameMapping(MakeNameMapping(before)));
}

TEST(NameMappingTest, ANameThatAnotherColumnTookLeadsToThatOne) {
  const Schema before(0, {Column(1, "a", Int()), Column(2, "b", Int())});
  EXPECT_EQ(Update(before, {Column(2, "b", Int()), Column(3, "a", Int())}),
            R"([{"field-id":1,"names":[]},{"field-id":2,"names":["b"]},)"
            R"({"field-id":3,"names":["a"]}])");
}

// Files call their columns as the mapping says, whatever the table calls them.
TEST(NameMappingTest, WhatIsSaidOfOtherColumnsStays) {
  const Schema before(0, {Column(1, "a", Int()), Column(2, "b", Int()), Column(3, "c", Int())});
  const auto mapping =
      ParseNameMapping(R"([{"field-id":1,"names":["b"]},{"field-id":2,"names":["x"]}])");
  ASSERT_TRUE(mapping.ok());
  EXPECT_EQ(Update(*mapping, before,
                   {Column(1, "a", Int()), Column(2, "b", Int()), Column(3, "d", Int()),
                    Column(4, "e", Int())}),
            R"([{"field-id":1,"names":["b"]},{"field-id":2,"names":["x"]},)"
            R"({"field-id":4,"names":["e"]}])");
}

TEST(NameMappingTest, NamesThatLeadElsewhereAreTold) {
  const Schema before(0, {Column(1, "a", Int()), Column(2, "b", Int()),
                          Column(3, "s", Type::Struct({Column(4, "x", Int())}))});
  const NameMapping mapping = MakeNameMapping(before);
  const auto moved = [&](const Schema& between, std::vector<NestedField> columns) {
    const NameMapping old = UpdateNameMapping(mapping, before, between);
    std::string text;
    for (const MovedName& name :
         FindMovedNames(old, UpdateNameMapping(old, between, Schema(2, std::move(columns))))) {
      text +=
          name.name + ":" + std::to_string(name.from_id) + "-" + std::to_string(name.to_id) + " ";
    }
    return text;
  };
  const Schema renamed(1, {Column(1, "c", Int()), Column(2, "b", Int()),
                           Column(3, "s", Type::Struct({Column(4, "y", Int())}))});
  EXPECT_EQ(moved(before, renamed.fields()), "");
  // A new column, one that is renamed, and a field take the name over.
  EXPECT_EQ(moved(renamed, {Column(1, "c", Int()), Column(5, "a", Int())}), "a:1-5 ");
  EXPECT_EQ(moved(renamed, {Column(1, "c", Int()), Column(2, "a", Int())}), "a:1-2 ");
  EXPECT_EQ(moved(renamed,
                  {Column(3, "s", Type::Struct({Column(4, "y", Int()), Column(5, "x", Int())}))}),
            "s.x:4-5 ");
  EXPECT_EQ(moved(before, {Column(1, "b", Int()), Column(2, "a", Int())}), "a:1-2 b:2-1 ");
}

TEST(NameMappingTest, NewNestedColumnsAreAdded) {
  const Schema before(0, {Column(1, "s", Type::Struct({Column(2, "x", Int())}))});
  EXPECT_EQ(Update(before,
                   {Column(1, "s", Type::Struct({Column(2, "y", Int()), Column(3, "z", Int())}))}),
            R"([{"field-id":1,"names":["s"],"fields":[{"field-id":2,"names":["x","y"]},)"
            R"({"field-id":3,"names":["z"]}]}])");
}

}  // namespace
}  // namespace firn
