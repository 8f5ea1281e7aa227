#include "firn/expression/column_names.h"

#include <gmock/gmock.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

NestedField Field(int32_t id, const std::string& name, TypePtr type) {
  NestedField field;
  field.id = id;
  field.name = name;
  field.type = std::move(type);
  return field;
}

Schema MakeSchema() {
  const TypePtr text = Type::Primitive(TypeId::kString);
  return Schema(0, {Field(1, "userId", text), Field(2, "Twin", text), Field(3, "twin", text),
                    Field(4, "Place", Type::Struct({Field(5, "Zip.Code", text)}))});
}

std::string Resolve(std::string_view text) {
  const auto expression = ParseExpression(text);
  EXPECT_THAT(expression, IsOk());
  const auto resolved = ResolveColumnNames(*expression, MakeSchema());
  return resolved.ok() ? FormatExpression(**resolved) : resolved.error().Format();
}

TEST(ResolveColumnNamesTest, CallsColumnsAsTheSchemaDoes) {
  EXPECT_EQ(Resolve("USERID = 'x'"), "userId = 'x'");
  EXPECT_EQ(Resolve("NOT (userid IS NULL OR Twin LIKE 'a%') AND twin IN ('a', 'b')"),
            "NOT (userId IS NULL OR Twin LIKE 'a%') AND twin IN ('a', 'b')");
  EXPECT_EQ(Resolve("truncate(2, UserID) = 'ab' OR TRUE"), "TRUE");
  EXPECT_EQ(Resolve("truncate(2, UserID) = 'ab'"), "truncate(2, userId) = 'ab'");
}

TEST(ResolveColumnNamesTest, LeavesNoDoubtWhichColumnIsMeant) {
  EXPECT_THAT(Resolve("TWIN = 'x'"),
              testing::HasSubstr("filter: column 'TWIN' is ambiguous when case is ignored: 'Twin' "
                                 "and 'twin' match; write it as the schema does"));
  EXPECT_EQ(Resolve("user = 'x'"),
            "invalid-input: filter: there is no column 'user'; the columns are userId, Twin, twin, "
            "Place, Place.Zip.Code");
  EXPECT_THAT(Resolve("usrId = 'x'"), testing::HasSubstr("(did you mean 'userId'?)"));
}

}  // namespace
}  // namespace firn
