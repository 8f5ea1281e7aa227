#include "firn/format/metadata/column_properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/evolution/evolution_testing_internal.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(ColumnPropertiesTest, MetricsModesNameColumnsThatAreThere) {
  const auto schema = ParseSchemaText("id int, s struct<x: int>");
  EXPECT_THAT(CheckColumnProperties({{"write.metadata.metrics.column.s.x", "full"},
                                     {"write.metadata.metrics.default", "none"},
                                     {"write.parquet.bloom-filter-enabled.column.no", "true"}},
                                    *schema),
              IsOk());
  EXPECT_THAT(CheckColumnProperties({{"write.metadata.metrics.column.ID", "full"}}, *schema),
              IsError(ErrorCode::kInvalidInput,
                      "property 'write.metadata.metrics.column.ID': there is no column 'ID' (did "
                      "you mean 'id'?)"));
}

PropertyChange Follow(const Properties& properties, const TableMetadata& table,
                      std::vector<SchemaChange> changes) {
  const auto after = EvolveSchema(table, changes);
  EXPECT_THAT(after, IsOk());
  const auto change = FollowSchemaChange(properties, *table.current_schema(), *after);
  EXPECT_THAT(change, IsOk());
  return change.ok() ? *change : PropertyChange();
}

TEST(ColumnPropertiesTest, FollowTheirColumnsOrGoWithThem) {
  const auto table = MakeEvolvingTable({"a int, b int, c int, s struct<x: int, y: int>"});
  const Properties properties = {{"write.metadata.metrics.column.a", "full"},
                                 {"write.metadata.metrics.column.b", "none"},
                                 {"write.metadata.metrics.column.c", "counts"},
                                 {"write.parquet.bloom-filter-enabled.column.s.x", "true"},
                                 {"other", "kept"}};
  const auto change =
      Follow(properties, table, {RenameColumn{"a", "a2"}, DropColumn{"b"}, RenameColumn{"s", "t"}});
  EXPECT_THAT(
      change.removals,
      UnorderedElementsAre("write.metadata.metrics.column.a", "write.metadata.metrics.column.b",
                           "write.parquet.bloom-filter-enabled.column.s.x"));
  EXPECT_THAT(change.updates,
              UnorderedElementsAre(Pair("write.metadata.metrics.column.a2", "full"),
                                   Pair("write.parquet.bloom-filter-enabled.column.t.x", "true")));
}

TEST(ColumnPropertiesTest, SwappedColumnsSwapTheirProperties) {
  const auto table = MakeEvolvingTable({"a int, b int"});
  const auto change = Follow(
      {{"write.metadata.metrics.column.a", "full"}, {"write.metadata.metrics.column.b", "none"}},
      table, {RenameColumn{"a", "t"}, RenameColumn{"b", "a"}, RenameColumn{"t", "b"}});
  EXPECT_THAT(change.removals, ElementsAre());
  EXPECT_THAT(change.updates,
              UnorderedElementsAre(Pair("write.metadata.metrics.column.a", "none"),
                                   Pair("write.metadata.metrics.column.b", "full")));
}

TEST(ColumnPropertiesTest, TheNameMappingLearnsNewColumnsAndNewNames) {  // B102
  const auto table = MakeEvolvingTable({"a int, s struct<x: int>"});
  const std::string mapping = FormatNameMapping(MakeNameMapping(*table.current_schema()));
  const auto change = Follow({{"schema.name-mapping.default", mapping}}, table,
                             {RenameColumn{"a", "b"}, MakeAddColumn("s.y int")});
  ASSERT_THAT(change.updates, testing::SizeIs(1));
  const auto updated = ParseNameMapping(change.updates.begin()->second);
  ASSERT_THAT(updated, IsOk());
  EXPECT_EQ(FindMappedField(updated->fields, "a")->field_id, 1);
  EXPECT_EQ(FindMappedField(updated->fields, "b")->field_id, 1);
  EXPECT_EQ(FindMappedField(FindMappedField(updated->fields, "s")->fields, "y")->field_id, 4);
}

TEST(ColumnPropertiesTest, AnUnreadableNameMappingStopsTheChange) {
  const auto table = MakeEvolvingTable({"a int"});
  const auto after = EvolveSchema(table, std::vector<SchemaChange>{MakeAddColumn("b int")});
  ASSERT_THAT(after, IsOk());
  EXPECT_THAT(
      FollowSchemaChange({{"schema.name-mapping.default", "[{"}}, *table.current_schema(), *after),
      IsError(ErrorCode::kInvalidInput, "correct or unset it before"));
}

}  // namespace
}  // namespace firn
