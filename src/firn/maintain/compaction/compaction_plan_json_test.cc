#include "firn/maintain/compaction/compaction_plan_json.h"

#include <gmock/gmock.h>

#include "firn/base/text.h"
#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using ::testing::SizeIs;

class CompactionWorkTest : public testing::Test {
 protected:
  CompactionWorkTest() : table_({.is_partitioned = true}) {
    const DataFile a = table_.MakeDataFile("a 1.parquet", 10, "ä=/");
    table_.Add({a, table_.MakeDataFile("b.parquet", 10, "b"), table_.MakeDataFile("c.parquet"),
                table_.MakeDataFile("d.parquet", 20, "ä=/")});
    table_.Add({table_.MakePositionDeletes("p.parquet", a),
                table_.MakeEqualityDeletes("e.parquet", "ä=/")});
  }

  const TableMetadata& metadata() {
    loaded_ = table_.Load();
    return *loaded_.metadata;
  }

  CompactionWork Plan(RewriteOrder order = {}) {
    const auto options = ParseRewriteDataFilesOptions(metadata(), {{"rewrite-all", "true"}}, order);
    EXPECT_THAT(options, IsOk());
    const MaintainContext context{.commit = table_.context()};
    auto plan = PlanCompaction(context, loaded_, std::string(kMainBranch), nullptr, *options);
    EXPECT_THAT(plan, IsOk());
    return {*std::move(plan), std::move(order)};
  }

  Result<CompactionWork> Parse(const std::string& text) {
    return ParseCompactionWork(text, "plan.json", metadata());
  }

  /// The text of a plan with one part of it exchanged.
  std::string Changed(const std::string& from, const std::string& to) {
    std::string text = *FormatCompactionWork(Plan(), metadata());
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << text;
    return text.replace(at, from.size(), to);
  }

  TestTable table_;
  Table loaded_;
};

TEST_F(CompactionWorkTest, KeepsEverythingThatAGroupNeeds) {
  const auto order = ParseRewriteOrder(metadata(), "sort", "id DESC NULLS LAST");
  ASSERT_THAT(order, IsOk());
  const CompactionWork work = Plan(*order);
  ASSERT_THAT(work.plan.groups, SizeIs(3));

  const auto text = FormatCompactionWork(work, metadata());
  ASSERT_THAT(text, IsOk());
  const auto read = Parse(*text);

  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(*FormatCompactionWork(*read, metadata()), *text);
  EXPECT_EQ(read->order.strategy, RewriteOrder::Strategy::kSort);
  EXPECT_EQ(read->order.sort_order, work.order.sort_order);
  EXPECT_EQ(read->plan.starting_snapshot_id, work.plan.starting_snapshot_id);
  EXPECT_EQ(read->plan.starting_sequence_number, work.plan.starting_sequence_number);
  ASSERT_THAT(read->plan.groups, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) {
    const FileGroup& before = work.plan.groups[i];
    const FileGroup& after = read->plan.groups[i];
    EXPECT_EQ(after.index, before.index);
    EXPECT_EQ(after.output_spec_id, before.output_spec_id);
    EXPECT_EQ(after.partition->fields, before.partition->fields);
    EXPECT_EQ(after.partition_path, before.partition_path);
    EXPECT_EQ(after.input_bytes, before.input_bytes);
    EXPECT_EQ(after.expected_outputs, before.expected_outputs);
    EXPECT_EQ(after.split_bytes, before.split_bytes);
    ASSERT_THAT(after.inputs, SizeIs(before.inputs.size()));
    for (size_t k = 0; k < after.inputs.size(); ++k) {
      EXPECT_EQ(after.inputs[k].file.file_path, before.inputs[k].file.file_path);
      EXPECT_EQ(after.inputs[k].sequence_number, before.inputs[k].sequence_number);
      ASSERT_THAT(after.inputs[k].deletes, SizeIs(before.inputs[k].deletes.size()));
      ASSERT_NE(after.inputs[k].file.counted_columns, nullptr);
      EXPECT_EQ(*after.inputs[k].file.counted_columns, *before.inputs[k].file.counted_columns);
    }
  }
  // Both data files of the partition have the one equality delete file.
  const FileGroup& group = read->plan.groups[0];
  ASSERT_THAT(group.inputs[0].deletes, SizeIs(2));
  ASSERT_THAT(group.inputs[1].deletes, SizeIs(1));
  EXPECT_EQ(group.inputs[0].deletes.back(), group.inputs[1].deletes.back());
  EXPECT_THAT(read->plan.obsolete_deletes, SizeIs(2));
}

TEST_F(CompactionWorkTest, KeepsCurves) {
  const auto order = ParseRewriteOrder(metadata(), "sort", "zorder(id)");
  ASSERT_THAT(order, IsOk());
  const auto read = Parse(*FormatCompactionWork(Plan(*order), metadata()));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->order.strategy, RewriteOrder::Strategy::kZOrder);
  EXPECT_EQ(read->order.columns, order->columns);
  EXPECT_EQ(read->order.key_bytes_max, order->key_bytes_max);
  EXPECT_EQ(read->order.text_bytes, order->text_bytes);
}

TEST_F(CompactionWorkTest, RefusesThePlanOfAnotherTableOrVersion) {
  EXPECT_THAT(Parse(Changed(metadata().table_uuid, "11111111-2222-3333-4444-555555555555")),
              IsError(ErrorCode::kInvalidInput, "11111111-2222-3333-4444-555555555555"));
  EXPECT_THAT(Parse(Changed("\"format-version\":1", "\"format-version\":7")),
              IsError(ErrorCode::kInvalidInput, "format-version is 7, expected 1"));
}

TEST_F(CompactionWorkTest, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(Parse("{"), IsError(ErrorCode::kCorrupt, "plan.json"));
  EXPECT_THAT(Parse(Changed("\"strategy\":\"binpack\"", "\"strategy\":\"shuffle\"")),
              IsError(ErrorCode::kCorrupt, "order.strategy: strategy is 'shuffle'"));
  EXPECT_THAT(Parse(Changed("\"output-spec-id\":0", "\"output-spec-id\":9")),
              IsError(ErrorCode::kCorrupt, "groups[0]: output-spec-id is 9"));
  EXPECT_THAT(Parse(Changed("\"split-bytes\":", "\"split-bytes\":-")),
              IsError(ErrorCode::kCorrupt, "groups[0]: expected inputs, and split-bytes"));
  EXPECT_THAT(Parse(Changed("\"deletes\":[", "\"deletes\":[12,")),
              IsError(ErrorCode::kCorrupt, "plan.json: delete file 12 is referred to"));
  EXPECT_THAT(Parse(Changed("\"counted-columns\":", "\"counted-columns\":7")),
              IsError(ErrorCode::kCorrupt, "plan.json: counted-columns 70 are referred to"));
}

TEST_F(CompactionWorkTest, KeepsResultsOfGroups) {
  const GroupResult result{.index = 4,
                           .outputs = {table_.MakeDataFile("o1.parquet", 7, "x"),
                                       table_.MakeDataFile("o2.parquet", 8, "y")}};
  const auto text = FormatGroupResult(result, metadata());
  ASSERT_THAT(text, IsOk());
  const auto read = ParseGroupResult(*text, "result.json", metadata());
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->index, 4);
  ASSERT_THAT(read->outputs, SizeIs(2));
  EXPECT_EQ(*FormatGroupResult(*read, metadata()), *text);
  EXPECT_THAT(ParseGroupResult("{}", "result.json", metadata()),
              IsError(ErrorCode::kCorrupt, "result.json: expected a group"));
}

}  // namespace
}  // namespace firn
