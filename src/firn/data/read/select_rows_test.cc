#include "firn/data/read/select_rows.h"

#include <gmock/gmock.h>

#include "firn/base/bytes.h"
#include "firn/data/data.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

NestedField Field(int32_t id, std::string name, TypePtr type) {
  return {.id = id, .name = std::move(name), .type = std::move(type)};
}

Value Pair(int32_t first, int32_t second) { return Value::Struct({Value(first), Value(second)}); }

class SelectRowsTest : public testing::Test {
 protected:
  /// JSON lines of what is selected.
  Result<std::string> Select(const std::vector<std::string>& columns,
                             const std::string& where = "") {
    FIRN_ASSIGN(const SchemaPtr selected, SelectColumns(schema_, columns));
    ExpressionPtr filter;
    if (!where.empty()) {
      FIRN_ASSIGN(filter, ParseExpression(where));
    }
    FIRN_ASSIGN(RowStream rows, MakeRowStream(schema_.as_struct(), rows_));
    FIRN_ASSIGN(rows, SelectRows(std::move(rows), schema_, filter, *selected, budget_));
    RenderOptions options;
    options.format = RowFormat::kJson;
    options.type = selected->as_struct();
    std::string text;
    FIRN_RETURN_IF_ERROR(
        RenderRows(std::move(rows), options, [&](std::span<const std::byte> bytes) -> Status {
          text += AsText(bytes);
          return {};
        }));
    return text;
  }

  const TypePtr int_ = Type::Primitive(TypeId::kInt);
  const Schema schema_{
      0,
      {Field(1, "id", int_), Field(2, "name", Type::Primitive(TypeId::kString)),
       Field(3, "pair", Type::Struct({Field(4, "a", int_), Field(5, "b", int_)})),
       Field(6, "list",
             Type::List(
                 Field(7, "element", Type::Struct({Field(8, "x", int_), Field(9, "y", int_)})))),
       Field(10, "map",
             Type::Map(
                 {.id = 11,
                  .name = "key",
                  .type = Type::Primitive(TypeId::kString),
                  .required = true},
                 Field(12, "value", Type::Struct({Field(13, "u", int_), Field(14, "v", int_)}))))}};
  const std::vector<StructValue> rows_ = {
      {{Value(1), Value("one"), Pair(10, 11), Value::List({Pair(1, 2), Pair(3, 4)}),
        Value::Map({{Value("k"), Pair(5, 6)}})}},
      {{Value(2), Value(), Value(), Value(), Value()}},
      {{Value(3), Value("three"), Pair(30, 31), Value::List({}), Value::Map({})}}};
  const MemoryBudget budget_{int64_t{16} << 20};
};

TEST_F(SelectRowsTest, GivesColumnsInTheOrderAskedForAndPartsOfNestedOnes) {
  EXPECT_THAT(Select({"name", "id"}), IsOkAnd(testing::StrEq("{\"name\":\"one\",\"id\":1}\n"
                                                             "{\"name\":null,\"id\":2}\n"
                                                             "{\"name\":\"three\",\"id\":3}\n")));
  EXPECT_EQ(*Select({"map.value.v", "PAIR.B", "list.element.x"}, "id <> 2"),
            "{\"map\":[{\"key\":\"k\",\"value\":{\"v\":6}}],\"pair\":{\"b\":11},"
            "\"list\":[{\"x\":1},{\"x\":3}]}\n"
            "{\"map\":[],\"pair\":{\"b\":31},\"list\":[]}\n");
}

TEST_F(SelectRowsTest, FiltersByColumnsThatAreNotShown) {
  EXPECT_THAT(Select({"id"}, "pair.a > 10"), IsOkAnd(testing::StrEq("{\"id\":3}\n")));
  EXPECT_THAT(Select({"id"}, "name IS NULL"), IsOkAnd(testing::StrEq("{\"id\":2}\n")));
  EXPECT_THAT(Select({"id"}, "id > 9"), IsOkAnd(testing::StrEq("")));
  EXPECT_THAT(Select({}, "id = 2"),
              IsOkAnd(testing::StrEq(
                  "{\"id\":2,\"name\":null,\"pair\":null,\"list\":null,\"map\":null}\n")));
}

TEST_F(SelectRowsTest, NamesTheColumnsThereAre) {
  EXPECT_THAT(Select({"ids"}), IsError(ErrorCode::kInvalidInput, "'ids'"));
  EXPECT_THAT(Select({"_file"}), IsError(ErrorCode::kInvalidInput, "'_file'"));
  EXPECT_THAT(Select({}, "nothing = 1"), IsError(ErrorCode::kInvalidInput, "nothing"));
}

}  // namespace
}  // namespace firn
