#include "firn/catalog/table_evolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/schema/schema_text.h"
#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> Actions(const std::vector<TableUpdate>& updates) {
  std::vector<std::string> actions;
  for (const TableUpdate& update : updates)
    actions.emplace_back(UpdateAction(update));
  return actions;
}

std::vector<std::string> Types(const std::vector<TableRequirement>& requirements) {
  std::vector<std::string> types;
  for (const TableRequirement& requirement : requirements)
    types.emplace_back(RequirementType(requirement));
  return types;
}

SchemaChange Add(std::string_view text) {
  const auto column = ParseColumnText(text);
  EXPECT_THAT(column, IsOk());
  AddColumn change;
  change.path = column->path;
  change.type = column->column.type;
  return change;
}

std::vector<SchemaChange> One(SchemaChange change) { return {std::move(change)}; }

TEST(PlanSchemaChangeTest, AddsASchemaAndTakesPropertiesAlong) {
  TestTable table({.properties = {{"write.metadata.metrics.column.cat", "full"}}});
  const TableMetadata metadata = *table.Load().metadata;
  const auto added = PlanSchemaChange(metadata, One(Add("x int")));
  ASSERT_THAT(added, IsOk());
  EXPECT_THAT(Actions(*added), ElementsAre("add-schema", "set-current-schema"));
  const auto renamed = PlanSchemaChange(metadata, One(RenameColumn{"cat", "kind"}));
  ASSERT_THAT(renamed, IsOk());
  EXPECT_THAT(Actions(*renamed), ElementsAre("add-schema", "set-current-schema",
                                             "remove-properties", "set-properties"));
  const auto next = ApplyUpdates(&metadata, "", *renamed, Timestamp());
  ASSERT_THAT(next, IsOk());
  EXPECT_EQ(next->Property("write.metadata.metrics.column.kind", ""), "full");
  EXPECT_FALSE(next->properties.contains("write.metadata.metrics.column.cat"));
  EXPECT_EQ(next->current_schema_id, 1);
}

TEST(PlanSchemaChangeTest, NothingChangedIsNoUpdate) {
  TestTable table;
  const TableMetadata metadata = *table.Load().metadata;
  EXPECT_THAT(PlanSchemaChange(metadata, One(RenameColumn{"cat", "cat"})),
              IsOkAnd(testing::IsEmpty()));
  EXPECT_THAT(PlanSortOrder(metadata, {}), IsOkAnd(testing::IsEmpty()));
  EXPECT_THAT(PlanPartitionChange(metadata, {}), IsOkAnd(testing::IsEmpty()));
  EXPECT_THAT(PlanUpgrade(metadata, 2, table.random()), IsOkAnd(testing::IsEmpty()));
}

TEST(PlanPartitionChangeTest, AnEarlierSpecComesBackWithItsId) {
  TestTable table({.is_partitioned = true});
  const TableMetadata first = *table.Load().metadata;
  const PartitionTerm cat{"cat", {}, std::nullopt};
  const auto dropped =
      PlanPartitionChange(first, std::vector<PartitionChange>{DropPartitionField{cat}});
  ASSERT_THAT(dropped, IsOk());
  EXPECT_THAT(Actions(*dropped), ElementsAre("add-spec", "set-default-spec"));
  const auto second = ApplyUpdates(&first, "", *dropped, Timestamp());
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->default_spec_id, 1);
  const auto added =
      PlanPartitionChange(*second, std::vector<PartitionChange>{AddPartitionField{cat}});
  ASSERT_THAT(added, IsOk());
  const auto third = ApplyUpdates(&*second, "", *added, Timestamp());
  ASSERT_THAT(third, IsOk());
  EXPECT_EQ(third->default_spec_id, 0);
  EXPECT_EQ(third->partition_specs.size(), 2U);
}

TEST(PlanSortOrderTest, AnEarlierOrderComesBackWithItsId) {
  TestTable table;
  TableMetadata metadata = *table.Load().metadata;
  for (const auto& [text, id] : {std::pair("id", 1), {"id desc", 2}, {"", 0}, {"id", 1}}) {
    const auto updates = PlanSortOrder(metadata, *ParseSortOrderText(text));
    ASSERT_THAT(updates, IsOk());
    EXPECT_THAT(Actions(*updates), ElementsAre("add-sort-order", "set-default-sort-order"));
    metadata = *ApplyUpdates(&metadata, "", *updates, Timestamp());
    EXPECT_EQ(metadata.default_sort_order_id, id) << text;
  }
}

TEST(PlanUpgradeTest, RaisesTheVersionAndNeverLowersIt) {
  TestTable table({.format_version = 1});
  TableMetadata metadata = *table.Load().metadata;
  metadata.table_uuid.clear();  // As old writers left it.
  const auto updates = PlanUpgrade(metadata, 3, table.random());
  ASSERT_THAT(updates, IsOk());
  EXPECT_THAT(Actions(*updates), ElementsAre("assign-uuid", "upgrade-format-version"));
  const auto upgraded = ApplyUpdates(&metadata, "", *updates, Timestamp());
  ASSERT_THAT(upgraded, IsOk());
  EXPECT_EQ(upgraded->format_version, 3);
  EXPECT_EQ(upgraded->next_row_id, 0);
  EXPECT_EQ(upgraded->table_uuid.size(), 36U);
  EXPECT_THAT(PlanUpgrade(*upgraded, 2, table.random()),
              IsError(ErrorCode::kInvalidInput, "cannot be lowered to 2"));
  EXPECT_THAT(PlanUpgrade(*upgraded, 4, table.random()),
              IsError(ErrorCode::kUnsupported, "firn writes 1 to 3"));
}

TEST(PlanSetPropertiesTest, FormatVersionIsNoPropertyAndMetricsNameColumns) {
  TestTable table;
  const TableMetadata metadata = *table.Load().metadata;
  const auto updates =
      PlanSetProperties(metadata, {{"format-version", "3"}, {"a", "b"}}, table.random());
  ASSERT_THAT(updates, IsOk());
  EXPECT_THAT(Actions(*updates), ElementsAre("upgrade-format-version", "set-properties"));
  EXPECT_THAT(PlanSetProperties(metadata, {{"format-version", "x"}}, table.random()),
              IsError(ErrorCode::kInvalidInput, "expected a number"));
  EXPECT_THAT(
      PlanSetProperties(metadata, {{"write.metadata.metrics.column.no", "full"}}, table.random()),
      IsError(ErrorCode::kInvalidInput, "there is no column 'no'"));
}

// As Java's UpdateRequirements, each once.
TEST(MakeRequirementsTest, AssertWhatTheUpdatesCountOn) {
  TestTable table;
  const auto snapshot = table.Add({table.MakeDataFile("a.parquet")});
  table.SetRef("audit", snapshot.snapshot_id);
  table.SetRef("v1", snapshot.snapshot_id, RefType::kTag);
  const TableMetadata metadata = *table.Load().metadata;
  const auto types = [&](const std::vector<TableUpdate>& updates) {
    return Types(MakeRequirements(metadata, updates));
  };
  EXPECT_THAT(types({SetProperties{}, AddSortOrder{}, UpgradeFormatVersion{3}}),
              ElementsAre("assert-table-uuid"));
  EXPECT_THAT(types({AddSchema{}, AddSchema{}, SetCurrentSchema{}}),
              ElementsAre("assert-table-uuid", "assert-last-assigned-field-id",
                          "assert-current-schema-id"));
  EXPECT_THAT(types({AddPartitionSpec{}, SetDefaultSpec{}}),
              ElementsAre("assert-table-uuid", "assert-last-assigned-partition-id",
                          "assert-default-spec-id"));
  EXPECT_THAT(types({SetDefaultSortOrder{}}),
              ElementsAre("assert-table-uuid", "assert-default-sort-order-id"));
  EXPECT_THAT(types({RemovePartitionSpecs{}}),
              ElementsAre("assert-table-uuid", "assert-default-spec-id", "assert-ref-snapshot-id",
                          "assert-ref-snapshot-id"));
  EXPECT_THAT(types({RemoveSchemas{}}),
              ElementsAre("assert-table-uuid", "assert-current-schema-id", "assert-ref-snapshot-id",
                          "assert-ref-snapshot-id"));
  EXPECT_THAT(types({RemoveSnapshots{}}),
              ElementsAre("assert-table-uuid", "assert-ref-snapshot-id", "assert-ref-snapshot-id",
                          "assert-ref-snapshot-id"));

  // Rows might be partitioned or sorted by a column that goes, from then on.
  const auto without_cat = std::make_shared<const Schema>(
      1, std::vector<NestedField>{metadata.current_schema()->fields().front()});
  EXPECT_THAT(types({AddSchema{without_cat}}),
              ElementsAre("assert-table-uuid", "assert-last-assigned-field-id",
                          "assert-default-spec-id", "assert-default-sort-order-id"));

  const auto refs = MakeRequirements(
      metadata, std::vector<TableUpdate>{SetSnapshotRef{"audit", {}}, SetSnapshotRef{"new", {}},
                                         SetSnapshotRef{"audit", {}}});
  ASSERT_THAT(Types(refs),
              ElementsAre("assert-table-uuid", "assert-ref-snapshot-id", "assert-ref-snapshot-id"));
  EXPECT_EQ(std::get<AssertRefSnapshotId>(refs[1]).snapshot_id, snapshot.snapshot_id);
  EXPECT_EQ(std::get<AssertRefSnapshotId>(refs[2]).snapshot_id, std::nullopt);
}

}  // namespace
}  // namespace firn
