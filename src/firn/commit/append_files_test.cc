#include <gmock/gmock.h>

#include "firn/catalog/table_evolution.h"
#include "firn/commit/commit.h"
#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Optional;

AppendFilesRequest RequestFor(TestTable& table, const std::vector<std::string>& names) {
  AppendFilesRequest request;
  for (const std::string& name : names) {
    request.data_files.push_back(table.MakeDataFile(name));
  }
  return request;
}

void ExpectOnlyReachableMetadata(TestTable& table) {
  const std::vector<std::string> reachable = table.ReachableMetadata();
  for (const std::string& uri : table.AllFiles()) {
    if (uri.ends_with(".avro")) {
      EXPECT_THAT(reachable, Contains(uri));
    }
  }
}

TEST(AppendFilesTest, AddsFilesByOneSnapshotWithTheSummaryOfJava) {
  TestTable table;

  ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), RequestFor(table, {"a", "b"})),
              IsOk());
  AppendFilesRequest second = RequestFor(table, {"c"});
  second.summary_properties["team"] = "sales";
  ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), second), IsOk());

  EXPECT_THAT(table.LivePaths(), ElementsAre("a", "b", "c"));
  const Table after = table.Load();
  const Snapshot* snapshot = after.metadata->current_snapshot();
  EXPECT_EQ(snapshot->operation, "append");
  EXPECT_EQ(snapshot->summary.Find("added-data-files"), "1");
  EXPECT_EQ(snapshot->summary.Find("added-records"), "10");
  EXPECT_EQ(snapshot->summary.Find("total-data-files"), "3");
  EXPECT_EQ(snapshot->summary.Find("total-records"), "30");
  EXPECT_EQ(snapshot->summary.Find("total-delete-files"), "0");
  EXPECT_EQ(snapshot->summary.Find("team"), "sales");
  EXPECT_EQ(snapshot->sequence_number, 2);
  EXPECT_EQ(after.metadata->snapshots.size(), 2U);
}

TEST(AppendFilesTest, MergesManifestsUnlessItIsFast) {
  for (const bool is_fast : {false, true}) {
    TestTable table({.properties = {{"commit.manifest.min-count-to-merge", "3"}}});
    for (const char* name : {"a", "b", "c"}) {
      AppendFilesRequest request = RequestFor(table, {name});
      request.is_fast = is_fast;
      ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), request), IsOk());
    }
    EXPECT_EQ(table.CurrentManifests().size(), is_fast ? 3U : 1U);
    EXPECT_THAT(table.LivePaths(), ElementsAre("a", "b", "c"));
    for (const ManifestEntry& entry : table.LiveEntries()) {
      const int64_t number = entry.file.file_path.back() - 'a' + 1;
      EXPECT_THAT(entry.sequence_number, Optional(number));
      EXPECT_THAT(entry.file_sequence_number, Optional(number));
    }
  }
}

TEST(AppendFilesTest, WritesAManifestForEachSpecAndRollsAtTheTargetSize) {
  TestTable table({.properties = {{"commit.manifest.target-size-bytes", "1"},
                                  {"commit.manifest-merge.enabled", "false"}}});
  AppendFilesRequest request;
  for (int i = 0; i < 501; ++i) {
    request.data_files.push_back(table.MakeDataFile(fmt::format("{:04}", i)));
  }

  ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), request), IsOk());

  EXPECT_EQ(table.CurrentManifests().size(), 3U);  // 250, 250 and 1 entries.
  EXPECT_EQ(table.LivePaths().size(), 501U);
}

TEST(AppendFilesTest, KeepsDeleteManifests) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a");
  table.Add({a});
  table.Add({table.MakePositionDeletes("deletes", a)});

  ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), RequestFor(table, {"b"})), IsOk());

  EXPECT_THAT(table.LivePaths(), ElementsAre("a", "b", "deletes"));
}

TEST(AppendFilesTest, AssignsRowIdsOfVersion3InOrder) {
  TestTable table({.format_version = 3});
  ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), RequestFor(table, {"a", "b"})),
              IsOk());
  ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), RequestFor(table, {"c"})), IsOk());

  EXPECT_EQ(table.Load().metadata->next_row_id, 30);
  const std::vector<ManifestEntry> entries = table.LiveEntries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_THAT(entries[0].file.first_row_id, Optional(0));
  EXPECT_THAT(entries[1].file.first_row_id, Optional(10));
  EXPECT_THAT(entries[2].file.first_row_id, Optional(20));
}

// Both writers' files are there, and what the lost attempt wrote is gone or used again.
TEST(AppendFilesTest, IsRepeatedAfterAConcurrentCommitWithTheManifestsItHas) {
  TestTable table;
  table.Add({table.MakeDataFile("a")});
  ScriptedCatalog catalog(table.catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count == 1) table.Add({table.MakeDataFile("late")});
  };
  CommitContext context = table.context();
  context.catalog = &catalog;

  const auto result = CommitAppendFiles(context, table.Load(), RequestFor(table, {"b"}));

  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->attempts, 2);
  EXPECT_THAT(table.LivePaths(), ElementsAre("a", "b", "late"));
  ExpectOnlyReachableMetadata(table);
}

// B52: a lost answer to a commit that happened is a success, not a second append.
TEST(AppendFilesTest, DoesNotDoubleRowsAfterALostAnswer) {
  for (const ErrorCode code :
       {ErrorCode::kCommitUnknown, ErrorCode::kUnavailable, ErrorCode::kCommitConflict}) {
    TestTable table;
    ScriptedCatalog catalog(table.catalog());
    catalog.lost_answer = MakeError(code, "the answer was lost");
    CommitContext context = table.context();
    context.catalog = &catalog;

    const auto result = CommitAppendFiles(context, table.Load(), RequestFor(table, {"a"}));

    ASSERT_THAT(result, IsOk()) << FormatErrorCode(code);
    EXPECT_THAT(table.LivePaths(), ElementsAre("a"));
    EXPECT_EQ(table.Load().metadata->snapshots.size(), 1U);
  }
}

// A request that arrives twice is refused the second time, since the first one moved the branch.
TEST(AppendFilesTest, FindsItsSnapshotEvenIfItMayNotTryAgain) {
  TestTable table({.properties = {{"commit.retry.num-retries", "0"}}});
  ScriptedCatalog catalog(table.catalog());
  catalog.lost_answer = MakeError(ErrorCode::kCommitConflict, "the branch moved");
  CommitContext context = table.context();
  context.catalog = &catalog;

  ASSERT_THAT(CommitAppendFiles(context, table.Load(), RequestFor(table, {"a"})), IsOk());

  EXPECT_THAT(table.LivePaths(), ElementsAre("a"));
  ExpectOnlyReachableMetadata(table);
}

TEST(AppendFilesTest, CleansUpAfterARefusalThatMeantIt) {
  TestTable table({.properties = {{"commit.retry.num-retries", "0"}}});
  ScriptedCatalog catalog(table.catalog());
  CommitContext context = table.context();
  context.catalog = &catalog;
  for (const ErrorCode code : {ErrorCode::kCommitConflict, ErrorCode::kUnavailable}) {
    catalog.lost_answer = MakeError(code, "no");
    catalog.lost_commit_happens = false;
    EXPECT_THAT(CommitAppendFiles(context, table.Load(), RequestFor(table, {"a"})), IsError(code));
    ExpectOnlyReachableMetadata(table);
  }
}

// Expiry forgets specs that no snapshot has, such as that of files which are about to be committed.
TEST(AppendFilesTest, RefusesFilesWhoseSpecIsForgottenMeanwhile) {
  TestTable table({.is_partitioned = true});
  const AppendFilesRequest request = RequestFor(table, {"a"});
  PartitionSpec none;
  none.spec_id = 1;
  const std::vector<TableUpdate> change = {AddPartitionSpec{none}, SetDefaultSpec{1}};
  ASSERT_THAT(table.catalog().Commit(table.name(), {}, change), IsOk());
  ScriptedCatalog catalog(table.catalog());
  catalog.before_commit = [&] {
    const std::vector<TableUpdate> removal = {RemovePartitionSpecs{{0}}};
    ASSERT_THAT(table.catalog().Commit(table.name(), {}, removal), IsOk());
  };
  CommitContext context = table.context();
  context.catalog = &catalog;

  EXPECT_THAT(CommitAppendFiles(context, table.Load(), request),
              IsError(ErrorCode::kCommitConflict, "partition spec 0"));

  EXPECT_EQ(catalog.commit_count, 1);
  EXPECT_EQ(table.Load().metadata->current_snapshot(), nullptr);
}

// A spec that is not the default one any more is no obstacle, and stays so.
TEST(AppendFilesTest, TakesFilesOfAnotherSpecThanTheDefaultOne) {
  TestTable table({.is_partitioned = true});
  const AppendFilesRequest request = RequestFor(table, {"a"});
  PartitionSpec none;
  none.spec_id = 1;
  const std::vector<TableUpdate> change = {AddPartitionSpec{none}, SetDefaultSpec{1}};
  ASSERT_THAT(table.catalog().Commit(table.name(), {}, change), IsOk());

  ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), request), IsOk());

  EXPECT_THAT(table.LivePaths(), ElementsAre("a"));
  EXPECT_EQ(table.Load().metadata->default_spec_id, 1);
}

// What an attempt wrote for the old version is not fit for the new one: entries of version 1 have
// no sequence numbers.
TEST(AppendFilesTest, BeginsAnewIfTheTableIsUpgradedMeanwhile) {
  for (const int version : {1, 2}) {
    TestTable table(
        {.format_version = version, .properties = {{"commit.manifest.min-count-to-merge", "2"}}});
    ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), RequestFor(table, {"a"})), IsOk());
    ScriptedCatalog catalog(table.catalog());
    catalog.before_commit = [&] {
      if (catalog.commit_count > 1) return;
      const std::vector<TableUpdate> upgrade = {UpgradeFormatVersion{version + 1}};
      ASSERT_THAT(table.catalog().Commit(table.name(), {}, upgrade), IsOk());
    };
    CommitContext context = table.context();
    context.catalog = &catalog;

    ASSERT_THAT(CommitAppendFiles(context, table.Load(), RequestFor(table, {"b"})), IsOk());

    EXPECT_THAT(table.LivePaths(), ElementsAre("a", "b"));
    EXPECT_EQ(table.CurrentManifests().size(), 1U);
    EXPECT_EQ(catalog.commit_count, 2);
    for (const ManifestEntry& entry : table.LiveEntries()) {
      const bool is_old = entry.file.file_path.ends_with("/a");
      EXPECT_THAT(entry.sequence_number, Optional(version - (is_old ? 1 : 0)));
    }
    ExpectOnlyReachableMetadata(table);
  }
}

TEST(AppendFilesTest, CommitsOnceForOneIdempotencyKey) {
  TestTable table;
  AppendFilesRequest request = RequestFor(table, {"a"});
  request.idempotency_key = "load-2026-01-31";
  const auto first = CommitAppendFiles(table.context(), table.Load(), request);
  ASSERT_THAT(first, IsOk());
  EXPECT_FALSE(first->is_repeat);
  ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), RequestFor(table, {"b"})), IsOk());

  AppendFilesRequest again = RequestFor(table, {"a2"});
  again.idempotency_key = request.idempotency_key;
  const auto second = CommitAppendFiles(table.context(), table.Load(), again);

  ASSERT_THAT(second, IsOk());
  EXPECT_TRUE(second->is_repeat);
  EXPECT_EQ(second->snapshot_id, first->snapshot_id);
  EXPECT_THAT(table.LivePaths(), ElementsAre("a", "b"));
  ExpectOnlyReachableMetadata(table);
}

// Two runs of one job at once: the key is looked for again after a lost attempt.
TEST(AppendFilesTest, SeesAnEqualKeyThatIsCommittedMeanwhile) {
  TestTable table;
  AppendFilesRequest request = RequestFor(table, {"a"});
  request.idempotency_key = "job-1";
  ScriptedCatalog catalog(table.catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count == 1) {
      AppendFilesRequest other = RequestFor(table, {"other"});
      other.idempotency_key = "job-1";
      ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), other), IsOk());
    }
  };
  CommitContext context = table.context();
  context.catalog = &catalog;

  const auto result = CommitAppendFiles(context, table.Load(), request);

  ASSERT_THAT(result, IsOk());
  EXPECT_TRUE(result->is_repeat);
  EXPECT_THAT(table.LivePaths(), ElementsAre("other"));
  ExpectOnlyReachableMetadata(table);
}

TEST(AppendFilesTest, CommitsToABranchAlone) {
  TestTable table;
  const Snapshot first = table.Add({table.MakeDataFile("a")});
  table.SetRef("audit", first.snapshot_id);
  AppendFilesRequest request = RequestFor(table, {"b"});
  request.branch = "audit";

  ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), request), IsOk());

  EXPECT_THAT(table.LivePaths(), ElementsAre("a"));
  EXPECT_NE(table.Load().metadata->refs.at("audit").snapshot_id, first.snapshot_id);
  request.branch = "nobody";
  EXPECT_THAT(CommitAppendFiles(table.context(), table.Load(), request),
              IsError(ErrorCode::kNotFound, "branch 'nobody'"));
}

TEST(AppendFilesTest, RefusesAFileNamedTwiceADeleteFileAndNoFile) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a");
  AppendFilesRequest request;
  EXPECT_THAT(CommitAppendFiles(table.context(), table.Load(), request),
              IsError(ErrorCode::kInvalidInput, "without files"));
  request.data_files = {a, a};
  EXPECT_THAT(CommitAppendFiles(table.context(), table.Load(), request),
              IsError(ErrorCode::kInvalidInput, "named twice"));
  request.data_files = {table.MakeEqualityDeletes("eq")};
  EXPECT_THAT(CommitAppendFiles(table.context(), table.Load(), request),
              IsError(ErrorCode::kInvalidInput, "is a delete file"));
}

TEST(AppendFilesTest, RefusesRowsThatAColumnMadeRequiredMeanwhileWouldNotFit) {
  TestTable table;
  const Table planned = table.Load();
  std::vector<NestedField> fields = planned.metadata->current_schema()->fields();
  fields[1].required = true;
  const std::vector<TableUpdate> updates = {AddSchema{std::make_shared<const Schema>(0, fields)},
                                            SetCurrentSchema{}};
  ASSERT_THAT(table.catalog().Commit(table.name(), {}, updates), IsOk());

  EXPECT_THAT(CommitAppendFiles(table.context(), planned, RequestFor(table, {"a"})),
              IsError(ErrorCode::kCommitConflict, "column 'cat' became required"));
}

TEST(AppendFilesTest, IsRefusedIfTheTableWasReplacedMeanwhile) {
  TestTable table;
  table.Add({table.MakeDataFile("a")});
  const Table planned = table.Load();
  const auto replace = [](const TableMetadata& now) {
    CreateTableRequest layout;
    NestedField other;
    other.id = 1;
    other.name = "other";
    other.type = Type::Primitive(TypeId::kInt);
    layout.schema = Schema(0, {other});
    layout.format_version = now.format_version;
    return PlanReplaceTable(now, layout);
  };
  ASSERT_THAT(
      ChangeTable({&table.catalog(), &table.clock(), &table.random(), {}}, planned, replace),
      IsOk());
  EXPECT_THAT(CommitAppendFiles(table.context(), planned, RequestFor(table, {"b"})),
              IsError(ErrorCode::kCommitConflict, "was replaced after the rows were written"));
}

TEST(AppendFilesTest, IsRefusedIfTheTableWasDroppedAndMadeAnewMeanwhile) {
  TestTable table;
  table.Add({table.MakeDataFile("a")});
  const Table planned = table.Load();
  ASSERT_THAT(table.catalog().Drop(table.name()), IsOk());
  CreateTableRequest again;
  again.schema = *planned.metadata->current_schema();
  ASSERT_THAT(table.catalog().Create(table.name(), again), IsOk());
  EXPECT_THAT(CommitAppendFiles(table.context(), planned, RequestFor(table, {"b"})),
              IsError(ErrorCode::kCommitConflict, "dropped and made anew"));
}

}  // namespace
}  // namespace firn
