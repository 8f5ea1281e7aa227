#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include <gmock/gmock.h>

#include "firn/base/log.h"
#include "firn/data/read/row_positions.h"
#include "firn/maintain/compaction/rewrite_journal_internal.h"
#include "firn/maintain/compaction/row_rewrite_testing_internal.h"
#include "firn/maintain/deletes/convert_equality_deletes.h"
#include "firn/testing/scripted_catalog.h"

// Compactions that meet other writers: what these touched is done again, nothing else is, and the
// rows are those that both together leave.

namespace firn {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

using Options = std::map<std::string, std::string>;
using Paths = std::set<std::string>;

constexpr int64_t kFilesOfAPartition = 3;

/// Three partitions of three files of ten rows: a rewrite has three groups.
class RewriteCommitsTest : public RowRewriteTest {
 protected:
  void SetUp() override { SetLogLevel(LogLevel::kOff); }
  void TearDown() override { SetLogLevel(LogLevel::kWarning); }

  void MakeTable(int format_version, Properties properties = {}) {
    Open({.format_version = format_version,
          .is_partitioned = true,
          .properties = std::move(properties)});
    files_.clear();
    inputs_.clear();
    int64_t id = 0;
    for (const std::string partition : {"a", "b", "c"}) {
      for (int64_t file = 0; file < kFilesOfAPartition; ++file) {
        std::vector<StructValue> rows;
        for (int row = 0; row < 10; ++row)
          rows.push_back(Row({id++, partition}));
        files_[partition].push_back(Write(std::move(rows), partition));
        inputs_.insert(files_[partition].back().file_path);
        table().Add({files_[partition].back()});
      }
    }
    rows_ = Read();
    ASSERT_THAT(rows_, SizeIs(90));
  }

  /// Another writer deletes the row at `position`: by position, in version 3 by a vector.
  void DeleteRow(const DataFile& file, int64_t position) {
    const std::string partition = file.partition.fields[0].get<std::string>();
    if (table().Load().metadata->format_version < 3) {
      const DataFile deletes = PositionDeletes({{file.file_path, position}}, partition);
      others_.insert(deletes.file_path);
      table().Add({deletes}, "overwrite");
      return;
    }
    const Table loaded = table().Load();
    PositionSet positions;
    positions.Add(position);
    const auto vectors = WriteDeletionVectors({.io = loaded.io,
                                               .metadata = loaded.metadata,
                                               .executor = &table().executor(),
                                               .budget = &budget_,
                                               .random = &table().random()},
                                              {{.data_file = file, .positions = positions}});
    ASSERT_THAT(vectors, IsOkAnd(SizeIs(1)));
    table().Add(*vectors, "overwrite");
  }

  /// Or by key.
  void DeleteKey(int64_t id, const std::string& partition) {
    const DataFile deletes = EqualityDeletes({id}, partition);
    others_.insert(deletes.file_path);
    table().Add({deletes});
  }

  void Compact(const Table& planned, const std::string& where) {
    const auto options = ParseRewriteDataFilesOptions(*planned.metadata, {{"rewrite-all", "true"}});
    ASSERT_THAT(options, IsOk());
    const auto filter = ParseExpression(where);
    ASSERT_THAT(filter, IsOk());
    ASSERT_THAT(RewriteDataFiles(context(), planned, std::string(kMainBranch), *filter, *options),
                IsOk());
  }

  /// What happens before the first, second, ... commit of the compaction.
  using Meanwhile = std::vector<std::function<void()>>;

  Result<RewriteDataFilesResult> CompactMeeting(const Meanwhile& meanwhile, Options options = {},
                                                bool has_journal = false) {
    options.emplace("rewrite-all", "true");
    options.emplace("max-concurrent-file-group-rewrites", "1");
    const Table planned = table().Load();
    FIRN_ASSIGN(auto parsed, ParseRewriteDataFilesOptions(*planned.metadata, options));
    if (has_journal) parsed.has_journal = true;
    ScriptedCatalog catalog(table().catalog());
    catalog_ = &catalog;
    size_t commits = 0;
    catalog.before_commit = [&] {
      if (commits == 0) first_outputs_ = Outputs();
      if (commits < meanwhile.size() && meanwhile[commits]) meanwhile[commits]();
      ++commits;
    };
    MaintainContext with = context();
    with.commit.catalog = &catalog;
    with.verification = Verification::kContent;
    return RewriteDataFiles(with, planned, std::string(kMainBranch), nullptr, parsed);
  }

  /// Data files that compactions wrote.
  Paths Outputs() {
    Paths paths;
    for (const std::string& uri : table().AllFiles()) {
      const bool is_data = uri.find("/data/") != std::string::npos && uri.ends_with(".parquet");
      const bool is_output = !inputs_.contains(uri) && !others_.contains(uri) &&
                             uri.find("-deletes.") == std::string::npos;
      if (is_data && is_output) paths.insert(uri);
    }
    return paths;
  }

  Paths LiveData(const std::string& partition = "") {
    Paths paths;
    for (const ManifestEntry& entry : LiveFiles(true, partition))
      paths.insert(entry.file.file_path);
    return paths;
  }

  /// The outputs of the first round are live in these partitions and gone in the others.
  void ExpectKept(const std::set<std::string>& partitions) {
    ASSERT_THAT(first_outputs_, SizeIs(3));
    for (const std::string partition : {"a", "b", "c"}) {
      SCOPED_TRACE(partition);
      const Paths live = LiveData(partition);
      const bool is_kept = std::any_of(live.begin(), live.end(), [&](const std::string& path) {
        return first_outputs_.contains(path);
      });
      EXPECT_EQ(is_kept, partitions.contains(partition));
    }
    const Paths live = LiveData();
    for (const std::string& path : Outputs())
      EXPECT_TRUE(live.contains(path)) << path << " is left behind";
  }

  /// All rows but those with these ids.
  Rows Without(const std::vector<int64_t>& ids) {
    Rows rows = rows_;
    for (const int64_t id : ids)
      std::erase_if(rows, [&](const std::string& row) {
        return row.starts_with(fmt::format(R"({{"id":{},)", id));
      });
    return rows;
  }

  size_t SnapshotCount() { return table().Load().metadata->snapshots.size(); }

  std::map<std::string, std::vector<DataFile>> files_;
  Paths inputs_;
  Paths others_;  // Of other writers.
  Paths first_outputs_;
  Rows rows_;
  ScriptedCatalog* catalog_ = nullptr;
};

class RewriteCommitsVersionTest : public RewriteCommitsTest,
                                  public testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(Versions, RewriteCommitsVersionTest, testing::Values(2, 3));

TEST_P(RewriteCommitsVersionTest, DoesAgainOnlyTheGroupOfWhichARowWasDeleted) {
  MakeTable(GetParam());
  const size_t snapshots = SnapshotCount();
  const auto result = CompactMeeting({[&] { DeleteRow(files_["b"][1], 4); }});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), Without({44}));
  ExpectKept({"a", "c"});
  EXPECT_EQ(result->commit_count, 1);
  EXPECT_EQ(SnapshotCount(), snapshots + 2);  // One of them is the delete.
  EXPECT_EQ(result->rewritten_data_files_count, 9);
  EXPECT_EQ(result->added_data_files_count, 3);
  EXPECT_EQ(result->removed_delete_files_count, 1);
  EXPECT_EQ(result->failed_data_files_count, 0);
  EXPECT_EQ(DeleteFileCount(), 0U);
}

TEST_P(RewriteCommitsVersionTest, DoesAgainWhatIsLeftOfAGroupThatLostAnInput) {
  MakeTable(GetParam());
  const auto result = CompactMeeting({[&] { table().Remove(files_["c"][0].file_path); }});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), Without({60, 61, 62, 63, 64, 65, 66, 67, 68, 69}));
  ExpectKept({"a", "b"});
  EXPECT_EQ(result->rewritten_data_files_count, 8);
  EXPECT_EQ(result->added_data_files_count, 3);
}

TEST_P(RewriteCommitsVersionTest, LeavesAGroupThatAnotherCompactionRewrote) {
  MakeTable(GetParam());
  const auto result = CompactMeeting({[&] { Compact(table().Load(), "cat = 'a'"); }});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), rows_);
  ExpectKept({"b", "c"});
  EXPECT_THAT(LiveData("a"), SizeIs(1));
  EXPECT_EQ(result->rewritten_data_files_count, 6);
  EXPECT_EQ(result->added_data_files_count, 2);
}

TEST_F(RewriteCommitsTest, HasNothingToDoWhereAnotherCompactionRewroteAll) {
  MakeTable(2);
  const size_t snapshots = SnapshotCount();
  const auto result = CompactMeeting({[&] { Compact(table().Load(), "id >= 0"); }});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rewritten_data_files_count, 0);
  EXPECT_EQ(result->snapshot_id, std::nullopt);
  EXPECT_EQ(SnapshotCount(), snapshots + 1);
  EXPECT_EQ(Read(), rows_);
  EXPECT_EQ(Outputs(), LiveData());
}

TEST_P(RewriteCommitsVersionTest, KeepsAnEqualityDeleteInForceForGroupsThatAreNotDoneAgain) {
  MakeTable(GetParam());
  const auto result = CompactMeeting({[&] {
    DeleteKey(31, "b");
    DeleteRow(files_["a"][0], 0);
  }});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), Without({0, 31}));
  ExpectKept({"b", "c"});
  EXPECT_EQ(DeleteFileCount(), 1U);  // The outputs in b are as old as the files that were read.
  ASSERT_THAT(CompactMeeting({}), IsOk());
  EXPECT_EQ(Read(), Without({0, 31}));
  EXPECT_EQ(DeleteFileCount(), 0U);
}

TEST_P(RewriteCommitsVersionTest, TakesOutAnEqualityDeleteThatOnlyRepeatedGroupsHaveRead) {
  MakeTable(GetParam());
  const auto result = CompactMeeting({[&] {
    DeleteKey(1, "a");
    DeleteRow(files_["a"][0], 0);
  }});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), Without({0, 1}));
  ExpectKept({"b", "c"});
  EXPECT_EQ(DeleteFileCount(), 0U);
  EXPECT_EQ(result->removed_delete_files_count, 2);
}

TEST_F(RewriteCommitsTest, DoesAgainWhatAnEqualityDeleteAppliesToWithoutOldSequenceNumbers) {
  MakeTable(2);
  const auto result =
      CompactMeeting({[&] { DeleteKey(31, "b"); }}, {{"use-starting-sequence-number", "false"}});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), Without({31}));
  ExpectKept({"a", "c"});
  EXPECT_EQ(DeleteFileCount(), 0U);
}

// Positions are as old as the delete that they stand for: older than the second round.
TEST_P(RewriteCommitsVersionTest, MeetsThePositionsOfAnEqualityDeleteThatItDidNotRead) {
  MakeTable(GetParam());
  const auto convert = [&] {
    const Table planned = table().Load();
    ASSERT_THAT(ConvertEqualityDeletes(context(), planned, std::string(kMainBranch), nullptr, {}),
                IsOk());
  };
  const auto result = CompactMeeting({[&] {
                                        DeleteKey(31, "b");
                                        DeleteRow(files_["a"][0], 0);
                                      },
                                      convert});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), Without({0, 31}));
  ExpectKept({"c"});
  EXPECT_EQ(DeleteFileCount(), 0U);
}

// The other compaction was planned before the delete and leaves its rows to it.
TEST_F(RewriteCommitsTest, KeepsADeleteThatAppliesToWhatAnotherCompactionMade) {
  MakeTable(2);
  const Table before_delete = table().Load();
  table().Add({Write({Row({int64_t{7}, "a"}), Row({int64_t{90}, "a"})}, "a")});
  DeleteKey(7, "a");
  const Rows expected = Read();
  // Each file is a group.
  const auto result = CompactMeeting({[&] { Compact(before_delete, "cat = 'a'"); }},
                                     {{"max-file-group-input-files", "1"}});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), expected);
  EXPECT_EQ(result->rewritten_data_files_count, 7);
  EXPECT_EQ(DeleteFileCount(), 1U);
}

TEST_F(RewriteCommitsTest, MeetsDifferentWritersInEachRound) {
  MakeTable(2);
  const auto result =
      CompactMeeting({[&] { DeleteRow(files_["a"][0], 0); }, [&] { DeleteRow(files_["a"][1], 0); },
                      [&] { DeleteRow(files_["c"][2], 9); }});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), Without({0, 10, 89}));
  ExpectKept({"b"});
  EXPECT_EQ(result->commit_count, 1);
  EXPECT_EQ(DeleteFileCount(), 0U);
}

TEST_P(RewriteCommitsVersionTest, GivesUpAfterAsManyRoundsAsTheTableAllows) {
  MakeTable(GetParam(), {{"commit.retry.num-retries", "2"}});
  // The commit needs a retry to see what is in its way.
  Meanwhile meanwhile;
  int64_t file = 0;
  for (int round = 0; round < 9; ++round)
    meanwhile.push_back([&] {
      if (file < kFilesOfAPartition) DeleteRow(files_["b"][static_cast<size_t>(file++)], 1);
    });
  EXPECT_THAT(CompactMeeting(meanwhile),
              IsError(ErrorCode::kCommitConflict,
                      "done again 2 times, as often as commit.retry.num-retries allows; in "
                      "conflict at the end: group 4 (cat=b)"));
  EXPECT_EQ(file, 3);
  EXPECT_EQ(Read(), Without({31, 41, 51}));
  EXPECT_EQ(LiveData(), inputs_);
  EXPECT_THAT(Outputs(), IsEmpty());
}

TEST_F(RewriteCommitsTest, DeletesNothingOfACommitWithUnknownOutcome) {
  for (const bool happens : {true, false}) {
    MakeTable(2);
    const auto result = CompactMeeting({[&] { DeleteRow(files_["b"][0], 0); },
                                        [&] {
                                          catalog_->lost_answer =
                                              Error(ErrorCode::kCommitUnknown, "no answer");
                                          catalog_->lost_commit_happens = happens;
                                        }});
    if (happens) {
      ASSERT_THAT(result, IsOk());
      ExpectKept({"a", "c"});
    } else {
      EXPECT_THAT(result, IsError(ErrorCode::kCommitUnknown));
      EXPECT_EQ(LiveData(), inputs_);
      EXPECT_THAT(Outputs(), SizeIs(3));
    }
    EXPECT_EQ(Read(), Without({30}));
  }
}

TEST_F(RewriteCommitsTest, IsAConflictAsBeforeWhereTheHistoryIsGone) {
  MakeTable(2);
  const SnapshotId old = table().Load().metadata->snapshots[3].snapshot_id;
  EXPECT_THAT(CompactMeeting({[&] { table().SetRef(std::string(kMainBranch), old); }}),
              IsError(ErrorCode::kCommitConflict, "is no ancestor"));
  EXPECT_THAT(Outputs(), IsEmpty());
}

TEST_F(RewriteCommitsTest, DoesNotArrangeRowsByAColumnThatIsGone) {
  MakeTable(2);
  EvolveTo(WithId({Category(), Column(3, "v", Primitive(TypeId::kInt))}));
  const Table planned = table().Load();
  const auto order = ParseRewriteOrder(*planned.metadata, "sort", "v");
  ASSERT_THAT(order, IsOk());
  const auto options =
      ParseRewriteDataFilesOptions(*planned.metadata, {{"rewrite-all", "true"}}, *order);
  ASSERT_THAT(options, IsOk());
  ScriptedCatalog catalog(table().catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count > 1) return;
    EvolveTo(WithId({Category()}));
    DeleteRow(files_["b"][0], 0);
  };
  MaintainContext with = context();
  with.commit.catalog = &catalog;
  EXPECT_THAT(RewriteDataFiles(with, planned, std::string(kMainBranch), nullptr, *options),
              IsError(ErrorCode::kCommitConflict,
                      "the column with id 3, by which rows are arranged, is gone"));
  EXPECT_THAT(Outputs(), IsEmpty());
  EXPECT_THAT(Read(), SizeIs(89));
}

TEST_F(RewriteCommitsTest, WritesWhatIsDoneAgainForTheTableAsItIsThen) {
  MakeTable(2);
  const auto result = CompactMeeting({[&] {
    EvolveTo(WithId({Category(), Column(3, "v", Primitive(TypeId::kInt))}));
    DeleteKey(31, "b");
    DeleteRow(files_["b"][2], 2);
  }});
  ASSERT_THAT(result, IsOk());
  ExpectKept({"a", "c"});
  EXPECT_THAT(Read(), SizeIs(88));
}

TEST_F(RewriteCommitsTest, PartialProgressDoesAGroupAgainAfterTheOthers) {
  MakeTable(2);
  const size_t snapshots = SnapshotCount();
  const Options partial = {{"partial-progress.enabled", "true"},
                           {"partial-progress.max-commits", "1"},
                           {"partial-progress.max-failed-commits", "0"}};
  const auto result = CompactMeeting({[&] { DeleteRow(files_["b"][1], 4); }}, partial);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), Without({44}));
  ExpectKept({"a", "c"});
  EXPECT_EQ(result->commit_count, 2);
  EXPECT_EQ(SnapshotCount(), snapshots + 3);
  EXPECT_EQ(result->rewritten_data_files_count, 9);
  EXPECT_EQ(result->failed_data_files_count, 0);
  EXPECT_EQ(DeleteFileCount(), 0U);
}

TEST_F(RewriteCommitsTest, PartialProgressCountsAGroupThatNeverFitsAsFailed) {
  MakeTable(2, {{"commit.retry.num-retries", "1"}});
  Meanwhile meanwhile = {[&] { DeleteRow(files_["b"][0], 4); }, nullptr,
                         [&] { DeleteRow(files_["b"][1], 4); }};
  const auto result = CompactMeeting(
      meanwhile, {{"partial-progress.enabled", "true"}, {"partial-progress.max-commits", "1"}});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), Without({34, 44}));
  EXPECT_EQ(result->rewritten_data_files_count, 6);
  EXPECT_EQ(result->failed_data_files_count, 3);
  EXPECT_THAT(LiveData("b"), SizeIs(3));
  EXPECT_THAT(Outputs(), SizeIs(2));
}

TEST_F(RewriteCommitsTest, ResultsThatWereMadeElsewhereAreRepairedHere) {
  MakeTable(2);
  const Table planned = table().Load();
  const auto options = ParseRewriteDataFilesOptions(*planned.metadata, {{"rewrite-all", "true"}});
  ASSERT_THAT(options, IsOk());
  const auto plan = PlanCompaction(context(), planned, std::string(kMainBranch), nullptr, *options);
  ASSERT_THAT(plan, IsOk());
  std::vector<GroupResult> results;
  for (const FileGroup& group : plan->groups) {
    auto result = RunFileGroup(context(), planned, group);
    ASSERT_THAT(result, IsOk());
    results.push_back(std::move(*result));
  }
  first_outputs_ = Outputs();
  DeleteRow(files_["c"][0], 0);
  ASSERT_THAT(CommitGroupResults(context(), planned, std::string(kMainBranch), *options, *plan,
                                 std::move(results)),
              IsOk());
  EXPECT_EQ(Read(), Without({60}));
  ExpectKept({"a", "b"});
}

class RewriteCommitsJournalTest : public RewriteCommitsTest {
 protected:
  Paths Journal() {
    Paths files;
    for (const std::string& uri : table().AllFiles()) {
      if (uri.find("/_firn/") != std::string::npos) files.insert(uri);
    }
    return files;
  }

  /// Make the process that wrote the journals another one, which has ended.
  void KillOwners() {
    for (const std::string& uri : Journal()) {
      if (!uri.ends_with("owner.json")) continue;
      std::string text(ReadFile(table().io(), uri)->view());
      const size_t at = text.find("\"started\":");
      ASSERT_NE(at, std::string::npos);
      text.replace(at, text.find(',', at) - at, "\"started\":1");
      ASSERT_THAT(WriteFile(table().io(), uri, AsBytes(text)), IsOk());
    }
  }

  void ExpectAllDone(const Rows& rows) {
    EXPECT_EQ(Read(), rows);
    EXPECT_THAT(LiveData(), SizeIs(3));
    EXPECT_EQ(Outputs(), LiveData());
    EXPECT_THAT(Journal(), IsEmpty());
  }
};

TEST_F(RewriteCommitsJournalTest, NothingIsLeftOfGroupsThatWereDoneAgain) {
  MakeTable(2);
  ASSERT_THAT(CompactMeeting({[&] { DeleteRow(files_["b"][1], 4); }}, {}, true), IsOk());
  ExpectKept({"a", "c"});
  ExpectAllDone(Without({44}));
}

TEST_F(RewriteCommitsJournalTest, GroupsOfAnEarlierRoundAreTakenOverAndStaleOnesAreNot) {
  MakeTable(2);
  const auto fail = [&] {
    DeleteRow(files_["b"][1], 4);
    table().io().Add({.operation = FileOperation::kCreate, .uri_part = "cat=b", .call_count = 99});
  };
  EXPECT_THAT(CompactMeeting({fail}, {}, true),
              IsError(ErrorCode::kUnavailable, "2 finished groups are kept"));
  table().io().Clear();
  const Paths kept = Outputs();
  EXPECT_THAT(kept, SizeIs(2));
  ASSERT_THAT(CompactMeeting({}, {}, true), IsOk());
  ExpectAllDone(Without({44}));
  const Paths live = LiveData();
  EXPECT_TRUE(std::includes(live.begin(), live.end(), kept.begin(), kept.end()));
}

TEST_F(RewriteCommitsJournalTest, WhatDidNotConflictIsKeptWhenTheRoundsAreOver) {
  MakeTable(2, {{"commit.retry.num-retries", "1"}});
  Meanwhile meanwhile;
  for (size_t i = 0; i < 4; ++i)
    meanwhile.push_back([&, i] { DeleteRow(files_["b"][i / 2], static_cast<int64_t>(i)); });
  const auto result = CompactMeeting(meanwhile, {}, true);
  ASSERT_THAT(result, IsError(ErrorCode::kCommitConflict, "2 finished groups are kept"));
  EXPECT_THAT(result, IsError(ErrorCode::kCommitConflict, "(cat=b)"));
  const Rows rows = Read();
  const Paths kept = Outputs();
  EXPECT_THAT(kept, SizeIs(2));
  ASSERT_THAT(CompactMeeting({}, {}, true), IsOk());
  ExpectAllDone(rows);
  const Paths live = LiveData();
  EXPECT_TRUE(std::includes(live.begin(), live.end(), kept.begin(), kept.end()));
}

/// Dies at the n-th file that it publishes after another writer deleted a row.
struct Crash {
  int64_t publish = 1;
  bool happens = false;
};

class RewriteCommitsCrashTest : public RewriteCommitsJournalTest,
                                public testing::WithParamInterface<Crash> {};

TEST_P(RewriteCommitsCrashTest, RowsStayAndTheNextRunGoesOn) {
  MakeTable(2);
  const auto [publish, happens] = GetParam();
  const auto meanwhile = [&, first = publish, is_done = happens] {
    DeleteRow(files_["b"][1], 4);
    FaultyFileIO& io = table().io();
    io.Add({.operation = FileOperation::kPublish,
            .first_call = first,
            .error = {ErrorCode::kCommitUnknown, "crashed"},
            .happens = is_done});
    io.Add({.operation = FileOperation::kPublish, .first_call = first + 1, .call_count = 1000});
    io.Add({.operation = FileOperation::kDelete, .first_call = first, .call_count = 1000});
  };
  const auto result = CompactMeeting({meanwhile}, {}, true);
  table().io().Clear();
  KillOwners();
  EXPECT_EQ(Read(), Without({44}));
  ASSERT_THAT(CompactMeeting({}, {}, true), IsOk());
  EXPECT_EQ(Read(), Without({44}));
  EXPECT_THAT(LiveData(), SizeIs(3));
  const Paths live = LiveData();
  const Paths outputs = Outputs();
  EXPECT_TRUE(std::includes(outputs.begin(), outputs.end(), live.begin(), live.end()));
}

std::vector<Crash> Crashes() {
  std::vector<Crash> crashes;
  for (int64_t publish = 1; publish <= 12; ++publish) {
    crashes.push_back({publish, false});
    crashes.push_back({publish, true});
  }
  return crashes;
}

INSTANTIATE_TEST_SUITE_P(AtEveryFile, RewriteCommitsCrashTest, testing::ValuesIn(Crashes()));

}  // namespace
}  // namespace firn
