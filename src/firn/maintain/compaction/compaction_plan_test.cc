#include <gmock/gmock.h>

#include "firn/catalog/change_table.h"
#include "firn/catalog/table_evolution.h"
#include "firn/maintain/compaction/rewrite_data_files.h"
#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The plan of the current snapshot with `options` beside the defaults.
CompactionPlan Plan(TestTable& table, const std::map<std::string, std::string>& options,
                    const ExpressionPtr& where = nullptr) {
  const Table loaded = table.Load();
  const auto parsed = ParseRewriteDataFilesOptions(*loaded.metadata, options);
  EXPECT_THAT(parsed, IsOk());
  const MaintainContext context{.commit = table.context()};
  auto plan = PlanCompaction(context, loaded, std::string(kMainBranch), where, *parsed);
  EXPECT_THAT(plan, IsOk());
  return *std::move(plan);
}

/// A data file whose size alone is no reason to rewrite it.
DataFile GoodSize(TestTable& table, const std::string& name, int64_t records) {
  DataFile file = table.MakeDataFile(name, records);
  file.file_size_in_bytes = 512 * 1024 * 1024;
  return file;
}

TEST(CompactionPlanTest, IsEmptyForATableWithoutSnapshot) {
  TestTable table;
  EXPECT_THAT(Plan(table, {}).groups, IsEmpty());
}

TEST(CompactionPlanTest, LeavesALoneSmallFileAlone) {
  TestTable table;
  table.Add({table.MakeDataFile("a.parquet")});
  EXPECT_THAT(Plan(table, {{"min-input-files", "1"}}).groups, IsEmpty());
}

TEST(CompactionPlanTest, TakesATargetBeyondAnyFileForNoLimit) {
  const std::string most = std::to_string(INT64_MAX);
  TestTable table({.properties = {{"write.target-file-size-bytes", most}}});
  table.Add({table.MakeDataFile("a.parquet")});
  table.Add({table.MakeDataFile("b.parquet")});
  const CompactionPlan plan = Plan(table, {{"rewrite-all", "true"}});
  ASSERT_THAT(plan.groups, SizeIs(1));
  EXPECT_EQ(plan.groups[0].expected_outputs, 1);
  EXPECT_THAT(Plan(table, {{"target-file-size-bytes", most}, {"rewrite-all", "true"}}).groups,
              SizeIs(1));
}

TEST(CompactionPlanTest, NamesThePropertyWhoseValueCannotBe) {
  TestTable table;
  TableMetadata metadata = *table.Load().metadata;
  metadata.properties["write.target-file-size-bytes"] = "0";
  EXPECT_THAT(ParseRewriteDataFilesOptions(metadata, {}),
              IsError(ErrorCode::kInvalidInput,
                      "table property 'write.target-file-size-bytes' is 0, expected 1 or more"));
  EXPECT_THAT(ParseRewriteDataFilesOptions(metadata, {{"target-file-size-bytes", "9"}}), IsOk());
  metadata.properties["write.target-file-size-bytes"] = "1000";
  EXPECT_THAT(ParseRewriteDataFilesOptions(metadata, {{"max-file-size-bytes", "10"}}),
              IsError(ErrorCode::kInvalidInput,
                      "target-file-size-bytes (table property 'write.target-file-size-bytes') "
                      "1000 and max-file-size-bytes 10"));
}

TEST(CompactionPlanTest, SaysWhyThereIsNothingToDoAndWhichOptionChangesThat) {
  const auto reason = [](TestTable& table, const std::map<std::string, std::string>& options) {
    const CompactionPlan plan = Plan(table, options);
    EXPECT_THAT(plan.groups, IsEmpty());
    return DescribeNothingToDo(plan.survey,
                               *ParseRewriteDataFilesOptions(*table.Load().metadata, options));
  };
  TestTable table({.is_partitioned = true});
  EXPECT_THAT(reason(table, {}), HasSubstr("there is no data file to look at"));
  table.Add({GoodSize(table, "good.parquet", 10)});
  EXPECT_THAT(reason(table, {}),
              AllOf(HasSubstr("1 data files were looked at: none is below 403 MB "
                              "(min-file-size-bytes) or above 966 MB (max-file-size-bytes)"),
                    HasSubstr("30 % of its rows"), HasSubstr("delete-ratio-threshold"),
                    HasSubstr("rewrite-all=true")));
  table.Add({table.MakeDataFile("a1.parquet", 10, "a"), table.MakeDataFile("a2.parquet", 10, "a"),
             table.MakeDataFile("b1.parquet", 10, "b")});
  EXPECT_THAT(
      reason(table, {}),
      AllOf(HasSubstr("3 of 4 data files are below 403 MB"),
            HasSubstr("no partition has 5 of them (min-input-files; the most in a partition "
                      "is 2)"),
            HasSubstr("target-file-size-bytes")));
  // Those options do change it.
  EXPECT_THAT(Plan(table, {{"min-input-files", "2"}}).groups, SizeIs(1));
  EXPECT_THAT(Plan(table, {{"rewrite-all", "true"}}).groups, SizeIs(2));
  EXPECT_THAT(reason(table, {{"min-input-files", "2"}, {"max-file-group-input-files", "1"}}),
              HasSubstr("no group of 1 files"));
}

TEST(CompactionPlanTest, GroupsSmallFilesByPartition) {
  TestTable table({.is_partitioned = true});
  table.Add({table.MakeDataFile("a1.parquet", 10, "a"), table.MakeDataFile("b1.parquet", 10, "b"),
             table.MakeDataFile("a2.parquet", 10, "a"), table.MakeDataFile("b2.parquet", 10, "b")});

  const CompactionPlan plan = Plan(table, {{"min-input-files", "2"}});

  ASSERT_THAT(plan.groups, SizeIs(2));
  for (const FileGroup& group : plan.groups) {
    ASSERT_THAT(group.inputs, SizeIs(2));
    EXPECT_EQ(group.inputs[0].file.partition.fields, group.inputs[1].file.partition.fields);
    EXPECT_EQ(group.input_bytes, 2000);
  }
}

// In version 1 a dropped field stays in the spec as void.
TEST(CompactionPlanTest, GroupsFilesOfEverySpecTogetherIfTheTableIsNotPartitionedAnyMore) {
  for (const int version : {1, 2}) {
    TestTable table({.format_version = version, .is_partitioned = true});
    table.Add({table.MakeDataFile("a.parquet", 10, "a"), table.MakeDataFile("b.parquet", 10, "b")});
    const PartitionTerm cat{.column = "cat", .transform = {}, .name = {}};
    const auto drop = [&](const TableMetadata& metadata) {
      return PlanPartitionChange(metadata, std::vector<PartitionChange>{DropPartitionField{cat}});
    };
    ASSERT_THAT(
        ChangeTable({&table.catalog(), &table.clock(), &table.random(), {}}, table.Load(), drop),
        IsOk());
    DataFile later = table.MakeDataFile("c.parquet", 10);
    later.partition_spec_id = table.Load().metadata->default_spec_id;
    later.partition.fields.assign(version == 1 ? 1 : 0, Value());
    table.Add({later});

    const CompactionPlan plan = Plan(table, {{"min-input-files", "2"}});

    ASSERT_THAT(plan.groups, SizeIs(1));
    EXPECT_THAT(plan.groups[0].inputs, SizeIs(3));
    ASSERT_TRUE(plan.groups[0].partition.has_value());
    EXPECT_EQ(plan.groups[0].partition->fields, later.partition.fields);
  }
}

TEST(CompactionPlanTest, TakesAFileOfWhichFileScopedDeletesHitEnoughRows) {
  TestTable table;
  const DataFile a = GoodSize(table, "a.parquet", 10);
  const DataFile b = GoodSize(table, "b.parquet", 10);
  table.Add({a, b});
  DataFile deletes = table.MakePositionDeletes("deletes.parquet", a);
  deletes.record_count = 3;
  table.Add({deletes});

  const CompactionPlan plan = Plan(table, {});

  ASSERT_THAT(plan.groups, SizeIs(1));
  ASSERT_THAT(plan.groups[0].inputs, SizeIs(1));
  EXPECT_EQ(plan.groups[0].inputs[0].file.file_path, a.file_path);
}

TEST(CompactionPlanTest, KnowsAFileScopedDeleteByItsPathBoundsAlone) {
  TestTable table;
  const DataFile a = GoodSize(table, "a.parquet", 10);
  table.Add({a});
  DataFile deletes = table.MakePositionDeletes("deletes.parquet", a, false);
  deletes.record_count = 3;
  deletes.metrics.lower_bounds = {{kDeleteFilePathFieldId, a.file_path}};
  deletes.metrics.upper_bounds = {{kDeleteFilePathFieldId, a.file_path}};
  table.Add({deletes});

  EXPECT_THAT(Plan(table, {}).groups, SizeIs(1));
}

TEST(CompactionPlanTest, DoesNotCountDeletesThatMayHitOtherFiles) {
  TestTable table;
  const DataFile a = GoodSize(table, "a.parquet", 10);
  table.Add({a});
  DataFile deletes = table.MakePositionDeletes("deletes.parquet", a, false);
  deletes.record_count = 9;
  table.Add({deletes});

  EXPECT_THAT(Plan(table, {}).groups, IsEmpty());
  EXPECT_THAT(Plan(table, {{"delete-file-threshold", "1"}}).groups, SizeIs(1));
}

TEST(CompactionPlanTest, KeepsADeleteThatAFileOutsideOfTheGroupsNeeds) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet", 10);
  const DataFile b = table.MakeDataFile("b.parquet", 10);
  const DataFile large = GoodSize(table, "large.parquet", 10);
  table.Add({a, b, large});
  table.Add({table.MakePositionDeletes("for_a.parquet", a),
             table.MakePositionDeletes("for_all.parquet", a, false)});

  const CompactionPlan plan = Plan(table, {{"min-input-files", "2"}});

  ASSERT_THAT(plan.groups, SizeIs(1));
  ASSERT_THAT(plan.obsolete_deletes, SizeIs(1));
  EXPECT_THAT(plan.obsolete_deletes[0]->file.file_path, testing::EndsWith("for_a.parquet"));
}

TEST(CompactionPlanTest, DropsAPartitionsDeleteOnlyIfAllItsFilesAreRewritten) {
  TestTable table({.is_partitioned = true});
  const DataFile a = table.MakeDataFile("a.parquet", 10, "x");
  const DataFile b = table.MakeDataFile("b.parquet", 10, "x");
  const DataFile other = table.MakeDataFile("other.parquet", 10, "x");
  table.Add({a, b, table.MakeDataFile("y.parquet", 10, "y"), other});
  table.Add({table.MakePositionDeletes("for_x.parquet", a, false)});
  const auto where = ParseExpression("cat = 'x'");
  ASSERT_THAT(where, IsOk());

  EXPECT_THAT(Plan(table, {{"min-input-files", "2"}}, *where).obsolete_deletes, SizeIs(1));
  EXPECT_THAT(Plan(table, {{"min-input-files", "2"}, {"max-files-to-rewrite", "2"}}, *where)
                  .obsolete_deletes,
              IsEmpty());
}

TEST(CompactionPlanTest, SplitsGroupsAtTheGroupSize) {
  TestTable table;
  std::vector<DataFile> files;
  for (int i = 0; i < 6; ++i) {
    files.push_back(table.MakeDataFile(fmt::format("{}.parquet", i)));
  }
  table.Add(files);

  EXPECT_THAT(Plan(table, {{"min-input-files", "2"}, {"max-file-group-size-bytes", "2000"}}).groups,
              SizeIs(3));
}

}  // namespace
}  // namespace firn
