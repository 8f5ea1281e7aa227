#include <gmock/gmock.h>

#include "firn/base/version.h"
#include "firn/commit/commit.h"
#include "firn/io/uri.h"
#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::Not;
using ::testing::Optional;

/// A rewrite of `inputs`, planned at the current snapshot, into one file.
RewriteFilesRequest RequestFor(TestTable& table, const std::vector<DataFile>& inputs,
                               const std::string& output_name = "merged.parquet") {
  const Table planned = table.Load();
  const Snapshot* start = planned.metadata->current_snapshot();
  RewriteFilesRequest request;
  request.starting_snapshot_id = start->snapshot_id;
  request.data_sequence_number = start->sequence_number;
  request.removed_data_files = inputs;
  int64_t records = 0;
  for (const DataFile& file : inputs) {
    records += file.record_count;
  }
  DataFile output = table.MakeDataFile(output_name, records);
  output.partition = inputs.front().partition;
  request.added_data_files = {output};
  EXPECT_THAT(WriteFile(table.io(), output.file_path, AsBytes("rows")), IsOk());
  return request;
}

DeleteFilePtr Deletes(const DataFile& file) {
  return std::make_shared<const DeleteFile>(DeleteFile{.file = file, .sequence_number = 0});
}

TEST(RewriteFilesTest, ReplacesFilesByOneSnapshotOfOperationReplace) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  const DataFile b = table.MakeDataFile("b.parquet");
  const DataFile c = table.MakeDataFile("c.parquet");
  table.Add({a, b});
  table.Add({c});

  const auto result = CommitRewriteFiles(table.context(), table.Load(), RequestFor(table, {a, b}));

  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(table.LivePaths(), ElementsAre("c.parquet", "merged.parquet"));
  const Table after = table.Load();
  const Snapshot* snapshot = after.metadata->current_snapshot();
  EXPECT_EQ(snapshot->snapshot_id, result->snapshot_id);
  EXPECT_EQ(snapshot->operation, "replace");
  const Summary expected = {{"engine-name", "firn"},         {"engine-version", Version()},
                            {"added-data-files", "1"},       {"deleted-data-files", "2"},
                            {"added-records", "20"},         {"deleted-records", "20"},
                            {"added-files-size", "2000"},    {"removed-files-size", "2000"},
                            {"changed-partition-count", "1"}};
  EXPECT_EQ(snapshot->summary, expected);  // No totals: the head before it tells none.
}

TEST(RewriteFilesTest, RecordsRemovedFilesAsDeletedEntriesOfItsSnapshot) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  const DataFile b = table.MakeDataFile("b.parquet");
  const Snapshot added = table.Add({a, b});
  const RewriteFilesRequest request = RequestFor(table, {a});

  const auto result = CommitRewriteFiles(table.context(), table.Load(), request);

  ASSERT_THAT(result, IsOk());
  std::vector<std::string> seen;
  const TypePtr no_partition = Type::Struct({});
  for (const ManifestFile& manifest : table.CurrentManifests()) {
    ASSERT_THAT(ReadManifest(table.io(), manifest, *no_partition, {},
                             [&](ManifestEntry& entry) -> Status {
                               seen.push_back(fmt::format(
                                   "{} {} {}", UriFileName(entry.file.file_path),
                                   static_cast<int>(entry.status),
                                   entry.snapshot_id == added.snapshot_id ? "old" : "new"));
                               return {};
                             }),
                IsOk());
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAre("merged.parquet 1 new", "a.parquet 2 new",
                                                  "b.parquet 0 old"));
}

// B27: pinning an older sequence number survives the merge of manifests in the same commit.
TEST(RewriteFilesTest, KeepsThePinnedSequenceNumberWhenManifestsAreMerged) {
  TestTable table({.properties = {{"commit.manifest.min-count-to-merge", "2"}}});
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  const RewriteFilesRequest request = RequestFor(table, {a});
  const Table planned = table.Load();
  table.Add({table.MakeEqualityDeletes("eq.parquet")});

  ASSERT_THAT(CommitRewriteFiles(table.context(), planned, request), IsOk());

  for (const ManifestEntry& entry : table.LiveEntries()) {
    if (UriFileName(entry.file.file_path) == "merged.parquet") {
      EXPECT_THAT(entry.sequence_number, Optional(1));
      EXPECT_THAT(entry.file_sequence_number, Optional(3));
    }
  }
  EXPECT_THAT(table.LivePaths(), ElementsAre("eq.parquet", "merged.parquet"));
}

TEST(RewriteFilesTest, MergesManifestsOnceThereAreEnough) {
  TestTable table({.properties = {{"commit.manifest.min-count-to-merge", "3"}}});
  std::vector<DataFile> files;
  for (int i = 0; i < 4; ++i) {
    files.push_back(table.MakeDataFile(fmt::format("{}.parquet", i)));
    table.Add({files.back()});
  }

  ASSERT_THAT(CommitRewriteFiles(table.context(), table.Load(), RequestFor(table, {files[0]})),
              IsOk());

  EXPECT_EQ(table.CurrentManifests().size(), 1U);
  EXPECT_THAT(table.LivePaths(),
              ElementsAre("1.parquet", "2.parquet", "3.parquet", "merged.parquet"));
}

TEST(RewriteFilesTest, IsRetriedAfterAConcurrentAppendAndKeepsItsRows) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  const RewriteFilesRequest request = RequestFor(table, {a});
  const Table planned = table.Load();
  table.Add({table.MakeDataFile("late.parquet")});

  ASSERT_THAT(CommitRewriteFiles(table.context(), planned, request), IsOk());

  EXPECT_THAT(table.LivePaths(), ElementsAre("late.parquet", "merged.parquet"));
}

// B24, B64: a row deleted during compaction must stay deleted.
TEST(RewriteFilesTest, RefusesAPositionDeleteForAnInputThatCameMeanwhile) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  const RewriteFilesRequest request = RequestFor(table, {a});
  const Table planned = table.Load();
  table.Add({table.MakePositionDeletes("deletes.parquet", a)});

  EXPECT_THAT(CommitRewriteFiles(table.context(), planned, request),
              IsError(ErrorCode::kCommitConflict, "deletes.parquet"));
  EXPECT_THAT(table.LivePaths(), ElementsAre("a.parquet", "deletes.parquet"));
}

// B43: a delete for one file does not stop the compaction of another in the same partition.
TEST(RewriteFilesTest, IgnoresAPositionDeleteForAnotherFile) {
  TestTable table({.is_partitioned = true});
  const DataFile a = table.MakeDataFile("a.parquet");
  const DataFile b = table.MakeDataFile("b.parquet");
  table.Add({a, b});
  const RewriteFilesRequest request = RequestFor(table, {a});
  const Table planned = table.Load();
  table.Add({table.MakePositionDeletes("deletes.parquet", b)});

  EXPECT_THAT(CommitRewriteFiles(table.context(), planned, request), IsOk());
}

TEST(RewriteFilesTest, RefusesAPartitionWidePositionDeleteOfAnInputsPartition) {
  TestTable table({.is_partitioned = true});
  const DataFile a = table.MakeDataFile("a.parquet", 10, "x");
  const DataFile b = table.MakeDataFile("b.parquet", 10, "y");
  table.Add({a, b});
  const RewriteFilesRequest request_a = RequestFor(table, {a}, "a2.parquet");
  const RewriteFilesRequest request_b = RequestFor(table, {b}, "b2.parquet");
  const Table planned = table.Load();
  table.Add({table.MakePositionDeletes("deletes.parquet", a, false)});

  EXPECT_THAT(CommitRewriteFiles(table.context(), planned, request_a),
              IsError(ErrorCode::kCommitConflict));
  EXPECT_THAT(CommitRewriteFiles(table.context(), planned, request_b), IsOk());
}

// B20: an equality delete that arrives during compaction stays in force for the rewritten rows.
TEST(RewriteFilesTest, KeepsALateEqualityDeleteInForceByTheStartingSequenceNumber) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  const RewriteFilesRequest request = RequestFor(table, {a});
  const Table planned = table.Load();
  const Snapshot late = table.Add({table.MakeEqualityDeletes("eq.parquet")});

  ASSERT_THAT(CommitRewriteFiles(table.context(), planned, request), IsOk());

  const std::vector<ManifestEntry> entries = table.LiveEntries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_THAT(entries[0].sequence_number, Optional(late.sequence_number));
  EXPECT_LT(entries[1].sequence_number.value_or(99), late.sequence_number);
}

TEST(RewriteFilesTest, RefusesALateEqualityDeleteWithoutStartingSequenceNumber) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  RewriteFilesRequest request = RequestFor(table, {a});
  request.data_sequence_number.reset();
  const Table planned = table.Load();
  table.Add({table.MakeEqualityDeletes("eq.parquet")});

  EXPECT_THAT(CommitRewriteFiles(table.context(), planned, request),
              IsError(ErrorCode::kCommitConflict, "eq.parquet"));
}

TEST(RewriteFilesTest, RefusesAnInputThatIsGoneAndLeavesNothingButTheCallersFiles) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  const DataFile b = table.MakeDataFile("b.parquet");
  table.Add({a, b});
  const RewriteFilesRequest request = RequestFor(table, {a, b});
  const Table planned = table.Load();
  table.Remove(a.file_path);
  const std::vector<std::string> before = table.AllFiles();

  EXPECT_THAT(CommitRewriteFiles(table.context(), planned, request),
              IsError(ErrorCode::kCommitConflict, "a.parquet"));

  EXPECT_EQ(table.AllFiles(), before);  // B26
}

TEST(RewriteFilesTest, RefusesAHistoryThatWasRolledBackBehindItsStart) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  const Snapshot first = table.Add({a});
  table.Add({table.MakePositionDeletes("deletes.parquet", a)});
  const RewriteFilesRequest request = RequestFor(table, {a});
  const Table planned = table.Load();
  table.SetRef("main", first.snapshot_id);

  EXPECT_THAT(CommitRewriteFiles(table.context(), planned, request),
              IsError(ErrorCode::kCommitConflict, "history"));
}

TEST(RewriteFilesTest, RemovesObsoleteDeletesAndOnlyOneVectorOfASharedPuffin) {
  TestTable table({.format_version = 3});
  const DataFile a = table.MakeDataFile("a.parquet");
  const DataFile b = table.MakeDataFile("b.parquet");
  const DataFile vector_a = table.MakeDeletionVector("shared.puffin", a, 4, 2);
  const DataFile vector_b = table.MakeDeletionVector("shared.puffin", b, 44, 3);
  table.Add({a, b});
  table.Add({vector_a, vector_b});
  RewriteFilesRequest request = RequestFor(table, {a});
  request.removed_delete_files = {Deletes(vector_a)};

  const auto result = CommitRewriteFiles(table.context(), table.Load(), request);

  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->removed_delete_files, 1);
  EXPECT_THAT(table.LivePaths(), ElementsAre("b.parquet", "merged.parquet", "shared.puffin"));
  EXPECT_THAT(table.LiveEntries().back().file.content_offset, Optional(44));
}

TEST(RewriteFilesTest, AssignsRowIdsOfVersion3FromTheTableAndAdvancesThem) {
  TestTable table({.format_version = 3});
  const DataFile a = table.MakeDataFile("a.parquet", 10);
  table.Add({a});
  ASSERT_EQ(table.Load().metadata->next_row_id, 10);

  ASSERT_THAT(CommitRewriteFiles(table.context(), table.Load(), RequestFor(table, {a})), IsOk());

  EXPECT_GE(table.Load().metadata->next_row_id, 20);
  EXPECT_THAT(table.LiveEntries().front().file.first_row_id, Optional(10));
}

// Rows that were read without ids would get others than those that they have by now.
TEST(RewriteFilesTest, RefusesInputsWhoseRowsGotIdsMeanwhile) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  const Table planned = table.Load();
  const RewriteFilesRequest request = RequestFor(table, {a});
  const std::vector<TableUpdate> upgrade = {UpgradeFormatVersion{3}};
  ASSERT_THAT(table.catalog().Commit(table.name(), {}, upgrade), IsOk());
  AppendFilesRequest append;
  append.data_files = {table.MakeDataFile("b.parquet")};
  ASSERT_THAT(CommitAppendFiles(table.context(), table.Load(), append), IsOk());

  EXPECT_THAT(CommitRewriteFiles(table.context(), planned, request),
              IsError(ErrorCode::kCommitConflict, "got row ids after they were read"));
  EXPECT_THAT(table.LivePaths(), ElementsAre("a.parquet", "b.parquet"));
}

// As long as no snapshot of version 3 was committed, nobody knows of row ids.
TEST(RewriteFilesTest, GivesRowIdsToRowsThatHaveNone) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  const Table planned = table.Load();
  const RewriteFilesRequest request = RequestFor(table, {a});
  const std::vector<TableUpdate> upgrade = {UpgradeFormatVersion{3}};
  ASSERT_THAT(table.catalog().Commit(table.name(), {}, upgrade), IsOk());

  EXPECT_THAT(CommitRewriteFiles(table.context(), planned, request), IsOk());
}

TEST(RewriteFilesTest, LeavesOnlyReachableMetadataAfterALostAttempt) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  const RewriteFilesRequest request = RequestFor(table, {a});
  ScriptedCatalog catalog(table.catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count == 1) {
      table.Add({table.MakeDataFile("late.parquet")});
    }
  };
  CommitContext context = table.context();
  context.catalog = &catalog;

  const auto result = CommitRewriteFiles(context, table.Load(), request);

  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->attempts, 2);
  EXPECT_THAT(table.LivePaths(), ElementsAre("late.parquet", "merged.parquet"));
  const std::vector<std::string> reachable = table.ReachableMetadata();
  for (const std::string& uri : table.AllFiles()) {
    if (uri.ends_with(".avro")) {
      EXPECT_THAT(reachable, Contains(uri));
    }
  }
}

TEST(RewriteFilesTest, GivesUpAfterTheRetriesOfTheTableAndLeavesNoManifest) {
  TestTable table({.properties = {{"commit.retry.num-retries", "2"}}});
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  const RewriteFilesRequest request = RequestFor(table, {a});
  ScriptedCatalog catalog(table.catalog());
  int late = 0;
  catalog.before_commit = [&] { table.Add({table.MakeDataFile(fmt::format("late{}", late++))}); };
  CommitContext context = table.context();
  context.catalog = &catalog;

  EXPECT_THAT(CommitRewriteFiles(context, table.Load(), request),
              IsError(ErrorCode::kCommitConflict, "giving up after 3 attempts"));
  EXPECT_EQ(catalog.commit_count, 3);
  for (const std::string& uri : table.AllFiles()) {
    if (uri.ends_with(".avro")) {
      EXPECT_THAT(table.ReachableMetadata(), Contains(uri));
    }
  }
}

// B52, B57: a lost answer to a commit that happened is a success, and nothing is deleted.
TEST(RewriteFilesTest, FindsItsOwnSnapshotAfterALostAnswer) {
  for (const ErrorCode code :
       {ErrorCode::kCommitUnknown, ErrorCode::kUnavailable, ErrorCode::kCommitConflict}) {
    TestTable table;
    const DataFile a = table.MakeDataFile("a.parquet");
    table.Add({a});
    const RewriteFilesRequest request = RequestFor(table, {a});
    ScriptedCatalog catalog(table.catalog());
    catalog.lost_answer = MakeError(code, "the answer was lost");
    CommitContext context = table.context();
    context.catalog = &catalog;

    const auto result = CommitRewriteFiles(context, table.Load(), request);

    ASSERT_THAT(result, IsOk()) << FormatErrorCode(code);
    EXPECT_EQ(catalog.commit_count, 1);
    EXPECT_THAT(table.LivePaths(), ElementsAre("merged.parquet"));
    EXPECT_THAT(table.AllFiles(), Contains(request.added_data_files.front().file_path));
    EXPECT_THAT(table.AllFiles(), testing::IsSupersetOf(table.ReachableMetadata()));
  }
}

// B53: while the outcome is unknown, no file is deleted.
TEST(RewriteFilesTest, DeletesNothingWhileTheOutcomeIsUnknown) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  const RewriteFilesRequest request = RequestFor(table, {a});
  ScriptedCatalog catalog(table.catalog());
  catalog.lost_answer = MakeError(ErrorCode::kCommitUnknown, "the answer was lost");
  catalog.lost_commit_happens = false;
  CommitContext context = table.context();
  context.catalog = &catalog;
  const size_t files_before = table.AllFiles().size();

  EXPECT_THAT(CommitRewriteFiles(context, table.Load(), request),
              IsError(ErrorCode::kCommitUnknown, "look for this snapshot id"));

  EXPECT_EQ(catalog.commit_count, 1);
  EXPECT_GT(table.AllFiles().size(), files_before);
  EXPECT_THAT(table.AllFiles(), Contains(request.added_data_files.front().file_path));
}

TEST(RewriteFilesTest, CommitsToABranchAndLeavesMainAlone) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  const Snapshot first = table.Add({a});
  table.SetRef("audit", first.snapshot_id);
  RewriteFilesRequest request = RequestFor(table, {a});
  request.branch = "audit";

  const auto result = CommitRewriteFiles(table.context(), table.Load(), request);

  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(table.Load().metadata->refs.at("audit").snapshot_id, result->snapshot_id);
  EXPECT_THAT(table.LivePaths(), ElementsAre("a.parquet"));
}

TEST(RewriteFilesTest, RefusesATagAndAMissingBranch) {
  TestTable table;
  const DataFile a = table.MakeDataFile("a.parquet");
  const Snapshot first = table.Add({a});
  table.SetRef("release", first.snapshot_id, RefType::kTag);
  RewriteFilesRequest request = RequestFor(table, {a});

  request.branch = "release";
  EXPECT_THAT(CommitRewriteFiles(table.context(), table.Load(), request),
              IsError(ErrorCode::kInvalidInput, "'release' is a tag"));
  request.branch = "nobody";
  EXPECT_THAT(CommitRewriteFiles(table.context(), table.Load(), request),
              IsError(ErrorCode::kNotFound, "branch 'nobody'"));
}

TEST(RewriteFilesTest, RewritesTablesOfVersion1) {
  TestTable table({.format_version = 1});
  const DataFile a = table.MakeDataFile("a.parquet");
  table.Add({a});
  RewriteFilesRequest request = RequestFor(table, {a});
  request.data_sequence_number.reset();

  ASSERT_THAT(CommitRewriteFiles(table.context(), table.Load(), request), IsOk());
  EXPECT_THAT(table.LivePaths(), ElementsAre("merged.parquet"));
}

}  // namespace
}  // namespace firn
