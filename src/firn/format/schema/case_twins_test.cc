#include "firn/format/schema/case_twins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/schema/schema_text.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

Status Check(std::string_view text) {
  const auto schema = ParseSchemaText(text);
  EXPECT_THAT(schema, IsOk());
  return RefuseCaseTwins(*schema);
}

// B70
TEST(CaseTwinsTest, AreRefusedAtAnyDepth) {
  EXPECT_THAT(Check("id int, name string, Name string"),
              IsError(ErrorCode::kInvalidInput, "columns 'name' and 'Name' differ in case alone"));
  EXPECT_THAT(Check("l array<struct<a: int, A: int>>"),
              IsError(ErrorCode::kInvalidInput, "'l.element.a' and 'l.element.A'"));
  EXPECT_THAT(Check("m map<string, struct<x: struct<b: int, B: int>>>"),
              IsError(ErrorCode::kInvalidInput, "'m.value.x.b' and 'm.value.x.B'"));
}

TEST(CaseTwinsTest, AreNamesOfOneStruct) {
  EXPECT_THAT(Check("id int, s struct<ID: int>, t struct<id: int>, S2 int, key string"), IsOk());
  EXPECT_THAT(Check("m map<string, int>, key int, VALUE int"), IsOk());
}

}  // namespace
}  // namespace firn
