#include <gmock/gmock.h>

#include "firn/commit/cherry_pick.h"
#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StagedSnapshotsTest : public testing::TestWithParam<int> {
 protected:
  StagedSnapshotsTest()
      : table_({.format_version = GetParam(),
                .is_partitioned = true,
                .properties = {{"write.wap.enabled", "true"}}}) {}

  Result<CommitResult> Append(const std::string& file, const std::string& partition = "a",
                              std::optional<std::string> wap_id = {}) {
    AppendFilesRequest request;
    request.data_files = {table_.MakeDataFile(file, 10, partition)};
    request.wap_id = std::move(wap_id);
    request.is_staged = request.wap_id.has_value();
    return CommitAppendFiles(table_.context(), table_.Load(), request);
  }

  // What `--mode overwrite-partitions` commits.
  Result<CommitResult> StageOverwrite(const std::string& file, const std::string& partition) {
    ChangeFilesRequest request;
    request.added_data_files = {table_.MakeDataFile(file, 10, partition)};
    request.replaced_partitions = {
        {request.added_data_files[0].partition_spec_id, request.added_data_files[0].partition}};
    request.summary_properties["replace-partitions"] = "true";
    request.is_staged = true;
    return CommitChangeFiles(table_.context(), table_.Load(), request);
  }

  Result<CommitResult> Pick(SnapshotId snapshot_id) {
    return CherryPickSnapshot(table_.context(), table_.Load(), snapshot_id);
  }

  void Expire(SnapshotId snapshot_id) {
    const TableChangeContext context{
        table_.context().catalog, table_.context().clock, table_.context().random, {}};
    const auto plan = [=](const TableMetadata&) -> Result<std::vector<TableUpdate>> {
      return std::vector<TableUpdate>{RemoveSnapshots{{snapshot_id}}};
    };
    ASSERT_THAT(ChangeTable(context, table_.Load(), plan), IsOk());
  }

  TestTable table_;
};

INSTANTIATE_TEST_SUITE_P(Versions, StagedSnapshotsTest, testing::Values(1, 2, 3));

TEST_P(StagedSnapshotsTest, AStagedSnapshotIsInTheTableButNotInMain) {
  ASSERT_THAT(Append("a"), IsOk());
  const auto staged = Append("b", "a", "night-1");
  ASSERT_THAT(staged, IsOk());

  const Table after = table_.Load();
  const Snapshot* snapshot = after.metadata->FindSnapshot(staged->snapshot_id);
  ASSERT_NE(snapshot, nullptr);
  EXPECT_EQ(snapshot->summary.Find("wap.id"), "night-1");
  EXPECT_EQ(snapshot->parent_snapshot_id, after.metadata->current_snapshot_id);
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a"));
  EXPECT_THAT(after.metadata->snapshot_log, SizeIs(1));
}

TEST_P(StagedSnapshotsTest, TheFirstSnapshotOfATableCanBeStaged) {
  const auto staged = Append("a", "a", "w");
  ASSERT_THAT(staged, IsOk());
  EXPECT_FALSE(table_.Load().metadata->current_snapshot_id.has_value());
  ASSERT_THAT(Pick(staged->snapshot_id), IsOk());
  EXPECT_EQ(table_.Load().metadata->current_snapshot_id, staged->snapshot_id);
}

TEST_P(StagedSnapshotsTest, AWapIdIsGivenOnlyOnceAndOnlyIfTheTableAllowsIt) {
  ASSERT_THAT(Append("a", "a", "w"), IsOk());
  EXPECT_THAT(Append("b", "a", "w"),
              IsError(ErrorCode::kAlreadyExists, "WAP id 'w' was used by snapshot "));

  TestTable plain;
  AppendFilesRequest request;
  request.data_files = {plain.MakeDataFile("a")};
  request.is_staged = true;
  request.wap_id = "w";
  EXPECT_THAT(CommitAppendFiles(plain.context(), plain.Load(), request),
              IsError(ErrorCode::kInvalidInput, "write.wap.enabled=true"));
  request.wap_id.reset();
  EXPECT_THAT(CommitAppendFiles(plain.context(), plain.Load(), request), IsOk());
}

TEST_P(StagedSnapshotsTest, OnlyMainTakesStagedSnapshots) {
  ASSERT_THAT(Append("a"), IsOk());
  table_.SetRef("audit", *table_.Load().metadata->current_snapshot_id);
  AppendFilesRequest request;
  request.data_files = {table_.MakeDataFile("b")};
  request.branch = "audit";
  request.is_staged = true;
  EXPECT_THAT(CommitAppendFiles(table_.context(), table_.Load(), request),
              IsError(ErrorCode::kInvalidInput, "on 'main' only"));
}

TEST_P(StagedSnapshotsTest, PublishingMovesMainIfItIsAtTheParent) {
  ASSERT_THAT(Append("a"), IsOk());
  const auto staged = Append("b", "a", "w");
  ASSERT_THAT(staged, IsOk());
  const auto found = FindStagedSnapshot(*table_.Load().metadata, "w");
  ASSERT_THAT(found, IsOk());
  const auto picked = Pick(*found);
  ASSERT_THAT(picked, IsOk());
  EXPECT_EQ(picked->snapshot_id, staged->snapshot_id);
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "b"));
  EXPECT_THAT(table_.Load().metadata->snapshots, SizeIs(2));
  EXPECT_THAT(Pick(*found), IsError(ErrorCode::kAlreadyExists, "in the history of main already"));
}

TEST_P(StagedSnapshotsTest, PublishingRepeatsAnAppendIfMainMovedOn) {
  ASSERT_THAT(Append("a"), IsOk());
  const auto staged = Append("b", "a", "w");
  ASSERT_THAT(staged, IsOk());
  ASSERT_THAT(Append("c"), IsOk());

  const auto picked = Pick(staged->snapshot_id);
  ASSERT_THAT(picked, IsOk());
  EXPECT_NE(picked->snapshot_id, staged->snapshot_id);
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "b", "c"));
  const Table after = table_.Load();
  const Snapshot* current = after.metadata->current_snapshot();
  EXPECT_EQ(current->operation, "append");
  EXPECT_EQ(current->summary.Find("source-snapshot-id"), std::to_string(staged->snapshot_id));
  EXPECT_EQ(current->summary.Find("published-wap-id"), "w");
  EXPECT_EQ(current->summary.Find("added-records"), "10");
  EXPECT_EQ(current->summary.Find("total-records"), "30");

  EXPECT_THAT(Pick(staged->snapshot_id),
              IsError(ErrorCode::kAlreadyExists, "was published already, by snapshot "));
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "b", "c"));
}

TEST_P(StagedSnapshotsTest, RowsThatArePublishedByARepeatHaveTheirOwnRowIds) {
  if (GetParam() < 3) return;  // Older versions have none.
  ASSERT_THAT(Append("a"), IsOk());
  const auto staged = Append("b", "a", "w");
  ASSERT_THAT(staged, IsOk());
  ASSERT_THAT(Append("c"), IsOk());
  ASSERT_THAT(Pick(staged->snapshot_id), IsOk());
  std::set<int64_t> first_ids;
  for (const ManifestEntry& entry : table_.LiveEntries()) {
    ASSERT_TRUE(entry.file.first_row_id.has_value());
    EXPECT_TRUE(first_ids.insert(*entry.file.first_row_id).second);
  }
  EXPECT_EQ(table_.Load().metadata->next_row_id, 40);
}

TEST_P(StagedSnapshotsTest, AnotherSnapshotWithThePublishedWapIdIsRefused) {
  ASSERT_THAT(Append("a"), IsOk());
  const auto first = Append("b", "a", "w");
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(Append("c"), IsOk());
  ASSERT_THAT(Pick(first->snapshot_id), IsOk());
  EXPECT_THAT(Append("d", "a", "w"), IsError(ErrorCode::kAlreadyExists, "'w' was used"));
}

TEST_P(StagedSnapshotsTest, AnOverwriteOfPartitionsIsRepeatedUnlessTheyChanged) {
  ASSERT_THAT(Append("a1", "a"), IsOk());
  ASSERT_THAT(Append("b1", "b"), IsOk());
  const auto for_a = StageOverwrite("a2", "a");
  ASSERT_THAT(for_a, IsOk());
  const auto for_b = StageOverwrite("b2", "b");
  ASSERT_THAT(for_b, IsOk());
  ASSERT_THAT(Append("b3", "b"), IsOk());

  ASSERT_THAT(Pick(for_a->snapshot_id), IsOk());
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a2", "b1", "b3"));
  const Table after = table_.Load();
  const Snapshot* current = after.metadata->current_snapshot();
  EXPECT_EQ(current->operation, "overwrite");
  EXPECT_EQ(current->summary.Find("replace-partitions"), "true");

  EXPECT_THAT(Pick(for_b->snapshot_id),
              IsError(ErrorCode::kCommitConflict, "/b3' to a partition that is to be overwritten"));
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a2", "b1", "b3"));
}

TEST_P(StagedSnapshotsTest, OtherOperationsArePublishedOnlyOntoTheirParent) {
  ASSERT_THAT(Append("a"), IsOk());
  ChangeFilesRequest request;
  request.replaces_table = true;
  request.is_staged = true;
  const auto emptied = CommitChangeFiles(table_.context(), table_.Load(), request);
  ASSERT_THAT(emptied, IsOk());
  ASSERT_THAT(Append("b"), IsOk());
  EXPECT_THAT(Pick(emptied->snapshot_id), IsError(ErrorCode::kInvalidInput, "main has moved on"));
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "b"));
}

TEST_P(StagedSnapshotsTest, ARaceForTheSameSnapshotPublishesItOnce) {
  ASSERT_THAT(Append("a"), IsOk());
  const auto staged = Append("b", "a", "w");
  ASSERT_THAT(staged, IsOk());
  ASSERT_THAT(Append("c"), IsOk());
  ScriptedCatalog catalog(table_.catalog());
  bool is_raced = false;
  catalog.before_commit = [&] {
    if (std::exchange(is_raced, true)) return;
    ASSERT_THAT(Pick(staged->snapshot_id), IsOk());
  };
  CommitContext context = table_.context();
  context.catalog = &catalog;
  EXPECT_THAT(CherryPickSnapshot(context, table_.Load(), staged->snapshot_id),
              IsError(ErrorCode::kAlreadyExists, "was published already"));
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "b", "c"));
}

TEST_P(StagedSnapshotsTest, RowsAreNotDoubledWhereTheSnapshotThatPublishedThemHasExpired) {
  ASSERT_THAT(Append("a"), IsOk());
  const auto staged = Append("b", "a", "w");
  ASSERT_THAT(staged, IsOk());
  ASSERT_THAT(Append("c"), IsOk());
  const auto published = Pick(staged->snapshot_id);
  ASSERT_THAT(published, IsOk());
  ASSERT_THAT(Append("d"), IsOk());
  Expire(published->snapshot_id);
  EXPECT_THAT(Pick(staged->snapshot_id),
              IsError(ErrorCode::kCommitConflict, "would double its rows"));
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "b", "c", "d"));
}

TEST_P(StagedSnapshotsTest, AFileThatMainHasAlreadyIsNotPublished) {
  ASSERT_THAT(Append("a"), IsOk());
  const auto staged = Append("b", "a", "w");
  ASSERT_THAT(staged, IsOk());
  ASSERT_THAT(Append("b"), IsOk());  // As by add_files.
  EXPECT_THAT(Pick(staged->snapshot_id),
              IsError(ErrorCode::kAlreadyExists, "would be there twice"));
}

TEST_P(StagedSnapshotsTest, ASnapshotThatExpiresWhileItIsPublishedIsNotPublished) {
  ASSERT_THAT(Append("a"), IsOk());
  const auto staged = Append("b", "a", "w");
  ASSERT_THAT(staged, IsOk());
  ASSERT_THAT(Append("c"), IsOk());
  ScriptedCatalog catalog(table_.catalog());
  bool is_raced = false;
  catalog.before_commit = [&] {
    if (!std::exchange(is_raced, true)) Expire(staged->snapshot_id);
  };
  CommitContext context = table_.context();
  context.catalog = &catalog;
  EXPECT_THAT(CherryPickSnapshot(context, table_.Load(), staged->snapshot_id),
              IsError(ErrorCode::kNotFound, "is not in the table"));
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "c"));
}

TEST_P(StagedSnapshotsTest, HistoryThatExpiredBeforeTheSnapshotWasStagedDoesNotMatter) {
  const auto first = Append("a");
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(Append("b"), IsOk());
  table_.clock().Advance(std::chrono::seconds(1));  // Version 1 has nothing else to tell by.
  const auto staged = Append("c", "a", "w");
  ASSERT_THAT(staged, IsOk());
  ASSERT_THAT(Append("d"), IsOk());
  Expire(first->snapshot_id);
  ASSERT_THAT(Pick(staged->snapshot_id), IsOk());
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "b", "c", "d"));
}

TEST_P(StagedSnapshotsTest, APickedSnapshotTakesItsIdempotencyKeyAlong) {
  ASSERT_THAT(Append("a"), IsOk());
  AppendFilesRequest request;
  request.data_files = {table_.MakeDataFile("b")};
  request.is_staged = true;
  request.idempotency_key = "load-7";
  const auto staged = CommitAppendFiles(table_.context(), table_.Load(), request);
  ASSERT_THAT(staged, IsOk());
  ASSERT_THAT(Append("c"), IsOk());
  ASSERT_THAT(Pick(staged->snapshot_id), IsOk());
  EXPECT_TRUE(FindIdempotencyKey(*table_.Load().metadata, "main", "load-7").has_value());
}

TEST_P(StagedSnapshotsTest, WhatIsNotThereCannotBePublished) {
  ASSERT_THAT(Append("a"), IsOk());
  EXPECT_THAT(Pick(4711), IsError(ErrorCode::kNotFound, "snapshot 4711 is not in the table"));
  EXPECT_THAT(FindStagedSnapshot(*table_.Load().metadata, "w"),
              IsError(ErrorCode::kNotFound, "WAP id 'w'"));
}

}  // namespace
}  // namespace firn
