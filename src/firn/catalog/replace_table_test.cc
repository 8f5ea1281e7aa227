#include <gmock/gmock.h>

#include "firn/catalog/table_evolution.h"
#include "firn/format/layout/layout_text.h"
#include "firn/format/schema/schema_text.h"
#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::SizeIs;

CreateTableRequest RequestOf(std::string_view schema, std::string_view partition = "",
                             std::string_view sort = "", int version = 2) {
  CreateTableRequest request;
  request.schema = *ParseSchemaText(schema);
  request.spec = *MakePartitionSpec(*ParsePartitionText(partition), request.schema);
  request.sort_order = *MakeSortOrder(*ParseSortOrderText(sort), request.schema);
  request.format_version = version;
  return request;
}

// A table of (1: id long, 2: cat string).
class ReplaceTableTest : public testing::TestWithParam<int> {
 protected:
  ReplaceTableTest() : table_({.format_version = GetParam(), .is_partitioned = true}) {
    table_.Add({table_.MakeDataFile("a")});
  }

  TableMetadata Replace(CreateTableRequest request) {
    const Table before = table_.Load();
    const auto updates = PlanReplaceTable(*before.metadata, request);
    EXPECT_THAT(updates, IsOk());
    const auto after = table_.catalog().Commit(
        table_.name(), MakeRequirements(*before.metadata, *updates), *updates);
    EXPECT_THAT(after, IsOk());
    return *after->metadata;
  }

  TestTable table_;
};

INSTANTIATE_TEST_SUITE_P(Versions, ReplaceTableTest, testing::Values(1, 2, 3));

TEST_P(ReplaceTableTest, TheTableIsEmptyAndItsHistoryIsThere) {
  const Table before = table_.Load();
  table_.SetRef("keep", *before.metadata->current_snapshot_id, RefType::kTag);
  const TableMetadata after = Replace(RequestOf("x int", "", "", GetParam()));
  EXPECT_EQ(after.table_uuid, before.metadata->table_uuid);
  EXPECT_EQ(after.location, before.metadata->location);
  EXPECT_FALSE(after.current_snapshot_id.has_value());
  EXPECT_THAT(after.snapshots, SizeIs(1));
  EXPECT_THAT(after.snapshot_log, SizeIs(1));
  EXPECT_THAT(after.refs, Contains(Key("keep")));
  EXPECT_THAT(after.schemas, SizeIs(2));
  EXPECT_EQ(after.format_version, GetParam());
}

TEST_P(ReplaceTableTest, ColumnsOfTheSameNameKeepTheirIdsAndOthersGetNewOnes) {
  TableMetadata after = Replace(RequestOf("cat string, day date, id bigint", "", "", GetParam()));
  EXPECT_EQ(after.current_schema()->FindField("cat")->id, 2);
  EXPECT_EQ(after.current_schema()->FindField("day")->id, 3);
  EXPECT_EQ(after.current_schema()->FindField("id")->id, 1);
  // An id that was given once is never given to another column.
  after = Replace(RequestOf("id bigint", "", "", GetParam()));
  after = Replace(RequestOf("id bigint, day date", "", "", GetParam()));
  EXPECT_EQ(after.current_schema()->FindField("day")->id, 4);
  EXPECT_EQ(after.last_column_id, 4);
}

TEST_P(ReplaceTableTest, ATypeThatOldFilesCannotBeReadAsGetsANewId) {
  const TableMetadata after = Replace(RequestOf("id string, cat string", "", "", GetParam()));
  EXPECT_EQ(after.current_schema()->FindField("id")->id, 3);
  EXPECT_EQ(after.current_schema()->FindField("cat")->id, 2);
}

TEST_P(ReplaceTableTest, PartitionsAndOrderAreThoseThatAreAskedFor) {
  const TableMetadata after =
      Replace(RequestOf("id bigint, cat string", "bucket(4, id)", "id desc", GetParam()));
  const PartitionSpec& spec = *after.default_spec();
  EXPECT_EQ(spec.fields.back().transform.kind, TransformKind::kBucket);
  // In version 1 the place of the old field stays, void.
  ASSERT_THAT(spec.fields, SizeIs(GetParam() == 1 ? 2 : 1));
  if (GetParam() == 1) {
    EXPECT_EQ(spec.fields[0].transform.kind, TransformKind::kVoid);
  }
  EXPECT_EQ(spec.fields.back().field_id, 1001);
  EXPECT_THAT(after.FindSortOrder(after.default_sort_order_id)->fields, SizeIs(1));

  const TableMetadata again = Replace(RequestOf("id bigint, cat string", "cat", "", GetParam()));
  EXPECT_EQ(again.default_sort_order_id, 0);
  EXPECT_EQ(again.default_spec()->fields[0].field_id, 1000);
}

TEST_P(ReplaceTableTest, PropertiesThatAreNotNamedStayButForThoseOfGoneColumns) {
  const std::vector<TableUpdate> set = {
      SetProperties{{{"owner", "sales"}, {"write.metadata.metrics.column.id", "full"}}}};
  ASSERT_THAT(table_.catalog().Commit(table_.name(), {}, set), IsOk());
  CreateTableRequest request = RequestOf("cat string", "", "", GetParam());
  request.properties = {{"note", "new"}};
  const TableMetadata after = Replace(request);
  EXPECT_EQ(after.properties.at("owner"), "sales");
  EXPECT_EQ(after.properties.at("note"), "new");
  EXPECT_THAT(after.properties, Not(Contains(Key("write.metadata.metrics.column.id"))));
}

TEST_P(ReplaceTableTest, TheVersionMayOnlyRise) {
  const TableMetadata after = Replace(RequestOf("id bigint", "", "", 3));
  EXPECT_EQ(after.format_version, 3);
  EXPECT_THAT(PlanReplaceTable(after, RequestOf("id bigint", "", "", 2)),
              IsError(ErrorCode::kInvalidInput, "cannot be lowered to 2"));
}

TEST_P(ReplaceTableTest, RowsOfTheNewTableHaveNoParent) {
  Replace(RequestOf("id bigint, cat string", "", "", GetParam()));
  AppendFilesRequest append;
  DataFile file = table_.MakeDataFile("b");
  file.partition_spec_id = table_.Load().metadata->default_spec_id;
  file.partition.fields.resize(GetParam() > 1 ? 0 : 1);  // The place of the old field.
  append.data_files = {file};
  ASSERT_THAT(CommitAppendFiles(table_.context(), table_.Load(), append), IsOk());
  const Table after = table_.Load();
  EXPECT_FALSE(after.metadata->current_snapshot()->parent_snapshot_id.has_value());
  EXPECT_EQ(after.metadata->current_snapshot()->summary.Find("total-data-files"), "1");
}

}  // namespace
}  // namespace firn
