#include <algorithm>
#include <set>
#include <utility>

#include <gmock/gmock.h>

#include "firn/base/log.h"
#include "firn/base/text.h"
#include "firn/data/data.h"
#include "firn/io/forwarding_file_io.h"
#include "firn/maintain/compaction/rewrite_journal_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"
#include "firn/testing/test_table.h"

// Rewrites that end early, by an error, a crash or a wrong guess about one: the rows are the same,
// no live file is deleted, and what was finished is not done again.

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Paths = std::set<std::string>;

constexpr int kFilesOfAPartition = 6;

/// Files of a store, of which locks can be held: these are on local disk.
class LockableFileIO final : public ForwardingFileIO {
 public:
  LockableFileIO(std::shared_ptr<FileIO> inner, const TemporaryFolder& folder)
      : ForwardingFileIO(std::move(inner)), folder_(folder) {}

  std::string FindLocalPlace(std::string_view uri) const override {
    if (!uri.ends_with(JournalLockName())) return "";
    std::string name(uri);
    std::replace(name.begin(), name.end(), '/', '-');
    return folder_.Join(name);
  }

 private:
  const TemporaryFolder& folder_;
};

class RewriteJournalTest : public testing::Test {
 protected:
  void SetUp() override {
    SetLogLevel(LogLevel::kOff);
    table_ = std::make_unique<TestTable>(TestTableOptions{.is_partitioned = true});
    int64_t id = 0;
    for (const std::string partition : {"a", "b", "c"}) {
      for (int file = 0; file < kFilesOfAPartition; ++file) {
        inputs_[partition].push_back(Write(id++, partition));
        table().Add({inputs_[partition].back()});
      }
    }
    rows_ = Read();
    ASSERT_THAT(rows_, SizeIs(3 * kFilesOfAPartition));
  }
  void TearDown() override { SetLogLevel(LogLevel::kWarning); }

  TestTable& table() { return *table_; }

  DataFile Write(int64_t id, const std::string& partition) {
    const Table loaded = table().Load();
    const SchemaPtr schema = loaded.metadata->current_schema();
    const WriteContext context{.io = loaded.io,
                               .metadata = loaded.metadata,
                               .executor = &table().executor(),
                               .budget = &budget_,
                               .random = &table().random()};
    auto rows = MakeRowStream(schema->as_struct(), {{{Value(id), Value(partition)}}});
    FIRN_CHECK(rows.ok());
    auto files = WriteDataFiles(context,
                                {.schema = schema,
                                 .spec = loaded.metadata->default_spec(),
                                 .partition = StructValue{{Value(partition)}}},
                                *std::move(rows));
    FIRN_CHECK(files.ok() && files->size() == 1);
    return files->front();
  }

  std::vector<std::string> Read() {
    const Table loaded = table().Load();
    const SchemaPtr schema = loaded.metadata->current_schema();
    auto tasks =
        PlanAllFiles(*loaded.io, *loaded.metadata, {.schema = schema}, table().executor(), {});
    EXPECT_THAT(tasks, IsOk());
    const ReadContext context{.io = loaded.io,
                              .metadata = loaded.metadata,
                              .executor = &table().executor(),
                              .budget = &budget_};
    auto rows = ReadTasks(context, *std::move(tasks), {.projection = schema});
    EXPECT_THAT(rows, IsOk());
    std::string text;
    const auto rendered = RenderRows(*std::move(rows), {.type = schema->as_struct()},
                                     [&](std::span<const std::byte> bytes) -> Status {
                                       text += AsText(bytes);
                                       return {};
                                     });
    EXPECT_THAT(rendered, IsOk());
    std::vector<std::string> lines;
    for (const std::string_view line : SplitText(text, '\n'))
      lines.emplace_back(line);
    std::sort(lines.begin(), lines.end());
    lines.erase(lines.begin());
    return lines;
  }

  /// One group at a time, with a journal.
  Result<RewriteDataFilesResult> Rewrite(std::map<std::string, std::string> options = {},
                                         std::function<void(const Progress&)> progress = nullptr) {
    options.emplace("max-concurrent-file-group-rewrites", "1");
    options.emplace("rewrite-all", "true");
    Table loaded = table().Load();
    FIRN_ASSIGN(auto parsed, ParseRewriteDataFilesOptions(*loaded.metadata, options));
    parsed.has_journal = true;
    if (has_locks_) loaded.io = std::make_shared<LockableFileIO>(loaded.io, locks_);
    const MaintainContext context{
        .commit = table().context(), .budget = &budget_, .progress = std::move(progress)};
    return RewriteDataFiles(context, loaded, std::string(kMainBranch), nullptr, parsed);
  }

  /// A run that fails when it writes the third group.
  void RewriteTwoGroups() {
    table().io().Add({.operation = FileOperation::kCreate, .uri_part = "cat=a", .call_count = 99});
    EXPECT_THAT(Rewrite(), IsError(ErrorCode::kUnavailable, "2 finished groups are kept"));
    table().io().Clear();
    ASSERT_THAT(Outputs(), SizeIs(2));
  }

  Paths FilesIn(std::string_view folder) {
    Paths files;
    for (const std::string& uri : table().AllFiles()) {
      if (uri.find(folder) != std::string::npos) files.insert(uri);
    }
    return files;
  }

  /// Data files that were written by rewrites.
  Paths Outputs() {
    Paths files = FilesIn("/data/");
    for (const auto& [partition, inputs] : inputs_) {
      for (const DataFile& input : inputs)
        files.erase(input.file_path);
    }
    return files;
  }

  Paths LivePaths() {
    Paths paths;
    for (const ManifestEntry& entry : table().LiveEntries()) {
      if (entry.file.content == FileContent::kData) paths.insert(entry.file.file_path);
    }
    return paths;
  }

  Paths Journal() { return FilesIn("/_firn/"); }

  /// What orphan removal leaves alone.
  Paths NotedOutputs() {
    Paths paths;
    for (const std::string& uri : Journal()) {
      if (uri.ends_with(".output")) paths.emplace(ReadFile(table().io(), uri)->view());
    }
    return paths;
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

  void ExpectSameRowsInThreeFiles() {
    EXPECT_EQ(Read(), rows_);
    EXPECT_THAT(LivePaths(), SizeIs(3));
    EXPECT_EQ(Outputs(), LivePaths());
    EXPECT_THAT(Journal(), IsEmpty());
  }

  void TearOwners() {
    for (const std::string& uri : Journal()) {
      if (!uri.ends_with("owner.json")) continue;
      ASSERT_THAT(WriteFile(table().io(), uri, AsBytes("{\"table-uuid\":")), IsOk());
    }
  }

  TemporaryFolder locks_;
  bool has_locks_ = false;  ///< Journals have locks.
  std::unique_ptr<TestTable> table_;
  std::map<std::string, std::vector<DataFile>> inputs_;
  std::vector<std::string> rows_;
  MemoryBudget budget_{int64_t{256} << 20};
};

TEST_F(RewriteJournalTest, NothingIsLeftOfARunThatWentWell) {
  EXPECT_THAT(Rewrite(), IsOk());
  ExpectSameRowsInThreeFiles();
}

TEST_F(RewriteJournalTest, FinishedGroupsOfARunThatFailedAreTakenOver) {
  RewriteTwoGroups();
  const Paths finished = Outputs();
  const auto result = Rewrite();
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rewritten_data_files_count, 3 * kFilesOfAPartition);
  EXPECT_EQ(result->added_data_files_count, 3);
  ExpectSameRowsInThreeFiles();
  const Paths live = LivePaths();
  EXPECT_TRUE(std::includes(live.begin(), live.end(), finished.begin(), finished.end()));
}

TEST_F(RewriteJournalTest, AGroupIsTakenOverFromOneRunToTheNext) {
  RewriteTwoGroups();
  const Paths finished = Outputs();
  table().io().Add({.operation = FileOperation::kCreate, .uri_part = "cat=a", .call_count = 99});
  EXPECT_THAT(Rewrite(), IsError(ErrorCode::kUnavailable, "2 finished groups are kept"));
  table().io().Clear();
  EXPECT_EQ(Outputs(), finished);
  EXPECT_EQ(NotedOutputs(), finished);
  EXPECT_THAT(Rewrite(), IsOk());
  ExpectSameRowsInThreeFiles();
  const Paths live = LivePaths();
  EXPECT_TRUE(std::includes(live.begin(), live.end(), finished.begin(), finished.end()));
}

TEST_F(RewriteJournalTest, AGroupIsWrittenAgainIfADeleteCame) {
  RewriteTwoGroups();
  table().Add({table().MakeEqualityDeletes("none.parquet", "b")});
  // The file of deletes is never read: a rewrite of b has to, and fails.
  EXPECT_THAT(Rewrite(), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Outputs(), ElementsAre(HasSubstr("cat=c")));  // As before.
  EXPECT_EQ(LivePaths().size(), 3U * kFilesOfAPartition);
}

TEST_F(RewriteJournalTest, OutputsOfAnotherSizeOrOrderAreNotTakenOver) {
  RewriteTwoGroups();
  const Paths finished = Outputs();
  EXPECT_THAT(Rewrite({{"target-file-size-bytes", "100000000"}}), IsOk());
  ExpectSameRowsInThreeFiles();
  for (const std::string& path : finished)
    EXPECT_FALSE(LivePaths().contains(path));
}

TEST_F(RewriteJournalTest, AnOutputThatChangedIsNotTakenOver) {
  RewriteTwoGroups();
  const std::string damaged = *Outputs().begin();
  std::string text(ReadFile(table().io(), damaged)->view());
  text[text.size() - 20] ^= 1;
  ASSERT_THAT(WriteFile(table().io(), damaged, AsBytes(text)), IsOk());
  EXPECT_THAT(Rewrite(), IsOk());
  ExpectSameRowsInThreeFiles();
  EXPECT_FALSE(LivePaths().contains(damaged));
}

TEST_F(RewriteJournalTest, AnotherRunIsLeftAloneWhileItsProcessRuns) {
  bool has_begun = false;
  const auto result = Rewrite({}, [&](const Progress& progress) {
    if (progress.files_done != 2 * kFilesOfAPartition || std::exchange(has_begun, true)) return;
    const Paths finished = Outputs();
    EXPECT_THAT(Rewrite(), IsOk());
    for (const std::string& path : finished)
      EXPECT_FALSE(LivePaths().contains(path));
  });
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rewritten_data_files_count, 0);  // The other one has done it.
  ExpectSameRowsInThreeFiles();
}

TEST_F(RewriteJournalTest, ARunThatWasWronglyTakenForEndedDeletesNothingOfTheOther) {
  bool has_begun = false;
  const auto result = Rewrite({}, [&](const Progress& progress) {
    if (progress.files_done != 2 * kFilesOfAPartition || std::exchange(has_begun, true)) return;
    const Paths finished = Outputs();
    KillOwners();
    EXPECT_THAT(Rewrite(), IsOk());
    for (const std::string& path : finished)
      EXPECT_TRUE(LivePaths().contains(path));
  });
  EXPECT_THAT(result, IsError(ErrorCode::kCommitConflict, "taken over"));
  EXPECT_EQ(Read(), rows_);
  EXPECT_THAT(LivePaths(), SizeIs(3));
  EXPECT_THAT(Outputs(), SizeIs(4));  // The third group was written by both.
  EXPECT_THAT(Rewrite(), IsOk());
  EXPECT_EQ(Read(), rows_);
  EXPECT_THAT(Journal(), IsEmpty());
}

// A third run must not take a group from the second one because the first one is dead.
TEST_F(RewriteJournalTest, AGroupThatAnotherRunTookOverIsLeftAlone) {
  RewriteTwoGroups();
  KillOwners();
  const Paths finished = Outputs();
  for (const std::string& uri : Journal()) {
    if (!uri.ends_with(".json") || uri.ends_with("owner.json")) continue;
    const std::string claim = uri.substr(0, uri.size() - 5) + ".claim";
    ASSERT_THAT(WriteFile(table().io(), claim, AsBytes(kClaimOfLaterRun), {.exclusive = true}),
                IsOk());
  }
  EXPECT_THAT(Rewrite(), IsOk());
  EXPECT_EQ(Read(), rows_);
  const Paths live = LivePaths();
  const Paths outputs = Outputs();
  for (const std::string& path : finished) {
    EXPECT_FALSE(live.contains(path));
    EXPECT_TRUE(outputs.contains(path));
  }
}

TEST_F(RewriteJournalTest, ARunGoesOnWhereNoJournalCanBeKept) {
  table().io().Add({.operation = FileOperation::kPublish, .uri_part = "/_firn/", .call_count = 1});
  EXPECT_THAT(Rewrite(), IsOk());
  ExpectSameRowsInThreeFiles();
}

TEST_F(RewriteJournalTest, ATornJournalIsLeftAlone) {
  RewriteTwoGroups();
  TearOwners();
  EXPECT_THAT(Rewrite(), IsOk());
  EXPECT_EQ(Read(), rows_);
  EXPECT_THAT(Outputs(), SizeIs(5));
}

TEST_F(RewriteJournalTest, ATornJournalIsLeftAloneWhileItsLockIsHeld) {
  has_locks_ = true;
  RewriteTwoGroups();
  const std::string owner = *FilesIn("owner.json").begin();
  const LockableFileIO io(table().Load().io, locks_);
  const auto lock = FileLock::Hold(
      io, owner.substr(0, owner.size() - JournalOwnerName().size()) + JournalLockName());
  ASSERT_THAT(lock, IsOk());
  TearOwners();
  EXPECT_THAT(Rewrite(), IsOk());
  EXPECT_EQ(Read(), rows_);
  EXPECT_THAT(Outputs(), SizeIs(5));
}

TEST_F(RewriteJournalTest, WhatATornJournalLeftGoesOnceItsLockIsFree) {
  has_locks_ = true;
  RewriteTwoGroups();
  TearOwners();
  EXPECT_THAT(Rewrite(), IsOk());
  ExpectSameRowsInThreeFiles();
}

/// Dies at the n-th file that it publishes: that one may still come into being, nothing after it.
struct Crash {
  int64_t publish = 1;
  bool happens = false;
};

class RewriteCrashTest : public RewriteJournalTest, public testing::WithParamInterface<Crash> {};

TEST_P(RewriteCrashTest, RowsStayAndTheNextRunLeavesNothingBehind) {
  const Crash& crash = GetParam();
  FaultyFileIO& io = table().io();
  io.Add({.operation = FileOperation::kPublish,
          .first_call = crash.publish,
          .error = {ErrorCode::kCommitUnknown, "crashed"},
          .happens = crash.happens});
  io.Add(
      {.operation = FileOperation::kPublish, .first_call = crash.publish + 1, .call_count = 1000});
  const auto result = Rewrite();
  EXPECT_EQ(result.ok(), io.injected_count() == 0);
  io.Clear();
  KillOwners();
  EXPECT_EQ(Read(), rows_);
  EXPECT_THAT(Rewrite(), IsOk());
  EXPECT_EQ(Read(), rows_);
  const Paths live = LivePaths();
  const Paths outputs = Outputs();
  EXPECT_THAT(live, SizeIs(3));
  EXPECT_TRUE(std::includes(outputs.begin(), outputs.end(), live.begin(), live.end()));
}

std::vector<Crash> Crashes() {
  std::vector<Crash> crashes;
  for (int64_t publish = 1; publish <= 20; ++publish) {
    crashes.push_back({publish, false});
    crashes.push_back({publish, true});
  }
  return crashes;
}

INSTANTIATE_TEST_SUITE_P(AtEveryFile, RewriteCrashTest, testing::ValuesIn(Crashes()));

}  // namespace
}  // namespace firn
