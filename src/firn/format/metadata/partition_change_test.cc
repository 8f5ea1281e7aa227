#include "firn/format/metadata/partition_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/evolution/evolution_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AddPartitionField Add(std::string_view text) { return {*ParsePartitionFieldText(text)}; }
DropPartitionField Drop(std::string_view text) { return {*ParsePartitionFieldText(text)}; }

std::vector<std::string> Evolve(const TableMetadata& metadata,
                                std::vector<PartitionChange> changes) {
  return SpecToText(EvolvePartitionSpec(metadata, changes));
}

TableMetadata Evolved(const TableMetadata& metadata, std::vector<PartitionChange> changes) {
  const auto spec = EvolvePartitionSpec(metadata, changes);
  EXPECT_THAT(spec, IsOk());
  return spec.ok() ? WithSpec(metadata, *spec) : metadata;
}

constexpr std::string_view kSchema = "id bigint, name string, ts timestamp, s struct<x: int>";

TEST(EvolvePartitionSpecTest, AddedFieldsGetTheNextIdAndSparksName) {
  const auto table = MakeEvolvingTable({kSchema, 2, "days(ts)"});
  EXPECT_THAT(Evolve(table, {Add("bucket(16, id)"), Add("truncate(4, name)"), Add("s.x as sx")}),
              ElementsAre("1000 ts_day day 3", "1001 id_bucket_16 bucket[16] 1",
                          "1002 name_trunc_4 truncate[4] 2", "1003 sx identity 5"));
}

TEST(EvolvePartitionSpecTest, Version2DropsAFieldAndBringsItBackWithItsId) {
  auto table = MakeEvolvingTable({kSchema, 2, "bucket(16, id) as b, days(ts)"});
  table = Evolved(table, {Drop("b")});
  EXPECT_THAT(SpecToText(*table.default_spec()), ElementsAre("1001 ts_day day 3"));
  table = Evolved(table, {Add("bucket(8, id)")});
  EXPECT_THAT(SpecToText(*table.default_spec()),
              ElementsAre("1001 ts_day day 3", "1002 id_bucket_8 bucket[8] 1"));
  // Under its old name unless another one is asked for, which is another field then.
  EXPECT_THAT(
      Evolve(table, {Add("bucket(16, id)")}),
      ElementsAre("1001 ts_day day 3", "1002 id_bucket_8 bucket[8] 1", "1000 b bucket[16] 1"));
  EXPECT_THAT(
      Evolve(table, {Add("bucket(16, id) as c")}),
      ElementsAre("1001 ts_day day 3", "1002 id_bucket_8 bucket[8] 1", "1003 c bucket[16] 1"));
}

TEST(EvolvePartitionSpecTest, Version1KeepsADroppedFieldAsVoid) {
  auto table = MakeEvolvingTable({kSchema, 1, "bucket(16, id) as b, days(ts)"});
  table = Evolved(table, {Drop("b")});
  EXPECT_THAT(SpecToText(*table.default_spec()), ElementsAre("1000 b void 1", "1001 ts_day day 3"));
  EXPECT_THAT(Evolve(table, {Add("bucket(16, id)")}),
              ElementsAre("1000 b void 1", "1001 ts_day day 3", "1002 id_bucket_16 bucket[16] 1"));
  // The void field hands its name over.
  EXPECT_THAT(Evolve(table, {Add("bucket(16, id) as b")}),
              ElementsAre("1000 b_1000 void 1", "1001 ts_day day 3", "1002 b bucket[16] 1"));
  EXPECT_THAT(Evolve(table, {Drop("b")}), ElementsAre(HasSubstr("was dropped before")));
}

TEST(EvolvePartitionSpecTest, AVoidFieldLeavesOnceTheTableIsOfVersion2) {
  auto table = MakeEvolvingTable({kSchema, 1, "bucket(16, id) as b, days(ts)"});
  table = Evolved(table, {Drop("b")});
  table.format_version = 2;
  EXPECT_THAT(Evolve(table, {Drop("b")}), ElementsAre("1001 ts_day day 3"));
}

TEST(EvolvePartitionSpecTest, AddingWhatWasJustDroppedUndoesThat) {
  const auto table = MakeEvolvingTable({kSchema, 1, "days(ts), name"});
  EXPECT_THAT(Evolve(table, {Drop("days(ts)"), Add("days(ts)")}),
              ElementsAre("1000 ts_day day 3", "1001 name identity 2"));
  EXPECT_THAT(Evolve(table, {Drop("days(ts)"), Add("days(ts) as d")}),
              ElementsAre("1000 d day 3", "1001 name identity 2"));
}

TEST(EvolvePartitionSpecTest, AFieldIsReplacedUnderTheSameName) {
  const auto table = MakeEvolvingTable({kSchema, 2, "days(ts) as t"});
  EXPECT_THAT(Evolve(table, {Drop("t"), Add("hours(ts) as t")}), ElementsAre("1001 t hour 3"));
  const auto old_table = MakeEvolvingTable({kSchema, 1, "days(ts) as t"});
  EXPECT_THAT(Evolve(old_table, {Drop("t"), Add("hours(ts) as t")}),
              ElementsAre("1000 t_1000 void 3", "1001 t hour 3"));
}

TEST(EvolvePartitionSpecTest, FieldsAreFoundByNameOrByTransform) {
  const auto table = MakeEvolvingTable({kSchema, 2, "days(ts), name, bucket(4, id) as b"});
  EXPECT_THAT(Evolve(table, {Drop("ts_day"), Drop("identity(name)"), Drop("bucket(4, id)")}),
              ElementsAre());
  EXPECT_THAT(Evolve(table, {RenamePartitionField{"b", "c"}}),
              ElementsAre("1000 ts_day day 3", "1001 name identity 2", "1002 c bucket[4] 1"));
  EXPECT_THAT(Evolve(table, {Drop("ts_dey")}),
              ElementsAre(HasSubstr("there is no partition field 'ts_dey' (did you mean "
                                    "'ts_day'?); the fields are ts_day, name, b")));
  EXPECT_THAT(Evolve(table, {Drop("bucket(8, id)")}),
              ElementsAre(HasSubstr("there is no partition field 'bucket(8, id)'")));
}

TEST(EvolvePartitionSpecTest, RefusesWhatTheSpecForbids) {
  const auto table = MakeEvolvingTable({kSchema, 2, "days(ts), bucket(4, id) as b"});
  const std::pair<const char*, const char*> kForbidden[] = {
      {"days(ts) as d", "partition field 'ts_day' holds day of column 'ts' already"},
      {"hours(ts)", "column 'ts' has a time field already, 'ts_day'"},
      {"truncate(2, name) as b", "there is a partition field 'b' already"},
      {"truncate(2, name) as id", "is called like a column whose values it does not hold"},
      {"hours(id)", "hour is not defined for type long"},
      {"s", "expected a primitive"},
      {"nothing", "there is no column 'nothing'"}};
  for (const auto& [text, problem] : kForbidden) {
    EXPECT_THAT(Evolve(table, {Add(text)}), ElementsAre(HasSubstr(problem))) << text;
  }
  EXPECT_THAT(Evolve(table, {Add("nothing"), Drop("x")}),
              ElementsAre(testing::AllOf(HasSubstr("2 changes are refused: there is no column"),
                                         HasSubstr("; there is no partition field 'x'"))));
}

TEST(EvolvePartitionSpecTest, WhatAnotherWriterAllowedItselfDoesNotStandInTheWay) {
  // Java lets a table be partitioned by the day and by the hour of one column.
  auto table = MakeEvolvingTable({kSchema, 2, "days(ts)"});
  PartitionSpec spec = *table.default_spec();
  spec.fields.push_back(
      {{3}, 1001, "ts_hour", {.kind = TransformKind::kHour, .width = 0, .text = ""}, {}});
  table.partition_specs = {std::make_shared<const PartitionSpec>(spec)};
  table.last_partition_id = 1001;
  EXPECT_THAT(SpecToText(*Evolved(table, {Add("name")}).default_spec()),
              ElementsAre("1000 ts_day day 3", "1001 ts_hour hour 3", "1002 name identity 2"));
}

}  // namespace
}  // namespace firn
