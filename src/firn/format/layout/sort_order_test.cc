#include "firn/format/layout/sort_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

using testing::HasSubstr;

Schema MakeSchema() {
  return Schema(0, {{.id = 1, .name = "id", .type = Type::Primitive(TypeId::kLong)},
                    {.id = 2, .name = "ts", .type = Type::Primitive(TypeId::kTimestamp)},
                    {.id = 3, .name = "tags", .type = Type::Struct({})}});
}

SortField Field(int32_t source_id, std::string_view transform, bool is_descending = false,
                bool is_nulls_first = true) {
  return {.source_ids = {source_id},
          .transform = *ParseTransform(transform),
          .is_descending = is_descending,
          .is_nulls_first = is_nulls_first};
}

TEST(SortOrderTest, PrintsColumnsDirectionsAndNulls) {
  const SortOrder order{
      .order_id = 1,
      .fields = {Field(1, "identity", true, false), Field(2, "day"), Field(99, "bucket[16]")}};
  EXPECT_EQ(FormatSortOrder(order, MakeSchema()),
            "id DESC NULLS LAST, day(ts) ASC NULLS FIRST, bucket[16](99) ASC NULLS FIRST");
  EXPECT_EQ(FormatSortOrder(SortOrder{}, MakeSchema()), "");
}

TEST(SortOrderTest, AnOrderSatisfiesItsPrefixesAndACoarserLastField) {
  const SortOrder order{.order_id = 1, .fields = {Field(2, "identity"), Field(1, "identity")}};
  const auto satisfies = [&](std::vector<SortField> fields) {
    return SatisfiesOrder(order, {.order_id = 2, .fields = std::move(fields)});
  };
  EXPECT_TRUE(satisfies({}));
  EXPECT_TRUE(satisfies({Field(2, "identity")}));
  EXPECT_TRUE(satisfies({Field(2, "day")}));
  EXPECT_TRUE(satisfies({Field(2, "identity"), Field(1, "truncate[10]")}));
  EXPECT_FALSE(satisfies({Field(2, "identity"), Field(1, "bucket[10]")}));
  EXPECT_FALSE(satisfies({Field(1, "identity")}));
  EXPECT_FALSE(satisfies({Field(2, "identity", true)}));
  EXPECT_FALSE(satisfies({Field(2, "identity", false, false)}));
  // Sorted by (ts, id), the ids of one day are not sorted.
  EXPECT_FALSE(satisfies({Field(2, "day"), Field(1, "identity")}));
  EXPECT_FALSE(satisfies({Field(2, "identity"), Field(1, "identity"), Field(1, "identity")}));
}

TEST(SortOrderTest, AFinerUnitOfTimeSatisfiesACoarserOne) {
  const SortOrder hours{.order_id = 1, .fields = {Field(2, "hour")}};
  EXPECT_TRUE(SatisfiesOrder(hours, {.order_id = 2, .fields = {Field(2, "day")}}));
  EXPECT_TRUE(SatisfiesOrder(hours, {.order_id = 2, .fields = {Field(2, "year")}}));
  EXPECT_FALSE(SatisfiesOrder({.order_id = 2, .fields = {Field(2, "day")}}, hours));
}

TEST(SortOrderTest, RefusesColumnsThatAreMissingOrCannotBeTransformed) {
  const auto validate = [](const SortField& field) {
    const auto status = ValidateSortOrder({.order_id = 1, .fields = {field}}, MakeSchema());
    return status.ok() ? std::string("ok") : status.error().Format();
  };
  EXPECT_EQ(validate(Field(2, "day")), "ok");
  EXPECT_THAT(validate(Field(9, "day")), HasSubstr("source column 9 is not in schema 0"));
  EXPECT_THAT(validate(Field(1, "day")),
              HasSubstr("day of column 'id' is not defined for type long"));
  EXPECT_THAT(validate(Field(3, "identity")), HasSubstr("'tags'"));
  EXPECT_THAT(validate(SortField{}), HasSubstr("no source column"));
}

}  // namespace
}  // namespace firn
