#include "firn/format/layout/layout_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/schema/schema_text.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;

Schema TestSchema() {
  const auto schema = ParseSchemaText(
      "id bigint, name string, ts timestamptz, d date, price double, s struct<x: int, `y.z`: "
      "string>, l array<int>");
  return schema.ok() ? *schema : Schema();
}

std::vector<std::string> SpecOf(std::string_view text) {
  const auto terms = ParsePartitionText(text);
  if (!terms.ok()) return {terms.error().message()};
  const auto spec = MakePartitionSpec(*terms, TestSchema());
  if (!spec.ok()) return {spec.error().message()};
  std::vector<std::string> fields;
  for (const PartitionField& field : spec->fields) {
    fields.push_back(fmt::format("{} {} {} {}", field.field_id, field.name,
                                 FormatTransform(field.transform), field.source_id()));
  }
  return fields;
}

std::string OrderOf(std::string_view text) {
  const auto terms = ParseSortOrderText(text);
  if (!terms.ok()) return terms.error().message();
  const auto order = MakeSortOrder(*terms, TestSchema());
  if (!order.ok()) return order.error().message();
  return fmt::format("{}: {}", order->order_id, FormatSortOrder(*order, TestSchema()));
}

TEST(PartitionTextTest, ReadsEveryTransformAndNamesFieldsAsSparkDoesForANewTable) {
  EXPECT_THAT(
      SpecOf("days(ts), bucket(16, id) as b, truncate(4, name), name, s.x"),
      ElementsAre("1000 ts_day day 3", "1001 b bucket[16] 1", "1002 name_trunc truncate[4] 2",
                  "1003 name identity 2", "1004 s.x identity 8"));
  EXPECT_THAT(SpecOf("year(d), bucket(8, id)"),
              ElementsAre("1000 d_year year 4", "1001 id_bucket bucket[8] 1"));
  EXPECT_THAT(SpecOf("MONTHS(ts)"), ElementsAre("1000 ts_month month 3"));
  EXPECT_THAT(SpecOf("hours(ts)"), ElementsAre("1000 ts_hour hour 3"));
  EXPECT_THAT(SpecOf("identity(name)"), ElementsAre("1000 name identity 2"));
  EXPECT_THAT(SpecOf(" "), ElementsAre());
}

TEST(PartitionTextTest, ReadsTheFormsOfOtherTools) {
  EXPECT_THAT(SpecOf("bucket(id, 16)"), ElementsAre("1000 id_bucket bucket[16] 1"));
  EXPECT_THAT(SpecOf("bucket[16](id)"), ElementsAre("1000 id_bucket bucket[16] 1"));
  EXPECT_THAT(SpecOf("date(ts)"), ElementsAre("1000 ts_day day 3"));
  EXPECT_THAT(SpecOf("date_hour(ts)"), ElementsAre("1000 ts_hour hour 3"));
  EXPECT_THAT(SpecOf("s.`y.z`"), ElementsAre("1000 s.y.z identity 9"));
}

TEST(PartitionTextTest, ErrorsSayWhereAndWhatWasExpected) {
  EXPECT_THAT(SpecOf("decade(ts)"),
              ElementsAre(testing::StartsWith("partition, character 1: found 'decade', expected a "
                                              "column or a transform: identity(c)")));
  EXPECT_THAT(SpecOf("bucket(0, id)"),
              ElementsAre("partition, character 8: found 0, expected 1 or more"));
  EXPECT_THAT(SpecOf("bucket(id)"),
              ElementsAre("partition, character 10: found ')', expected ','"));
  EXPECT_THAT(SpecOf("days(ts"),
              ElementsAre("partition, character 8: found its end, expected ')'"));
  EXPECT_THAT(SpecOf("id name"),
              ElementsAre("partition, character 4: found 'name', expected ',', 'as' or the end"));
  EXPECT_THAT(SpecOf("bucket(16, di)"),
              ElementsAre("partition: there is no column 'di' (did you mean 'id'?); the columns "
                          "are id, name, ts, d, price, s, s.x, s.y.z, l, l.element"));
}

TEST(PartitionTextTest, RefusesWhatTheSpecForbids) {
  EXPECT_THAT(SpecOf("hours(d)"), ElementsAre(testing::HasSubstr("hour is not defined for type "
                                                                 "date of column 'd'")));
  EXPECT_THAT(SpecOf("bucket(4, price)"), ElementsAre(testing::HasSubstr("not defined for type")));
  EXPECT_THAT(SpecOf("l.element"), ElementsAre(testing::HasSubstr("lies in a list or a map")));
  EXPECT_THAT(SpecOf("s"), ElementsAre(testing::HasSubstr("expected a primitive")));
  EXPECT_THAT(SpecOf("days(ts), hours(ts)"), ElementsAre(testing::HasSubstr("is redundant")));
  EXPECT_THAT(SpecOf("bucket(4, id) as name"),
              ElementsAre(testing::HasSubstr("is called like a column")));
  EXPECT_THAT(SpecOf("bucket(4, id) as x, truncate(4, name) as x"),
              ElementsAre(testing::HasSubstr("'x' stands twice")));
}

TEST(SortOrderTextTest, NullsComeFirstIfAscendingUnlessSaidOtherwise) {
  EXPECT_EQ(
      OrderOf("id desc nulls last, truncate(4, name), bucket(16, id) asc nulls last, ts desc"),
      "1: id DESC NULLS LAST, truncate[4](name) ASC NULLS FIRST, bucket[16](id) ASC NULLS "
      "LAST, ts DESC NULLS LAST");
  EXPECT_EQ(OrderOf("id DESC NULLS FIRST"), "1: id DESC NULLS FIRST");
  EXPECT_EQ(OrderOf(""), "0: ");
}

TEST(SortOrderTextTest, ErrorsSayWhereAndWhatWasExpected) {
  EXPECT_EQ(OrderOf("id nulls lost"),
            "sort order, character 10: found 'lost', expected 'first' or 'last'");
  EXPECT_THAT(OrderOf("id up"),
              testing::StartsWith("sort order, character 4: found 'up', expected"));
  EXPECT_EQ(OrderOf("id, id desc"), "sort order: identity of column 'id' stands twice");
  EXPECT_THAT(OrderOf("l"), testing::HasSubstr("not defined for type list<int>"));
  EXPECT_THAT(OrderOf("l.element"), testing::HasSubstr("lies in a list or a map"));
  EXPECT_THAT(OrderOf("x"), testing::HasSubstr("there is no column 'x'"));
}

TEST(LayoutTextTest, WhatIsWrittenIsReadAgain) {
  const auto terms = ParsePartitionText("days(ts), bucket(16, id) as `b c`, s.`y.z`, void(d)");
  ASSERT_THAT(terms, IsOk());
  for (const PartitionTerm& term : *terms) {
    EXPECT_THAT(ParsePartitionFieldText(FormatPartitionTerm(term)), IsOkAnd(term));
  }
  const auto order = ParseSortOrderText("id desc, truncate(3, name) nulls last");
  ASSERT_THAT(order, IsOk());
  for (const SortTerm& term : *order) {
    EXPECT_THAT(ParseSortOrderText(FormatSortTerm(term)), IsOkAnd(ElementsAre(term)));
  }
}

TEST(LayoutTextTest, NamesAddedFieldsWithTheWidthOfTheirTransform) {
  const Transform bucket{.kind = TransformKind::kBucket, .width = 16, .text = ""};
  const Transform truncate{.kind = TransformKind::kTruncate, .width = 4, .text = ""};
  EXPECT_EQ(DefaultPartitionName("s.x", bucket, PartitionNaming::kAdded), "s.x_bucket_16");
  EXPECT_EQ(DefaultPartitionName("s.x", bucket, PartitionNaming::kNewTable), "s.x_bucket");
  EXPECT_EQ(DefaultPartitionName("a", truncate, PartitionNaming::kAdded), "a_trunc_4");
  EXPECT_EQ(DefaultPartitionName("a", {.kind = TransformKind::kVoid, .width = 0, .text = ""},
                                 PartitionNaming::kAdded),
            "a_null");
}

}  // namespace
}  // namespace firn
