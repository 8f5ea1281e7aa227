#include "firn/maintain/cycle/maintain_table.h"

#include <chrono>

#include "firn/maintain/cycle/table_health.h"
#include "firn/maintain/maintenance_testing_internal.h"

namespace firn {
namespace {

using std::chrono::days;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MaintainTableTest : public MaintenanceTest {
 protected:
  /// "step outcome" of each step.
  std::vector<std::string> Maintain(const Properties& settings, bool is_dry_run = false) {
    const auto policy = MakeMaintenancePolicy(settings, {});
    EXPECT_THAT(policy, IsOk());
    std::vector<std::string> steps;
    reports_.clear();
    MaintainTable(context(), table().Load(), *policy, budget_left_, is_dry_run,
                  [&](const StepReport& report) {
                    reports_.push_back(report);
                    steps.push_back(fmt::format("{} {}", FormatMaintenanceStep(report.step),
                                                FormatStepOutcome(report.outcome)));
                  });
    return steps;
  }
  TableHealth Assess(const Properties& settings = {}) {
    const auto policy = MakeMaintenancePolicy(settings, {});
    auto health = AssessTable(context(), table().Load(), *policy);
    EXPECT_THAT(health, IsOk());
    return health.ok() ? *std::move(health) : TableHealth();
  }

  MaintenanceBudget budget_left_;
  std::vector<StepReport> reports_;
};

// All but compaction, whose files have no content here.
TEST_F(MaintainTableTest, DoesWhatPaysAndSaysWhyItSkipsTheRest) {
  const DataFile a = Data("a");
  table().Add({a});
  for (int i = 0; i < 6; ++i)
    table().Add({Data(std::to_string(i))});
  table().Add({Put(table().MakePositionDeletes("of-a", a))});
  table().Remove(a.file_path);
  ASSERT_THAT(
      WriteFile(table().io(), table().Load().metadata->location + "/data/orphan", AsBytes("x")),
      IsOk());
  table().clock().Advance(days(10));
  const Properties settings = {{"steps", "deletes,manifests,expire,metadata,orphans"}};
  const auto before = table().AllFiles();
  EXPECT_THAT(Maintain(settings, true),
              ElementsAre("deletes planned", "manifests planned", "expire planned",
                          "metadata skipped", "orphans planned"));
  EXPECT_EQ(table().AllFiles(), before);
  EXPECT_THAT(Maintain(settings), ElementsAre("deletes done", "manifests done", "expire done",
                                              "metadata skipped", "orphans done"));
  ExpectComplete();
  EXPECT_THAT(reports_.back().reason, HasSubstr("went into quarantine run"));
  EXPECT_THAT(DataNames(), ElementsAre("0", "1", "2", "3", "4", "5", "orphan"));  // The last moved.
  EXPECT_THAT(Maintain(settings),
              ElementsAre("deletes skipped", "manifests skipped", "expire skipped",
                          "metadata skipped", "orphans skipped"));
}

TEST_F(MaintainTableTest, NamesTheTagsThatItDrops) {
  const SnapshotRef ref{.snapshot_id = table().Add({Data("a")}).snapshot_id,
                        .type = RefType::kTag,
                        .max_ref_age_ms = 1};
  const std::vector<TableUpdate> updates = {SetSnapshotRef{"audit", ref}};
  ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  table().clock().Advance(days(1));
  for (const bool is_dry_run : {true, false}) {
    Maintain({{"steps", "expire"}}, is_dry_run);
    EXPECT_THAT(reports_.back().reason, HasSubstr("; 1 branches and tags dropped: audit"));
  }
}

TEST_F(MaintainTableTest, StopsAfterAStepThatFailed) {
  table().Add({Data("a")});
  table().Add({Data("b")});
  Commit({SetProperties{{{"history.expire.max-snapshot-age-ms", "soon"}}}});
  EXPECT_THAT(Maintain({{"steps", "deletes,expire,orphans"}}),
              ElementsAre("deletes skipped", "expire failed"));
  EXPECT_EQ(reports_.back().error->code(), ErrorCode::kInvalidInput);
}

TEST_F(MaintainTableTest, BeginsNoStepWhenTheTimeIsUp) {
  table().Add({Data("a")});
  budget_left_.ends = table().clock().Elapsed();
  EXPECT_THAT(Maintain({{"steps", "deletes,expire"}}),
              ElementsAre("deletes skipped", "expire skipped"));
  EXPECT_THAT(reports_.back().reason, HasSubstr("budget.seconds"));
}

TEST_F(MaintainTableTest, MergesOnlyAsManyBytesAsTheBudgetHas) {
  for (int i = 0; i < 6; ++i)
    table().Add({Data(std::to_string(i))});
  budget_left_.bytes = 100;
  EXPECT_THAT(Maintain({{"steps", "compact"}}, true), ElementsAre("compact skipped"));
  EXPECT_THAT(reports_.back().reason, HasSubstr("budget.bytes has 100 left"));
  budget_left_.bytes = 100'000;
  EXPECT_THAT(Maintain({{"steps", "compact"}}, true), ElementsAre("compact planned"));
  EXPECT_EQ(reports_.back().bytes, 6'000);
  EXPECT_EQ(budget_left_.bytes, 94'000);
}

TEST_F(MaintainTableTest, TellsHowATableIs) {
  EXPECT_EQ(Assess().score, 100);
  for (int i = 0; i < 20; ++i)
    table().Add({Data(std::to_string(i))});
  const TableHealth many = Assess();
  EXPECT_EQ(many.data_files, 20);
  EXPECT_EQ(many.small_files, 20);
  EXPECT_EQ(many.manifests, 20);
  EXPECT_EQ(many.snapshots, 20);
  EXPECT_LT(many.score, 60);
  EXPECT_THAT(many.advice, testing::Contains(HasSubstr("compact: 20 files could be 1")));
  table().clock().Advance(days(10));
  EXPECT_EQ(Assess().expired_snapshots, 19);
  EXPECT_THAT(Assess().advice, testing::Contains("expire: 19 of 20 snapshots are over"));
  EXPECT_EQ(Assess({{"compact.min-input-files", "50"}}).small_files, 0);
}

TEST_F(MaintainTableTest, AdvisesTheStepsThatItPlans) {
  const Properties settings = {{"steps", "compact,deletes,manifests,expire"}};
  const auto expect_the_same = [&](size_t count) {
    std::vector<std::string> planned;
    for (const std::string& step : Maintain(settings, true)) {
      if (step.ends_with(" planned")) planned.push_back(step.substr(0, step.find(' ')));
    }
    std::vector<std::string> advised;
    for (const std::string& advice : Assess(settings).advice)
      advised.push_back(advice.substr(0, advice.find(':')));
    EXPECT_THAT(advised, testing::UnorderedElementsAreArray(planned));
    EXPECT_THAT(planned, testing::SizeIs(count));
  };
  const DataFile a = Data("a");
  table().Add({a});
  table().Add({Data("b")});
  expect_the_same(0);
  table().Add({Put(table().MakePositionDeletes("of-a", a))});
  table().Remove(a.file_path);
  expect_the_same(1);
  for (int i = 0; i < 6; ++i)
    table().Add({Data(std::to_string(i))});
  expect_the_same(3);
  table().clock().Advance(days(10));
  expect_the_same(4);
  Commit({SetProperties{{{"gc.enabled", "false"}}}});
  expect_the_same(3);
}

TEST_F(MaintainTableTest, KeepsTheOrderOfASortedTable) {
  const auto strategy = [&](const Properties& settings) {
    const auto options =
        CompactionOptionsOf(*table().Load().metadata, *MakeMaintenancePolicy(settings, {}));
    EXPECT_THAT(options, IsOk());
    return options->order.strategy;
  };
  EXPECT_EQ(strategy({}), RewriteOrder::Strategy::kBinpack);
  SortOrder order;
  order.fields = {{.source_ids = {1}}};
  const std::vector<TableUpdate> updates = {AddSortOrder{order}, SetDefaultSortOrder{}};
  ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  EXPECT_EQ(strategy({}), RewriteOrder::Strategy::kSort);
  EXPECT_EQ(strategy({{"compact.strategy", "binpack"}}), RewriteOrder::Strategy::kBinpack);
}

TEST_F(MaintainTableTest, CallsNoFileSmallThatIsTooLarge) {
  DataFile large = Data("large");
  large.file_size_in_bytes = int64_t{4} << 30;
  table().Add({large});
  const TableHealth health = Assess();
  EXPECT_EQ(health.small_files, 0);
  EXPECT_EQ(health.compaction_files, 1);
  EXPECT_THAT(health.advice, ElementsAre("compact: 1 files could be 8"));
  EXPECT_LT(health.score, 100);
}

TEST_F(MaintainTableTest, DoesNotKnowHowManyFilesRowsOfOtherSpecsBecome) {
  for (const char* name : {"a", "b", "c", "d", "e"})
    table().Add({Data(name)});
  EXPECT_THAT(Assess().advice, testing::Contains("compact: 5 files could be 1"));
  PartitionSpec spec;
  spec.fields.push_back({.source_ids = {1}, .field_id = 1000, .name = "id", .transform = {}});
  Commit({AddPartitionSpec{spec}, SetDefaultSpec{}});
  EXPECT_THAT(Assess().advice, testing::Contains("compact: 5 files could be 1 or more"));
  Maintain({{"steps", "compact"}}, true);
  EXPECT_THAT(reports_.back().reason, HasSubstr("to at least 1"));
}

TEST_F(MaintainTableTest, AdvisesNothingThatItWouldNotDo) {
  // Too few manifests for a commit.
  for (const char* name : {"a", "b", "c"})
    table().Add({Data(name)});
  EXPECT_THAT(Assess().advice, IsEmpty());
  EXPECT_EQ(Assess().score, 100);
  for (const char* name : {"d", "e", "f"})
    table().Add({Data(name)});
  EXPECT_THAT(Assess().advice, testing::Contains(HasSubstr("manifests: 6 of 6")));
  // Old snapshots of a table that may not delete files.
  table().clock().Advance(days(9));
  EXPECT_THAT(Assess().advice, testing::Contains(HasSubstr("expire: 5 of 6")));
  Commit({SetProperties{{{"gc.enabled", "false"}}}});
  EXPECT_THAT(Assess().advice, testing::Not(testing::Contains(HasSubstr("expire"))));
}

TEST_F(MaintainTableTest, FindsNothingToDoInATableWithOneFile) {
  table().Add({Data("a")});
  EXPECT_EQ(Assess().score, 100);
  EXPECT_THAT(Assess().advice, IsEmpty());
}

}  // namespace
}  // namespace firn
