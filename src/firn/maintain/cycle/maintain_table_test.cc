#include "firn/maintain/cycle/maintain_table.h"

#include <chrono>

#include "firn/catalog/metered_catalog.h"
#include "firn/commit/rewrite_manifests.h"
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
  std::vector<bool> IgnoresPlanned() const {
    std::vector<bool> flags;
    for (const StepReport& report : reports_)
      flags.push_back(report.ignores_planned_steps);
    return flags;
  }
  TableHealth Assess(const Properties& settings = {}) {
    const auto policy = MakeMaintenancePolicy(settings, {});
    auto health = AssessTable(context(), table().Load(), *policy);
    EXPECT_THAT(health, IsOk());
    return health.ok() ? *std::move(health) : TableHealth();
  }

  /// One step on a table whose files are metered.
  StepReport MaintainMetered(const Properties& settings, bool is_dry_run) {
    const auto meter = std::make_shared<IoMeter>();
    const auto catalog =
        MakeMeteredCatalog({std::shared_ptr<Catalog>(), &table().catalog()}, meter);
    MaintainContext metered = context();
    metered.commit.catalog = catalog.get();
    MaintenanceBudget budget{.meter = meter};
    std::vector<StepReport> reports;
    MaintainTable(metered, table().Load(), *MakeMaintenancePolicy(settings, {}), budget, is_dry_run,
                  [&](const StepReport& report) { reports.push_back(report); });
    EXPECT_THAT(reports, testing::SizeIs(1));
    return reports.front();
  }
  void ExpectGoodEstimate(const Properties& settings);
  double written_ratio_ = 0;  ///< Of what was estimated to what was written.

  MaintenanceBudget budget_left_;
  std::vector<StepReport> reports_;
};

void ExpectNear(int64_t estimate, int64_t measured, const std::string& what) {
  constexpr double kMost = 1.5;
  EXPECT_GT(measured, 0) << what;
  EXPECT_LE(static_cast<double>(estimate), kMost * static_cast<double>(measured)) << what;
  EXPECT_GE(static_cast<double>(estimate) * kMost, static_cast<double>(measured)) << what;
}

void MaintainTableTest::ExpectGoodEstimate(const Properties& settings) {
  const StepReport dry = MaintainMetered(settings, true);
  const StepReport real = MaintainMetered(settings, false);
  ASSERT_EQ(dry.outcome, StepOutcome::kPlanned) << dry.reason;
  ASSERT_EQ(real.outcome, StepOutcome::kDone) << real.reason;
  for (const auto& estimate : {dry.estimate, real.estimate}) {
    ASSERT_TRUE(estimate.has_value());
    written_ratio_ = static_cast<double>(estimate->bytes_written) /
                     static_cast<double>(std::max<int64_t>(real.measured.bytes_written, 1));
    ExpectNear(estimate->bytes_read, real.measured.bytes_read, "bytes read");
    ExpectNear(estimate->requests, real.measured.requests, "requests");
  }
}

TEST_F(MaintainTableTest, EstimatesWhatExpiryReadsOfManySnapshots) {
  for (int i = 0; i < 150; ++i)
    table().Add({Data(fmt::format("{}", i)), Data(fmt::format("{}x", i))});
  table().clock().Advance(days(10));
  ExpectGoodEstimate({{"steps", "expire"}, {"expire.retain-last", "20"}});
}

TEST_F(MaintainTableTest, EstimatesWhatExpiryReadsOfManifestsThatWereRewritten) {
  for (int i = 0; i < 120; ++i) {
    const DataFile file = Data(fmt::format("{}", i));
    table().Add({file, Data(fmt::format("{}x", i))});
    if (i % 10 == 5) table().Remove(file.file_path);
    if (i % 30 == 29) {
      ASSERT_THAT(CommitRewriteManifests(context().commit, table().Load(), {}), IsOk());
    }
    if (i == 60) table().SetRef("kept", *table().Load().metadata->current_snapshot_id);
  }
  table().clock().Advance(days(10));
  ExpectGoodEstimate({{"steps", "expire"}});
}

TEST_F(MaintainTableTest, EstimatesWhatIsReadAndWrittenForManifests) {
  for (int i = 0; i < 60; ++i) {
    const DataFile file = Data(fmt::format("{}", i));
    table().Add({file, Data(fmt::format("{}x", i)), Data(fmt::format("{}y", i))});
    if (i % 3 == 0) table().Remove(file.file_path);
  }
  ExpectGoodEstimate({{"steps", "manifests"}});
  // Together, entries without metrics compress better than one at a time.
  EXPECT_LT(written_ratio_, 6);
  EXPECT_GT(written_ratio_, 0.5);
}

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
  // What they tell is without the snapshots and files of the steps before.
  EXPECT_THAT(IgnoresPlanned(), ElementsAre(false, true, true, true, true));
  EXPECT_THAT(Maintain(settings), ElementsAre("deletes done", "manifests done", "expire done",
                                              "metadata skipped", "orphans done"));
  ExpectComplete();
  EXPECT_THAT(IgnoresPlanned(), testing::Each(false));
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
  EXPECT_THAT(
      Assess().advice,
      testing::Contains("expire: 19 of 20 snapshots are over (older than 5 d, the newest 1 of a "
                        "branch stay)"));
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

TEST_F(MaintainTableTest, SaysWhatThePolicySwitchesOff) {
  for (int i = 0; i < 6; ++i)
    table().Add({Data(std::to_string(i))});
  const auto off = [&](const Properties& settings) {
    std::vector<std::string> steps;
    for (const std::string& advice : Assess(settings).advice) {
      if (advice.ends_with(", off by policy")) steps.push_back(advice.substr(0, advice.find(':')));
    }
    return steps;
  };
  EXPECT_THAT(off({}), IsEmpty());
  EXPECT_THAT(off({{"steps", "compact"}}), ElementsAre("manifests"));
  EXPECT_THAT(off({{"enabled", "false"}}), ElementsAre("compact", "manifests"));
  EXPECT_EQ(Assess({{"enabled", "false"}}).score, Assess().score);
}

TEST_F(MaintainTableTest, NamesTheLimitsByWhichItJudges) {
  for (int i = 0; i < 6; ++i)
    table().Add({Data(std::to_string(i))});
  table().clock().Advance(days(10));
  const auto advice = Assess({{"expire.older-than", "36h"}, {"expire.retain-last", "2"}}).advice;
  EXPECT_THAT(advice, testing::UnorderedElementsAre(
                          HasSubstr("(5 or more in a partition below 403 MB or above 966 MB, or 30 "
                                    "% of the rows deleted)"),
                          HasSubstr("(from 5 on, for manifests of 8.4 MB)"),
                          HasSubstr("(older than 36 h, the newest 2 of a branch stay)")));
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
  EXPECT_THAT(health.advice, ElementsAre(HasSubstr("compact: 1 files could be 8 (")));
  EXPECT_LT(health.score, 100);
}

TEST_F(MaintainTableTest, DoesNotKnowHowManyFilesRowsOfOtherSpecsBecome) {
  for (const char* name : {"a", "b", "c", "d", "e"})
    table().Add({Data(name)});
  EXPECT_THAT(Assess().advice, testing::Contains(HasSubstr("compact: 5 files could be 1 (")));
  PartitionSpec spec;
  spec.fields.push_back({.source_ids = {1}, .field_id = 1000, .name = "id", .transform = {}});
  Commit({AddPartitionSpec{spec}, SetDefaultSpec{}});
  EXPECT_THAT(Assess().advice,
              testing::Contains(HasSubstr("compact: 5 files could be 1 or more (")));
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
