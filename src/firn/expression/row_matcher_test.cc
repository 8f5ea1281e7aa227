#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "firn/expression/expression.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

// Indices of the values that match `filter` on a column "x" of `type`.
std::vector<size_t> MatchingRows(const std::vector<Value>& values, const TypePtr& type,
                                 std::string_view filter) {
  const Schema schema(0, {{.id = 1, .name = "x", .type = type}});
  const auto parsed = ParseExpression(filter);
  EXPECT_THAT(parsed, IsOk());
  const auto bound = Bind(*parsed, schema);
  EXPECT_THAT(bound, IsOk());
  const RowMatcher matcher(*bound, *schema.as_struct());
  std::vector<size_t> matching;
  for (size_t i = 0; i < values.size(); ++i) {
    if (matcher.Matches({.fields = {values[i]}})) matching.push_back(i);
  }
  return matching;
}

using Rows = std::vector<size_t>;

// B44
TEST(RowMatcherTest, NeverMatchesNullByComparison) {
  const TypePtr type = Type::Primitive(TypeId::kInt);
  const std::vector<Value> values = {int32_t{1}, int32_t{2}, Value()};
  EXPECT_EQ(MatchingRows(values, type, "x = 2"), Rows({1}));
  EXPECT_EQ(MatchingRows(values, type, "x <> 1"), Rows({1}));
  EXPECT_EQ(MatchingRows(values, type, "not (x > 2)"), Rows({0, 1}));
  EXPECT_EQ(MatchingRows(values, type, "not (x = 2)"), Rows({0}));
  EXPECT_EQ(MatchingRows(values, type, "x not in (1, 5)"), Rows({1}));
  EXPECT_EQ(MatchingRows(values, type, "x not in (1, NULL)"), Rows());
  EXPECT_EQ(MatchingRows(values, type, "x is null or x = 1"), Rows({0, 2}));
  EXPECT_EQ(MatchingRows(values, type, "not (x <=> 1)"), Rows({1, 2}));
  EXPECT_EQ(MatchingRows(values, type, "not x between 2 and 3"), Rows({0}));
}

TEST(RowMatcherTest, NeverMatchesNullByPattern) {
  const TypePtr type = Type::Primitive(TypeId::kString);
  const std::vector<Value> values = {std::string("abc"), std::string("xbc"), Value()};
  EXPECT_EQ(MatchingRows(values, type, "x not like 'a%'"), Rows({1}));
  EXPECT_EQ(MatchingRows(values, type, "x not like '%c'"), Rows());
  EXPECT_EQ(MatchingRows(values, type, "x like '_bc'"), Rows({0, 1}));
  EXPECT_EQ(MatchingRows(values, type, "not x like 'x_c'"), Rows({0}));
}

// B90
TEST(RowMatcherTest, OrdersFloatsAsSparkDoes) {
  const TypePtr type = Type::Primitive(TypeId::kDouble);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Value> values = {1.0, nan, -nan, -0.0, 0.0, Value()};
  EXPECT_EQ(MatchingRows(values, type, "x > 5"), Rows({1, 2}));
  EXPECT_EQ(MatchingRows(values, type, "x = 0.0"), Rows({3, 4}));
  EXPECT_EQ(MatchingRows(values, type, "x = -0.0"), Rows({3, 4}));
  EXPECT_EQ(MatchingRows(values, type, "x in (0, 7)"), Rows({3, 4}));
  EXPECT_EQ(MatchingRows(values, type, "x < 0.0"), Rows());
  EXPECT_EQ(MatchingRows(values, type, "x is nan"), Rows({1, 2}));
  EXPECT_EQ(MatchingRows(values, type, "x is not nan"), Rows({0, 3, 4, 5}));
  EXPECT_EQ(MatchingRows(values, type, "x <> 1.0"), Rows({1, 2, 3, 4}));
  EXPECT_EQ(MatchingRows(values, type, "x = 'NaN'"), Rows({1, 2}));
  EXPECT_EQ(MatchingRows(values, type, "not (x <= 5)"), Rows({1, 2}));
}

// B94
TEST(RowMatcherTest, ComparesWithLiteralsBeyondTheRangeOfAnOldType) {
  const std::vector<Value> values = {int64_t{1}, int64_t{2}, int64_t{3}};
  for (const TypeId id : {TypeId::kLong, TypeId::kInt}) {
    const TypePtr type = Type::Primitive(id);
    const std::vector<Value> narrow = {int32_t{1}, int32_t{2}, int32_t{3}};
    const auto& rows = id == TypeId::kLong ? values : narrow;
    EXPECT_EQ(MatchingRows(rows, type, "x < 2147483648"), Rows({0, 1, 2}));
    EXPECT_EQ(MatchingRows(rows, type, "x > -2147483649"), Rows({0, 1, 2}));
    EXPECT_EQ(MatchingRows(rows, type, "x <> 2147483648"), Rows({0, 1, 2}));
    EXPECT_EQ(MatchingRows(rows, type, "x in (1, 1099511627776)"), Rows({0}));
  }
}

TEST(RowMatcherTest, ComparesTextByUnsignedBytes) {
  const TypePtr type = Type::Primitive(TypeId::kString);
  const std::vector<Value> values = {std::string("z"), std::string("é"), std::string("\U0001F600"),
                                     std::string("\uFFFD")};
  EXPECT_EQ(MatchingRows(values, type, "x > 'z'"), Rows({1, 2, 3}));
  EXPECT_EQ(MatchingRows(values, type, "x > '\uFFFD'"), Rows({2}));
}

TEST(RowMatcherTest, FindsNestedFieldsUnderNullStructs) {
  const Schema schema(
      0, {{.id = 1, .name = "a", .type = Type::Primitive(TypeId::kInt)},
          {.id = 2,
           .name = "s",
           .type = Type::Struct({{.id = 3, .name = "x", .type = Type::Primitive(TypeId::kInt)}})}});
  const auto bound = Bind(*ParseExpression("s.x is null"), schema);
  ASSERT_THAT(bound, IsOk());
  EXPECT_TRUE(MatchesRow(*bound, *schema.as_struct(), {.fields = {Value(), Value()}}));
  EXPECT_TRUE(
      MatchesRow(*bound, *schema.as_struct(), {.fields = {Value(), Value::Struct({Value()})}}));
  EXPECT_FALSE(MatchesRow(*bound, *schema.as_struct(),
                          {.fields = {Value(), Value::Struct({Value(int32_t{1})})}}));
}

TEST(RowMatcherTest, TestsTransformedColumns) {
  const TypePtr type = Type::Primitive(TypeId::kInt);
  const std::vector<Value> values = {int32_t{34}, int32_t{-1}, int32_t{10}, Value()};
  EXPECT_EQ(MatchingRows(values, type, "bucket(16, x) = 3"), Rows({0}));
  EXPECT_EQ(MatchingRows(values, type, "truncate(10, x) = -10"), Rows({1}));
  EXPECT_EQ(MatchingRows(values, type, "truncate(10, x) > -10"), Rows({0, 2}));
}

}  // namespace
}  // namespace firn
