#include "firn/commit/rewrite_manifests.h"

#include <algorithm>

#include <fmt/ranges.h>

#include <gmock/gmock.h>

#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// All of an entry that a rewrite must keep.
std::string Describe(const ManifestEntry& entry) {
  return fmt::format("{} {} {} {} {} {}", entry.file.file_path, entry.snapshot_id.value_or(-1),
                     entry.sequence_number.value_or(-1), entry.file_sequence_number.value_or(-1),
                     entry.file.first_row_id.value_or(-1),
                     fmt::join(entry.file.split_offsets, ","));
}

std::vector<std::string> Entries(TestTable& table) {
  std::vector<std::string> entries;
  for (const ManifestEntry& entry : table.LiveEntries())
    entries.push_back(Describe(entry));
  return entries;
}

size_t CountManifests(TestTable& table, ManifestContent content) {
  const auto manifests = table.CurrentManifests();
  return static_cast<size_t>(
      std::count_if(manifests.begin(), manifests.end(),
                    [&](const ManifestFile& manifest) { return manifest.content == content; }));
}

class RewriteManifestsTest : public testing::TestWithParam<int> {
 protected:
  RewriteManifestsResult Rewrite(TestTable& table, const RewriteManifestsRequest& request = {}) {
    auto result = CommitRewriteManifests(table.context(), table.Load(), request);
    EXPECT_THAT(result, IsOk());
    return result.ok() ? *result : RewriteManifestsResult();
  }
};

TEST_P(RewriteManifestsTest, KeepsEverythingAboutEveryEntry) {
  TestTable table({.format_version = GetParam(), .is_partitioned = true});
  for (int i = 0; i < 8; ++i) {
    DataFile file = table.MakeDataFile(std::to_string(i), 10 + i, i % 2 == 0 ? "a" : "b");
    for (int64_t offset = 0; offset <= i; ++offset)  // B29
      file.split_offsets.push_back(4 + offset * 100);
    table.Add({file});
  }
  table.Remove(std::string(table.LiveEntries().front().file.file_path));
  if (GetParam() >= 2) {
    table.Add({table.MakeEqualityDeletes("e1", "a")});
    table.Add({table.MakeEqualityDeletes("e2", "b")});
  }
  const auto before = Entries(table);
  const auto result = Rewrite(table);
  EXPECT_EQ(result.rewritten_manifests_count, GetParam() >= 2 ? 10 : 8);
  EXPECT_EQ(result.added_manifests_count, GetParam() >= 2 ? 2 : 1);
  EXPECT_EQ(Entries(table), before);
  for (const ManifestEntry& entry : table.LiveEntries())
    EXPECT_EQ(entry.status, EntryStatus::kExisting);
  const Table loaded = table.Load();
  const Snapshot& snapshot = *loaded.metadata->current_snapshot();
  EXPECT_EQ(snapshot.operation, "replace");
  EXPECT_EQ(snapshot.summary.Find("entries-processed"), GetParam() >= 2 ? "9" : "7");
  // The second time there is nothing to do.
  const auto again = Rewrite(table);
  EXPECT_EQ(again.rewritten_manifests_count, 0);
  EXPECT_EQ(again.snapshot_id, std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Versions, RewriteManifestsTest, testing::Values(1, 2, 3));

// B30
TEST(RewriteManifestsSizeTest, CutsOneLargePartitionIntoManifestsOfTheTargetSize) {
  constexpr int64_t kTarget = 20'000;
  TestTable table({.is_partitioned = true,
                   .properties = {{"commit.manifest.target-size-bytes", std::to_string(kTarget)}}});
  for (int commit = 0; commit < 4; ++commit) {
    std::vector<DataFile> files;
    for (int i = 0; i < 1'500; ++i) {
      const uint32_t name = static_cast<uint32_t>(i * 7919 + commit) * 104'729U;
      files.push_back(table.MakeDataFile(fmt::format("{:08x}-{}", name, i), 100 + i * 31 % 977));
    }
    table.Add(files);
  }
  const auto before = Entries(table);
  const auto result = CommitRewriteManifests(table.context(), table.Load(), {});
  ASSERT_THAT(result, IsOk());
  EXPECT_GT(result->added_manifests_count, 4);
  EXPECT_EQ(Entries(table), before);
  for (const ManifestFile& manifest : table.CurrentManifests())
    EXPECT_LE(manifest.manifest_length, kTarget * 13 / 10);
}

TEST(RewriteManifestsOrderTest, PutsNearPartitionsTogether) {
  TestTable table(
      {.is_partitioned = true, .properties = {{"commit.manifest.target-size-bytes", "9000"}}});
  for (int commit = 0; commit < 6; ++commit) {
    std::vector<DataFile> files;
    for (char partition = 'a'; partition <= 'z'; ++partition)
      files.push_back(table.MakeDataFile(fmt::format("{}{}", partition, commit), 10,
                                         std::string(1, partition)));
    table.Add(files);
  }
  ASSERT_THAT(CommitRewriteManifests(table.context(), table.Load(), {}), IsOk());
  std::vector<std::pair<std::string, std::string>> ranges;
  for (const ManifestFile& manifest : table.CurrentManifests())
    ranges.emplace_back(*manifest.partitions->front().lower_bound,
                        *manifest.partitions->front().upper_bound);
  ASSERT_GT(ranges.size(), 1U);
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i)
    EXPECT_LE(ranges[i - 1].second, ranges[i].first);
  EXPECT_THAT(ChooseManifestsToRewrite(table.Load(), {}),
              IsOkAnd(testing::Field(&ManifestsToRewrite::manifests, IsEmpty())));
}

TEST(RewriteManifestsChoiceTest, TakesOnlySmallManifestsOfOneSpec) {
  TestTable table;
  std::vector<DataFile> many;
  for (int i = 0; i < 2'000; ++i)
    many.push_back(table.MakeDataFile(fmt::format("{:08x}", i * 104'729 % 999'983)));
  table.Add(many);
  for (int i = 0; i < 3; ++i)
    table.Add({table.MakeDataFile("x" + std::to_string(i))});
  const RewriteManifestsRequest request{.smaller_than_bytes = 5'000};
  EXPECT_THAT(ChooseManifestsToRewrite(table.Load(), request),
              IsOkAnd(testing::Field(&ManifestsToRewrite::manifests, SizeIs(3))));
  const auto result = CommitRewriteManifests(table.context(), table.Load(), request);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->added_manifests_count, 1);
  EXPECT_EQ(CountManifests(table, ManifestContent::kData), 2U);
  EXPECT_THAT(ChooseManifestsToRewrite(table.Load(), {.spec_id = 5}),
              IsError(ErrorCode::kInvalidInput, "spec_id is 5, expected one of 0"));
  EXPECT_THAT(ChooseManifestsToRewrite(table.Load(), {.sort_by = {{"cat"}}}),
              IsError(ErrorCode::kInvalidInput, "partition fields of spec 0: none"));
  EXPECT_THAT(ChooseManifestsToRewrite(table.Load(), {.sort_by = std::vector<std::string>()}),
              IsError(ErrorCode::kInvalidInput, "sort_by is empty"));
}

TEST(RewriteManifestsChoiceTest, IsFineWithAnEmptyTable) {
  TestTable table;
  EXPECT_THAT(CommitRewriteManifests(table.context(), table.Load(), {}), IsOk());
  EXPECT_EQ(table.Load().metadata->current_snapshot(), nullptr);
}

TEST(RewriteManifestsRaceTest, KeepsWhatARivalAddsAndStartsAgainIfARivalTakesOneAway) {
  for (const bool is_removal : {false, true}) {
    TestTable table;
    for (const char* name : {"a", "b", "c"})
      table.Add({table.MakeDataFile(name)});
    const std::string first = table.LiveEntries().front().file.file_path;
    ScriptedCatalog catalog(table.catalog());
    catalog.before_commit = [&] {
      if (catalog.commit_count > 1) return;
      if (is_removal) {
        table.Remove(first);
      } else {
        table.Add({table.MakeDataFile("late")});
      }
    };
    CommitContext context = table.context();
    context.catalog = &catalog;
    ASSERT_THAT(CommitRewriteManifests(context, table.Load(), {}), IsOk());
    EXPECT_THAT(table.LivePaths(), SizeIs(is_removal ? 2 : 4));
    EXPECT_EQ(CountManifests(table, ManifestContent::kData), is_removal ? 1U : 2U);
    // What the losing attempt wrote is gone, unless it is in use.
    const auto reachable = table.ReachableMetadata();
    for (const std::string& file : table.AllFiles()) {
      if (!file.ends_with(".avro")) continue;
      EXPECT_THAT(reachable, testing::Contains(file));
    }
  }
}

// B50: a manifest that holds only removed entries is dropped by the next append. That is no reason
// to fail.
TEST(RewriteManifestsRaceTest, AManifestWithoutLiveFilesThatARivalDropsStopsNothing) {
  TestTable table;
  for (const char* name : {"a", "b", "c"})
    table.Add({table.MakeDataFile(name)});
  table.Remove(std::string(table.LiveEntries().front().file.file_path));
  std::string dead;
  for (const ManifestFile& manifest : table.CurrentManifests()) {
    if (manifest.added_files_count == 0 && manifest.existing_files_count == 0)
      dead = manifest.manifest_path;
  }
  ASSERT_NE(dead, "");
  const auto has_dead = [&] {
    const auto manifests = table.CurrentManifests();
    return std::any_of(manifests.begin(), manifests.end(), [&](const ManifestFile& manifest) {
      return manifest.manifest_path == dead;
    });
  };
  ScriptedCatalog catalog(table.catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count > 1) return;
    AppendFilesRequest late;
    late.data_files = {table.MakeDataFile("late")};
    ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), late), IsOk());
    ASSERT_FALSE(has_dead());
  };
  CommitContext context = table.context();
  context.catalog = &catalog;
  const Table planned = table.Load();
  ASSERT_TRUE(has_dead());

  ASSERT_THAT(CommitRewriteManifests(context, planned, {}), IsOk());

  EXPECT_LE(catalog.commit_count, 2);
  EXPECT_THAT(table.LivePaths(), testing::ElementsAre("b", "c", "late"));
  EXPECT_THAT(table.AllFiles(), testing::IsSupersetOf(table.ReachableMetadata()));
}

TEST(RewriteManifestsRaceTest, AnotherRunThatCameFirstLeavesNothingToDo) {
  TestTable table;
  for (const char* name : {"a", "b"})
    table.Add({table.MakeDataFile(name)});
  ScriptedCatalog catalog(table.catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count > 1) return;
    ASSERT_THAT(CommitRewriteManifests(table.context(), table.Load(), {}), IsOk());
  };
  CommitContext context = table.context();
  context.catalog = &catalog;

  const auto result = CommitRewriteManifests(context, table.Load(), {});

  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rewritten_manifests_count, 0);
  EXPECT_FALSE(result->snapshot_id.has_value());
  EXPECT_EQ(table.CurrentManifests().size(), 1U);
  EXPECT_THAT(table.AllFiles(), testing::IsSupersetOf(table.ReachableMetadata()));
}

TEST(RewriteManifestsVersionTest, RefusesDeleteFilesInATableOfVersion1) {
  TestTable table;
  for (const char* name : {"a", "b"})
    table.Add({table.MakeDataFile(name)});
  table.Add({table.MakeEqualityDeletes("e1")});
  TableMetadata metadata = *table.Load().metadata;
  metadata.format_version = 1;
  const std::string location = metadata.location + "/metadata/00009-edited.metadata.json";
  ASSERT_THAT(WriteFile(table.io(), location, AsBytes(FormatTableMetadata(metadata))), IsOk());
  const TableName name{table.name().levels, "edited"};
  const auto registered = table.catalog().Register(name, location);
  ASSERT_THAT(registered, IsOk());
  const Table& planned = *registered;
  const size_t before = table.AllFiles().size();

  EXPECT_THAT(CommitRewriteManifests(table.context(), planned, {}),
              IsError(ErrorCode::kCorrupt, "format version 1, but manifest list"));
  AppendFilesRequest append;
  append.data_files = {table.MakeDataFile("c")};
  EXPECT_THAT(CommitAppendFiles(table.context(), planned, append),
              IsError(ErrorCode::kCorrupt, "nothing was committed"));
  EXPECT_EQ(table.AllFiles().size(), before);
}

TEST(RewriteManifestsRaceTest, DeletesNothingWhileTheOutcomeIsUnknown) {
  TestTable table;
  for (const char* name : {"a", "b"})
    table.Add({table.MakeDataFile(name)});
  ScriptedCatalog catalog(table.catalog());
  catalog.lost_answer = Error(ErrorCode::kCommitUnknown, "no answer");
  catalog.lost_commit_happens = false;
  CommitContext context = table.context();
  context.catalog = &catalog;
  const size_t before = table.AllFiles().size();
  EXPECT_THAT(CommitRewriteManifests(context, table.Load(), {}),
              IsError(ErrorCode::kCommitUnknown));
  EXPECT_EQ(table.AllFiles().size(), before + 2);
}

}  // namespace
}  // namespace firn
