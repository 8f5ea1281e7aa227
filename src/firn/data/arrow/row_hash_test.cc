#include "firn/data/arrow/row_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

RowsHash HashOf(std::vector<StructValue> rows) {
  const TypePtr type = Type::Struct(
      {Optional(1, "a", Primitive(TypeId::kInt)), Optional(2, "b", Primitive(TypeId::kString)),
       Optional(3, "c", Type::List(Optional(4, "element", Primitive(TypeId::kLong)))),
       Optional(5, "d",
                Type::Struct({Optional(6, "x", Primitive(TypeId::kInt)),
                              Optional(7, "y", Primitive(TypeId::kInt))})),
       Optional(8, "e", Primitive(TypeId::kDouble))});
  auto stream = MakeRowStream(type, std::move(rows));
  EXPECT_THAT(stream, IsOk());
  const auto hash = HashRows(std::move(*stream));
  EXPECT_THAT(hash, IsOk());
  return hash.ok() ? *hash : RowsHash();
}

Value Numbers(std::initializer_list<int64_t> numbers) {
  return Value::List(std::vector<Value>(numbers.begin(), numbers.end()));
}

Value Pair(Value x, Value y) { return Value::Struct({std::move(x), std::move(y)}); }

TEST(HashRowsTest, DoesNotDependOnTheOrderOfRows) {
  const StructValue one = Row({1, "x", Numbers({1, 2}), Pair(1, 2), 0.5});
  const StructValue other = Row({2, {}, {}, {}, {}});
  EXPECT_EQ(HashOf({one, other, other}), HashOf({other, one, other}));
  EXPECT_NE(HashOf({one, other, other}), HashOf({one, one, other}));
  EXPECT_NE(HashOf({one, other}), HashOf({one, other, other}));
}

TEST(HashRowsTest, TellsRowsApartThatDifferInOnePlace) {
  const std::vector<StructValue> rows = {
      Row({1, "2", Numbers({1, 2}), Pair(1, 2), 0.0}),
      Row({2, "1", Numbers({1, 2}), Pair(1, 2), 0.0}),
      Row({1, "2", Numbers({2, 1}), Pair(1, 2), 0.0}),
      Row({1, "2", Numbers({1, 2}), Pair(2, 1), 0.0}),
      Row({1, "2", Numbers({1, 2}), Pair(1, 2), -0.0}),
      Row({1, "2", Numbers({}), Pair(1, 2), 0.0}),
      Row({1, "2", {}, Pair(1, 2), 0.0}),
      Row({1, "2", Numbers({1, 2}), Pair({}, {}), 0.0}),
      Row({1, "2", Numbers({1, 2}), {}, 0.0}),
      Row({{}, "2", Numbers({1, 2}), Pair(1, 2), 0.0}),
      Row({1, "", Numbers({1, 2}), Pair(1, 2), 0.0}),
      Row({1, {}, Numbers({1, 2}), Pair(1, 2), 0.0}),
      Row({0, {}, Numbers({1, 2}), Pair(1, 2), 0.0}),
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < rows.size(); ++j)
      EXPECT_EQ(HashOf({rows[i]}) == HashOf({rows[j]}), i == j) << i << " and " << j;
  }
}

TEST(HashRowsTest, OfSwappedValuesBetweenRowsIsAnother) {
  EXPECT_NE(HashOf({Row({1, "x", {}, {}, {}}), Row({2, "y", {}, {}, {}})}),
            HashOf({Row({1, "y", {}, {}, {}}), Row({2, "x", {}, {}, {}})}));
}

}  // namespace
}  // namespace firn
