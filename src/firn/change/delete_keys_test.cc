#include "firn/change/delete_keys.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "firn/change/row_change_testing_internal.h"
#include "firn/data/data.h"
#include "firn/data/deletes/equality_delete_writer.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A table of (id long, kind string, x double, s struct<n int>).
class DeleteKeysTest : public RowChangeTest, public testing::WithParamInterface<int> {
 protected:
  void MakeTable(bool is_partitioned = false, int format_version = GetParam()) {
    CreateTableRequest create;
    const TypePtr inner = Type::Struct({Column(5, "n", TypeId::kInt)});
    create.schema = Schema(0, {Column(1, "id", TypeId::kLong),
                               Column(2, "kind", TypeId::kString),
                               Column(3, "x", TypeId::kDouble),
                               {.id = 4, .name = "s", .type = inner}});
    if (is_partitioned) {
      create.spec.fields.push_back({.source_ids = {2}, .field_id = 1000, .name = "kind"});
    }
    create.format_version = format_version;
    RowChangeTest::MakeTable(create);
  }

  void Append(const Pairs& rows) {
    std::vector<StructValue> values;
    for (const auto& [id, kind] : rows) {
      values.push_back({{Value(id), kind.empty() ? Value() : Value(kind), Value(0.5),
                         Value::Struct({static_cast<int32_t>(id)})}});
    }
    AppendValues(std::move(values));
  }

  Result<CommitResult> Delete(const std::vector<int32_t>& key_ids, std::vector<StructValue> keys) {
    const Table table = Load();
    FIRN_ASSIGN(const SchemaPtr schema, EqualityDeleteSchema(*table.metadata, key_ids));
    FIRN_ASSIGN(RowStream stream, MakeRowStream(schema->as_struct(), std::move(keys)));
    return DeleteKeys(context(), table, std::move(stream), {.key_ids = key_ids});
  }

  std::vector<std::string> Rows() { return RowChangeTest::Rows({"id", "kind"}); }

  std::vector<DataFile> DeleteFiles() {
    const Table table = Load();
    ScanOptions scan;
    scan.schema = table.metadata->current_schema();
    std::vector<DataFile> files;
    const auto tasks = PlanAllFiles(*io_, *table.metadata, scan, *executor_, {});
    for (const FileScanTask& task : *tasks) {
      for (const DeleteFilePtr& deletes : task.deletes)
        files.push_back(deletes->file);
    }
    return files;
  }
};

TEST_P(DeleteKeysTest, TakesOutRowsThatWereThereBefore) {
  MakeTable();
  Append({{1, "a"}, {2, "b"}, {3, "c"}});
  const auto committed = Delete({1}, {{{Value(int64_t{1})}}, {{Value(int64_t{3})}}});
  ASSERT_THAT(committed, IsOk());
  Append({{3, "new"}});

  EXPECT_THAT(Rows(), ElementsAre("2,b", "3,new"));
  const Snapshot* snapshot = committed->table.metadata->FindSnapshot(committed->snapshot_id);
  EXPECT_EQ(snapshot->operation, "delete");
  EXPECT_EQ(*snapshot->summary.Find("added-equality-deletes"), "2");
  const auto files = DeleteFiles();
  ASSERT_FALSE(files.empty());
  EXPECT_THAT(files[0].equality_ids, ElementsAre(1));
  EXPECT_EQ(files[0].record_count, 2);
}

TEST_P(DeleteKeysTest, AreWrittenWithBoundsThatLetScansSkipThem) {
  MakeTable();
  const Table table = Load();
  const SchemaPtr schema = *EqualityDeleteSchema(*table.metadata, {1});
  const auto files = WriteEqualityDeletes(
      context().WriteTo(table), {.equality_ids = {1}, .spec = table.metadata->default_spec()},
      *MakeRowStream(schema->as_struct(), {{{Value(int64_t{3})}}, {{Value(int64_t{1})}}}));
  ASSERT_THAT(files, IsOkAnd(testing::SizeIs(1)));
  const DataFile& file = (*files)[0];
  EXPECT_EQ(file.content, FileContent::kEqualityDeletes);
  EXPECT_EQ((*FindInFieldMap(file.metrics.lower_bounds, 1))[0], 1);
  EXPECT_EQ((*FindInFieldMap(file.metrics.upper_bounds, 1))[0], 3);
  EXPECT_EQ(*FindInFieldMap(file.metrics.value_counts, 1), 2);
}

TEST_P(DeleteKeysTest, MatchesNullsAndSeveralColumns) {
  MakeTable();
  Append({{1, "a"}, {1, ""}, {2, "a"}});
  ASSERT_THAT(Delete({1, 2}, {{{Value(int64_t{1}), Value()}}}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("1,a", "2,a"));
}

TEST_P(DeleteKeysTest, MatchesAFieldInsideAStruct) {
  MakeTable();
  Append({{1, "a"}, {2, "b"}});
  ASSERT_THAT(Delete({5}, {{{Value::Struct({2})}}}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("1,a"));
}

TEST_P(DeleteKeysTest, OfAKeyWithThePartitionApplyToThatPartitionAlone) {
  MakeTable(/*is_partitioned=*/true);
  Append({{1, "a"}, {1, "b"}, {2, "a"}});
  ASSERT_THAT(Delete({1, 2}, {{{Value(int64_t{1}), Value("a")}}}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("1,b", "2,a"));
  const auto files = DeleteFiles();
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].partition.fields[0], Value("a"));
}

TEST_P(DeleteKeysTest, OfAKeyWithoutThePartitionNeedAnUnpartitionedSpec) {
  MakeTable(/*is_partitioned=*/true);
  Append({{1, "a"}});
  EXPECT_THAT(Delete({1}, {{{Value(int64_t{1})}}}),
              IsError(ErrorCode::kInvalidInput, "add the partition columns to the key"));
}

TEST_P(DeleteKeysTest, WithoutKeysCommitNothing) {
  MakeTable();
  Append({{1, "a"}});
  const SnapshotId before = *Load().metadata->current_snapshot_id;
  EXPECT_THAT(Delete({1}, {}), IsOk());
  EXPECT_EQ(*Load().metadata->current_snapshot_id, before);
}

TEST_P(DeleteKeysTest, RefuseColumnsThatCannotBePartOfAKey) {
  MakeTable();
  EXPECT_THAT(Delete({3}, {}), IsError(ErrorCode::kInvalidInput, "'x' of type double"));
  EXPECT_THAT(Delete({4}, {}), IsError(ErrorCode::kInvalidInput, "'s' of type struct"));
  EXPECT_THAT(Delete({99}, {}), IsError(ErrorCode::kInvalidInput, "99 is not in the current"));
  EXPECT_THAT(Delete({}, {}), IsError(ErrorCode::kInvalidInput, "one key column"));
}

TEST_P(DeleteKeysTest, RefuseATableOfVersionOne) {
  MakeTable(false, 1);
  EXPECT_THAT(Delete({1}, {{{Value(int64_t{1})}}}),
              IsError(ErrorCode::kInvalidInput, "need format version 2"));
}

INSTANTIATE_TEST_SUITE_P(Versions, DeleteKeysTest, testing::Values(2, 3));

}  // namespace
}  // namespace firn
