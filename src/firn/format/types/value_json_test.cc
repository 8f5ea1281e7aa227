#include "firn/format/types/value_json.h"

#include <limits>

#include <rapidcheck/gtest.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/json/json_reader.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value_testing_internal.h"

namespace firn {
namespace {

using testing::HasSubstr;

TypePtr Of(TypeId id) { return Type::Primitive(id); }

TypePtr ExampleStruct() {
  return Type::Struct({{.id = 1, .name = "a", .type = Of(TypeId::kInt)},
                       {.id = 2, .name = "b", .type = Of(TypeId::kString)}});
}
TypePtr ExampleList() { return Type::List({.id = 3, .type = Of(TypeId::kInt)}); }
TypePtr ExampleMap() {
  return Type::Map({.id = 4, .type = Of(TypeId::kString)}, {.id = 5, .type = Of(TypeId::kInt)});
}

// The JSON single values of the spec.
TEST(ValueJsonTest, EveryTypeReadsAndWritesTheFormOfTheSpec) {
  for (const auto& [type, json] : std::vector<std::pair<TypePtr, const char*>>{
           {Of(TypeId::kUnknown), "null"},
           {Of(TypeId::kBoolean), "true"},
           {Of(TypeId::kInt), "34"},
           {Of(TypeId::kLong), "-9223372036854775808"},
           {Of(TypeId::kFloat), "1.5"},
           {Of(TypeId::kDouble), "1.0E10"},
           {Of(TypeId::kDouble), "\"-Infinity\""},
           {Type::Decimal(9, 2), "\"14.20\""},
           {Type::Decimal(38, 10), "\"0.0000000000\""},
           {Type::Decimal(38, -20), "\"2E+20\""},
           {Of(TypeId::kDate), "\"2017-11-16\""},
           {Of(TypeId::kTime), "\"22:31:08.123456\""},
           {Of(TypeId::kTime), "\"22:31:00\""},
           {Of(TypeId::kTimestamp), "\"2017-11-16T22:31:08.123456\""},
           {Of(TypeId::kTimestamptz), "\"2017-11-16T22:31:08.123456+00:00\""},
           {Of(TypeId::kTimestampNs), "\"2017-11-16T22:31:08.123456789\""},
           {Of(TypeId::kTimestamptzNs), "\"2017-11-16T22:31:08.123456789+00:00\""},
           {Of(TypeId::kString), "\"ice\\\"berg \xC3\xA9\""},
           {Of(TypeId::kUuid), "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\""},
           {Type::Fixed(4), "\"000102ff\""},
           {Of(TypeId::kBinary), "\"000102ff\""},
           {ExampleStruct(), R"({"1":1,"2":"bar"})"},
           {ExampleStruct(), R"({"2":"bar"})"},
           {ExampleStruct(), "{}"},
           {ExampleList(), "[1,2,null]"},
           {ExampleMap(), R"({"keys":["a","b"],"values":[1,2]})"}}) {
    const auto value = ParseValueJson(json, *type);
    ASSERT_TRUE(value.ok()) << json << ": " << value.error().message();
    EXPECT_EQ(FormatValueJson(*value, *type), json);
  }
}

TEST(ValueJsonTest, ReadsWhatOtherWritersWrite) {
  EXPECT_EQ(*ParseValueJson(" 1 ", *Of(TypeId::kFloat)), Value(1.0F));
  EXPECT_EQ(*ParseValueJson("0.1", *Of(TypeId::kFloat)), Value(0.1F));
  EXPECT_EQ(*ParseValueJson("\"000102FF\"", *Type::Fixed(4)),
            Value(BinaryValue{std::string("\0\1\2\xFF", 4)}));
  EXPECT_EQ(*ParseValueJson("\"2017-11-16T22:31:08Z\"", *Of(TypeId::kTimestamptz)),
            *ParseValueJson("\"2017-11-16T22:31:08.000000+00:00\"", *Of(TypeId::kTimestamptz)));
  EXPECT_EQ(*ParseValueJson(R"({"values":[1],"keys":["a"]})", *ExampleMap()),
            Value::Map({{std::string("a"), int32_t{1}}}));
  EXPECT_EQ(*ParseValueJson(R"({"7":1,"1":2})", *ExampleStruct()),
            Value::Struct({int32_t{2}, Value()}));
  EXPECT_TRUE(ParseValueJson("null", *ExampleMap())->is_null());
}

TEST(ValueJsonTest, RefusesValuesThatDoNotFitTheType) {
  for (const auto& [type, json] : std::vector<std::pair<TypePtr, const char*>>{
           {Of(TypeId::kBoolean), "1"},
           {Of(TypeId::kInt), "2147483648"},
           {Of(TypeId::kInt), "1.0"},
           {Of(TypeId::kInt), "\"1\""},
           {Of(TypeId::kLong), "9223372036854775808"},
           {Of(TypeId::kDouble), "\"1.0\""},
           {Of(TypeId::kDouble), "1e400"},
           {Of(TypeId::kFloat), "true"},
           {Type::Decimal(9, 2), "\"14.205\""},
           {Type::Decimal(9, 2), "14.20"},
           {Of(TypeId::kDate), "17486"},
           {Of(TypeId::kTimestamptz), "\"2017-11-16T22:31:08\""},
           {Of(TypeId::kTimestamptz), "\"2017-11-16T22:31:08+02:00\""},
           {Of(TypeId::kTimestamp), "\"2017-11-16T22:31:08+00:00\""},
           {Of(TypeId::kUuid), "\"f79c3e09677c4bbda4793f349cb785e7\""},
           {Type::Fixed(4), "\"0001\""},
           {Of(TypeId::kVariant), "1"},
           {Of(TypeId::kUnknown), "1"},
           {ExampleStruct(), "[1]"},
           {ExampleStruct(), R"({"1":"x"})"},
           {ExampleList(), "{}"},
           {ExampleMap(), R"({"keys":["a"],"values":[]})"},
           {ExampleMap(), R"({"keys":[null],"values":[1]})"},
           {ExampleMap(), R"({"a":1})"},
           {Of(TypeId::kInt), ""},
           {Of(TypeId::kInt), "1,2"},
           {Of(TypeId::kInt), "1 2"}}) {
    const auto value = ParseValueJson(json, *type);
    ASSERT_FALSE(value.ok()) << FormatType(*type) << " " << json;
    EXPECT_EQ(value.error().code(), ErrorCode::kCorrupt);
  }
  const auto value = ParseValueJson(R"({"1":"x"})", *ExampleStruct());
  EXPECT_THAT(value.error().message(), HasSubstr("1"));
}

RC_GTEST_PROP(ValueJsonProperty, JsonReadsBackAsTheSameValue, ()) {
  const TypePtr type = *AnyBoundedType();
  const Value value = AnyValue(*type);
  const std::string json = FormatValueJson(value, *type);
  RC_ASSERT(IsJsonText(json));
  const auto parsed = ParseValueJson(json, *type);
  RC_ASSERT(parsed.ok());
  RC_ASSERT(*parsed == value);
}

}  // namespace
}  // namespace firn
