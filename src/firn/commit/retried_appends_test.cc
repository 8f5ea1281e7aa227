#include <map>
#include <set>

#include <gmock/gmock.h>

#include "firn/commit/transaction.h"
#include "firn/io/uri.h"
#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsSupersetOf;
using ::testing::Pair;

AppendFilesRequest AppendOf(const DataFile& file) {
  AppendFilesRequest request;
  request.data_files = {file};
  return request;
}

std::set<std::string> ManifestsOf(const Table& table, const Snapshot& snapshot) {
  std::set<std::string> paths;
  const auto manifests = ReadManifests(*table.io, snapshot);
  EXPECT_THAT(manifests, IsOk());
  for (const ManifestFile& manifest : *manifests)
    paths.insert(manifest.manifest_path);
  return paths;
}

// The first snapshot has no parent, each other one the one before; its manifests are still there.
void ExpectOneChain(const Table& table) {
  const std::vector<const Snapshot*> newest_first =
      AncestorsOf(*table.metadata, table.metadata->current_snapshot()->snapshot_id);
  ASSERT_EQ(newest_first.size(), table.metadata->snapshots.size());
  EXPECT_EQ(newest_first.back()->parent_snapshot_id, std::nullopt);
  for (size_t i = 0; i + 1 < newest_first.size(); ++i) {
    EXPECT_THAT(ManifestsOf(table, *newest_first[i]),
                IsSupersetOf(ManifestsOf(table, *newest_first[i + 1])));
  }
}

// B61: the second of two writers builds its snapshot anew, on top of the first one's.
TEST(RetriedAppendsTest, TwoWritersFromOneBaseKeepTheRowsOfBoth) {
  for (const bool is_partitioned : {false, true}) {
    TestTable table({.is_partitioned = is_partitioned});
    const Table base = table.Load();
    AppendFilesRequest first = AppendOf(table.MakeDataFile("a", 1, "x"));
    AppendFilesRequest second = AppendOf(table.MakeDataFile("b", 1, "y"));
    first.is_fast = true;
    second.is_fast = true;

    ASSERT_THAT(CommitAppendFiles(table.context(), base, first), IsOk());
    ASSERT_THAT(CommitAppendFiles(table.context(), base, second), IsOk());

    EXPECT_THAT(table.LivePaths(), ElementsAre("a", "b"));
    ExpectOneChain(table.Load());
  }
}

// B61: eight writers of 25 rows each.
TEST(RetriedAppendsTest, ConcurrencyKeepsEveryRowInOneChainOfSnapshots) {
  constexpr size_t kWriters = 8;
  constexpr size_t kAppends = 25;
  for (const bool is_partitioned : {false, true}) {
    TestTable table({.is_partitioned = is_partitioned,
                     .properties = {{"commit.retry.num-retries", "1000"},
                                    {"commit.retry.min-wait-ms", "1"},
                                    {"commit.retry.max-wait-ms", "1"}}});
    const Table base = table.Load();
    const auto threads = MakeThreadPool(kWriters);

    const Status all = ParallelFor(*threads, kWriters, [&](size_t writer) -> Status {
      for (size_t i = 0; i < kAppends; ++i) {
        const std::string partition = std::to_string(i % 3);
        AppendFilesRequest request =
            AppendOf(table.MakeDataFile(fmt::format("{}-{:02}", writer, i), 1, partition));
        request.is_fast = true;
        FIRN_RETURN_IF_ERROR(CommitAppendFiles(table.context(), base, request));
      }
      return {};
    });

    ASSERT_THAT(all, IsOk());
    const std::vector<std::string> paths = table.LivePaths();
    EXPECT_EQ(std::set<std::string>(paths.begin(), paths.end()).size(), kWriters * kAppends);
    EXPECT_EQ(paths.size(), kWriters * kAppends);
    const Table after = table.Load();
    EXPECT_EQ(after.metadata->snapshots.size(), kWriters * kAppends);
    ExpectOneChain(after);
  }
}

// Merging manifests takes the one of the new file with it: a retry has to have it still.
struct MergeCase {
  bool is_transaction;
  bool rival_appends;  // Or changes a property only.
};
class RetriedMergeTest : public testing::TestWithParam<MergeCase> {};

// B62
TEST_P(RetriedMergeTest, ARetryAfterAMergeOfManifestsStillAddsItsFile) {
  TestTable table({.properties = {{"commit.manifest.min-count-to-merge", "3"}}});
  for (const char* name : {"a", "b"}) {
    AppendFilesRequest request = AppendOf(table.MakeDataFile(name));
    request.is_fast = true;
    ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), request), IsOk());
  }
  ScriptedCatalog catalog(table.catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count > 1) return;
    const std::vector<TableUpdate> update = {SetProperties{{{"owner", "sales"}}}};
    ASSERT_THAT(table.catalog().Commit(table.name(), {}, update), IsOk());
    if (GetParam().rival_appends) table.Add({table.MakeDataFile("rival")});
    catalog.lost_answer = MakeError(ErrorCode::kCommitConflict, "the table changed");
    catalog.lost_commit_happens = false;
  };
  CommitContext context = table.context();
  context.catalog = &catalog;
  const AppendFilesRequest request = AppendOf(table.MakeDataFile("d"));

  if (GetParam().is_transaction) {
    Transaction transaction(context, table.Load());
    ASSERT_THAT(transaction.Append(request), IsOk());
    ASSERT_THAT(transaction.Commit(), IsOk());
  } else {
    ASSERT_THAT(CommitAppendFiles(context, table.Load(), request), IsOk());
  }

  EXPECT_EQ(catalog.commit_count, 2);
  if (GetParam().rival_appends) {
    EXPECT_THAT(table.LivePaths(), ElementsAre("a", "b", "d", "rival"));
  } else {
    EXPECT_THAT(table.LivePaths(), ElementsAre("a", "b", "d"));
  }
  EXPECT_EQ(table.CurrentManifests().size(), 1U);
  EXPECT_THAT(table.AllFiles(), IsSupersetOf(table.ReachableMetadata()));
  EXPECT_EQ(table.Load().metadata->Property("owner", ""), "sales");
}

// The merged manifest of the second snapshot holds the file of the first with numbers that
// are others in the retry.
TEST(RetriedAppendsTest, ARetriedTransactionNumbersTheRowsOfItsFirstSnapshotAnew) {
  TestTable table(
      {.format_version = 3, .properties = {{"commit.manifest.min-count-to-merge", "2"}}});
  ScriptedCatalog catalog(table.catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count == 1) table.Add({table.MakeDataFile("rival")});
  };
  CommitContext context = table.context();
  context.catalog = &catalog;
  Transaction transaction(context, table.Load());
  ASSERT_THAT(transaction.Append(AppendOf(table.MakeDataFile("a"))), IsOk());
  ASSERT_THAT(transaction.Append(AppendOf(table.MakeDataFile("b"))), IsOk());

  ASSERT_THAT(transaction.Commit(), IsOk());

  EXPECT_EQ(catalog.commit_count, 2);
  std::map<std::string, std::pair<int64_t, int64_t>> numbers;
  for (const ManifestEntry& entry : table.LiveEntries()) {
    numbers[std::string(UriFileName(entry.file.file_path))] = {
        entry.sequence_number.value_or(-1), entry.file.first_row_id.value_or(-1)};
  }
  EXPECT_THAT(numbers, ElementsAre(Pair("a", Pair(2, 10)), Pair("b", Pair(3, Ge(20))),
                                   Pair("rival", Pair(1, 0))));
}

// Expiry forgets schemas that nothing uses, such as the one that a writer is about to name.
TEST(RetriedAppendsTest, ASchemaThatIsForgottenMeanwhileIsNoReasonToFail) {
  TestTable table;
  ScriptedCatalog catalog(table.catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count > 1) return;
    const Table base = table.Load();
    std::vector<NestedField> fields = base.metadata->current_schema()->fields();
    NestedField added;
    added.id = base.metadata->last_column_id + 1;
    added.name = "more";
    added.type = Type::Primitive(TypeId::kInt);
    fields.push_back(added);
    const std::vector<TableUpdate> updates = {AddSchema{std::make_shared<const Schema>(1, fields)},
                                              SetCurrentSchema{1}, RemoveSchemas{{0}}};
    ASSERT_THAT(table.catalog().Commit(table.name(), {}, updates), IsOk());
  };
  CommitContext context = table.context();
  context.catalog = &catalog;

  ASSERT_THAT(CommitAppendFiles(context, table.Load(), AppendOf(table.MakeDataFile("a"))), IsOk());

  EXPECT_EQ(catalog.commit_count, 2);
  EXPECT_THAT(table.LivePaths(), ElementsAre("a"));
  EXPECT_EQ(table.Load().metadata->current_snapshot()->schema_id, 1);
}

INSTANTIATE_TEST_SUITE_P(Ways, RetriedMergeTest,
                         testing::Values(MergeCase{false, false}, MergeCase{false, true},
                                         MergeCase{true, false}, MergeCase{true, true}));

}  // namespace
}  // namespace firn
