#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/data/write/writer.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

SortOrder OrderBy(int32_t order_id, std::vector<SortField> fields) {
  return {.order_id = order_id, .fields = std::move(fields)};
}

class SortedWriteTest : public testing::Test {
 protected:
  SortedWriteTest()
      : table_({Optional(1, "id", Primitive(TypeId::kInt)),
                Optional(2, "name", Primitive(TypeId::kString))}) {
    table_.metadata().sort_orders.push_back(
        OrderBy(3, {{.source_ids = {1}, .is_descending = true}}));
    table_.metadata().default_sort_order_id = 3;
  }

  Result<std::vector<DataFile>> Write(std::vector<StructValue> rows) {
    FIRN_ASSIGN(const DataWriteOptions options, TableWriteOptions(table_.metadata()));
    const SchemaPtr schema = options.schema;
    return WriteDataFiles(table_.write_context(), options,
                          *MakeRowStream(schema->as_struct(), std::move(rows)));
  }

  std::vector<std::string> RowsOf(const DataFile& file) {
    FileScanTask task;
    task.file = file;
    const auto rows = table_.Read({task}, {}, "", /*is_ordered=*/true);
    EXPECT_THAT(rows, IsOk());
    return rows.ok() ? *rows : std::vector<std::string>();
  }

  RowTable table_;
};

TEST_F(SortedWriteTest, SortsRowsByTheTablesOrderAndSaysSo) {
  const auto files = Write({Row({1, "a"}), Row({3, "c"}), Row({{}, "n"}), Row({2, "b"})});

  ASSERT_THAT(files, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*files)[0].sort_order_id, 3);
  EXPECT_THAT(RowsOf((*files)[0]),
              ElementsAre(R"({"id":null,"name":"n"})", R"({"id":3,"name":"c"})",
                          R"({"id":2,"name":"b"})", R"({"id":1,"name":"a"})"));
}

TEST_F(SortedWriteTest, LeavesRowsAsTheyComeIfTheTableIsUnsorted) {
  table_.metadata().default_sort_order_id = 0;
  const auto files = Write({Row({1, "a"}), Row({3, "c"}), Row({2, "b"})});

  ASSERT_THAT(files, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*files)[0].sort_order_id, std::nullopt);
  EXPECT_THAT(RowsOf((*files)[0]), ElementsAre(R"({"id":1,"name":"a"})", R"({"id":3,"name":"c"})",
                                               R"({"id":2,"name":"b"})"));
}

TEST_F(SortedWriteTest, ClaimsNoOrderWhoseTransformItCannotCompute) {
  table_.metadata().sort_orders.back().fields[0].transform = *ParseTransform("hilbert");
  const auto files = Write({Row({1, "a"}), Row({3, "c"})});

  ASSERT_THAT(files, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*files)[0].sort_order_id, std::nullopt);
}

TEST_F(SortedWriteTest, FilesThatFollowOneAnotherDoNotOverlap) {
  table_.metadata().properties["write.target-file-size-bytes"] = "100000";
  table_.metadata().properties["write.parquet.row-group-size-bytes"] = "50000";
  std::vector<StructValue> rows;
  for (int i = 0; i < 200000; ++i) {
    const int id = i * 7919 % 200000;
    rows.push_back(Row({id, "name " + std::to_string(id)}));
  }
  const auto files = Write(std::move(rows));

  ASSERT_THAT(files, IsOkAnd(SizeIs(testing::Gt(3U))));
  std::optional<int32_t> least;
  for (const DataFile& file : *files) {
    const Type& type = *Primitive(TypeId::kInt);
    const auto bound = [&](const FieldMap<std::string>& bounds) {
      return FromBoundBytes(AsBytes(*FindInFieldMap(bounds, 1)), type).get<int32_t>();
    };
    const int32_t greatest = bound(file.metrics.upper_bounds);
    EXPECT_TRUE(!least || greatest < *least) << greatest;
    least = bound(file.metrics.lower_bounds);
  }
}

TEST_F(SortedWriteTest, SortsWithinPartitions) {
  table_.metadata().partition_specs[0] = std::make_shared<const PartitionSpec>(
      PartitionSpec{.fields = {{.source_ids = {2}, .field_id = 1000, .name = "name"}}});
  const auto files = Write({Row({1, "a"}), Row({2, "b"}), Row({3, "a"}), Row({4, "b"})});

  ASSERT_THAT(files, IsOkAnd(SizeIs(2)));
  EXPECT_THAT(RowsOf((*files)[0]), ElementsAre(R"({"id":3,"name":"a"})", R"({"id":1,"name":"a"})"));
  EXPECT_THAT(RowsOf((*files)[1]), ElementsAre(R"({"id":4,"name":"b"})", R"({"id":2,"name":"b"})"));
  EXPECT_EQ((*files)[1].sort_order_id, 3);
}

TEST_F(SortedWriteTest, WritesOneFileForEachOfManyPartitions) {
  constexpr int kPartitions = 700;
  table_.metadata().default_sort_order_id = 0;
  table_.metadata().partition_specs[0] = std::make_shared<const PartitionSpec>(
      PartitionSpec{.fields = {{.source_ids = {1}, .field_id = 1000, .name = "id"}}});
  std::vector<StructValue> rows;
  for (int i = 0; i < 20 * kPartitions; ++i)
    rows.push_back(Row({i % kPartitions, std::to_string(i)}));
  const auto files = Write(std::move(rows));

  ASSERT_THAT(files, IsOk());
  std::map<int32_t, int64_t> rows_of_partition;
  std::map<int32_t, int> files_of_partition;
  for (const DataFile& file : *files) {
    const auto partition = file.partition.fields[0].get<int32_t>();
    rows_of_partition[partition] += file.record_count;
    ++files_of_partition[partition];
  }
  ASSERT_THAT(rows_of_partition, SizeIs(kPartitions));
  for (const auto& [partition, count] : rows_of_partition)
    EXPECT_EQ(count, 20);
  // One more for the rows that came before there were many.
  for (const auto& [partition, count] : files_of_partition)
    EXPECT_LE(count, 2);
}

TEST_F(SortedWriteTest, RefusesADistributionModeThatItDoesNotKnow) {
  table_.metadata().properties["write.distribution-mode"] = "random";
  EXPECT_THAT(Write({}), IsError(ErrorCode::kInvalidInput,
                                 "'write.distribution-mode' is 'random', expected none, hash"));
}

}  // namespace
}  // namespace firn
