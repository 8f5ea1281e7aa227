#include <functional>
#include <map>
#include <set>
#include <utility>

#include <gmock/gmock.h>

#include "firn/base/log.h"
#include "firn/data/read/row_positions.h"
#include "firn/maintain/compaction/rewrite_data_files.h"
#include "firn/maintain/compaction/row_rewrite_testing_internal.h"
#include "firn/maintain/deletes/convert_equality_deletes.h"
#include "firn/maintain/deletes/rewrite_position_deletes.h"
#include "firn/testing/scripted_catalog.h"

// Rewrites of delete files that meet other writers: the groups that these touched are done again,
// the others are not, and the rows are those that both together leave.

namespace firn {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

using Options = std::map<std::string, std::string>;
using Paths = std::set<std::string>;

/// Three partitions of two files of ten rows.
class DeleteCommitsTest : public RowRewriteTest {
 protected:
  void SetUp() override { SetLogLevel(LogLevel::kOff); }
  void TearDown() override { SetLogLevel(LogLevel::kWarning); }

  void MakeTable(int format_version, Properties properties = {}) {
    Open({.format_version = format_version,
          .is_partitioned = true,
          .properties = std::move(properties)});
    files_.clear();
    int64_t id = 0;
    for (const std::string partition : {"a", "b", "c"}) {
      for (int file = 0; file < 2; ++file) {
        std::vector<StructValue> rows;
        for (int row = 0; row < 10; ++row)
          rows.push_back(Row({id++, partition}));
        files_[partition].push_back(Write(std::move(rows), partition));
      }
      table().Add(files_[partition]);
    }
  }

  /// Two rows of each file by position: files 1 and 2 of a partition are numbered 0 and 1.
  void AddPositions() {
    for (const auto& [partition, files] : files_) {
      for (const DataFile& file : files) {
        for (const int64_t position : {0, 1}) {
          deletes_[partition].push_back(PositionDeletes({{file.file_path, position}}, partition));
          table().Add({deletes_[partition].back()});
        }
      }
    }
  }

  /// The first row of the first file of each partition, by key.
  void AddKeys() {
    for (const auto& [partition, id] :
         std::map<std::string, int64_t>{{"a", 0}, {"b", 20}, {"c", 40}})
      table().Add({EqualityDeletes({id}, partition)});
  }

  void AddVector(const DataFile& file, const std::vector<int64_t>& positions) {
    const Table loaded = table().Load();
    PositionSet set;
    for (const int64_t position : positions)
      set.Add(position);
    const auto vectors = WriteDeletionVectors({.io = loaded.io,
                                               .metadata = loaded.metadata,
                                               .executor = &table().executor(),
                                               .budget = &budget_,
                                               .random = &table().random()},
                                              {{.data_file = file, .positions = set}});
    ASSERT_THAT(vectors, IsOkAnd(SizeIs(1)));
    table().Add(*vectors, "overwrite");
  }

  void Upgrade() {
    const std::vector<TableUpdate> updates = {UpgradeFormatVersion{3}};
    ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  }

  /// Runs `run` with a catalog that does `meanwhile` before the first, second, ... commit.
  using Meanwhile = std::vector<std::function<void()>>;
  Result<DeleteRewriteResult> Meet(
      const Meanwhile& meanwhile,
      const std::function<Result<DeleteRewriteResult>(const MaintainContext&, const Table&)>& run) {
    const Table planned = table().Load();
    ScriptedCatalog catalog(table().catalog());
    size_t commits = 0;
    catalog.before_commit = [&] {
      if (commits == 0) {
        for (const std::string& uri : table().AllFiles()) {
          if (uri.find("/data/") != std::string::npos) first_files_.insert(uri);
        }
      }
      if (commits < meanwhile.size() && meanwhile[commits]) meanwhile[commits]();
      ++commits;
    };
    MaintainContext with = context();
    with.commit.catalog = &catalog;
    with.verification = Verification::kContent;
    return run(with, planned);
  }

  Result<DeleteRewriteResult> RewriteMeeting(const Meanwhile& meanwhile, Options options = {}) {
    options.emplace("rewrite-all", "true");
    return Meet(
        meanwhile,
        [&](const MaintainContext& with, const Table& planned) -> Result<DeleteRewriteResult> {
          FIRN_ASSIGN(const auto parsed,
                      ParseRewritePositionDeletesOptions(*planned.metadata, options));
          return RewritePositionDeletes(with, planned, std::string(kMainBranch), nullptr, parsed);
        });
  }

  Result<DeleteRewriteResult> ConvertMeeting(const Meanwhile& meanwhile, Options options = {}) {
    return Meet(
        meanwhile,
        [&](const MaintainContext& with, const Table& planned) -> Result<DeleteRewriteResult> {
          FIRN_ASSIGN(const auto parsed, ParseConvertEqualityDeletesOptions(options));
          return ConvertEqualityDeletes(with, planned, std::string(kMainBranch), nullptr, parsed);
        });
  }

  Paths DeletePaths(const std::string& partition = "") {
    Paths paths;
    for (const ManifestEntry& entry : LiveFiles(false, partition))
      paths.insert(entry.file.file_path);
    return paths;
  }

  /// Delete files of the partitions were written before the first commit, those of others after.
  void ExpectKept(const std::set<std::string>& partitions) {
    for (const std::string partition : {"a", "b", "c"}) {
      SCOPED_TRACE(partition);
      for (const std::string& path : DeletePaths(partition))
        EXPECT_EQ(first_files_.contains(path), partitions.contains(partition)) << path;
    }
  }

  /// Data and delete files that no snapshot names.
  Paths Strays() {
    Paths stray;
    for (const std::string& uri : DataOutsideOfTheTable())
      stray.insert(uri);
    const Table loaded = table().Load();
    for (const Snapshot& snapshot : loaded.metadata->snapshots) {
      const auto manifests = ReadManifests(*loaded.io, snapshot);
      EXPECT_THAT(manifests, IsOk());
      for (const ManifestFile& manifest : *manifests) {
        const auto spec = loaded.metadata->FindSpec(manifest.partition_spec_id);
        EXPECT_THAT(ReadManifest(*loaded.io, manifest,
                                 *PartitionType(*spec, loaded.metadata->SchemasNewestFirst()), {},
                                 [&](ManifestEntry& entry) -> Status {
                                   stray.erase(entry.file.file_path);
                                   return {};
                                 }),
                    IsOk());
      }
    }
    return stray;
  }

  std::map<std::string, std::vector<DataFile>> files_;
  std::map<std::string, std::vector<DataFile>> deletes_;
  Paths first_files_;
};

TEST_F(DeleteCommitsTest, DoesAgainOnlyTheGroupThatLostADeleteFile) {
  MakeTable(2);
  AddPositions();
  const Rows rows = Read();
  ASSERT_THAT(rows, SizeIs(48));
  // As a rewrite would that takes rows back.
  const auto result = RewriteMeeting({[&] { table().Remove(deletes_["b"][0].file_path); }});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(Read(), SizeIs(49));
  ExpectKept({"a", "c"});
  EXPECT_EQ(result->commit_count, 1);
  EXPECT_EQ(result->rewritten_position_deletes, 11);
  EXPECT_EQ(result->added_position_deletes, 6);
  EXPECT_EQ(DeleteFileCount(), 6U);
  EXPECT_THAT(Strays(), IsEmpty());
}

TEST_F(DeleteCommitsTest, HasNothingToDoWhereAnotherRunDidIt) {
  MakeTable(2);
  AddPositions();
  const Rows rows = Read();
  const auto result = RewriteMeeting({[&] { ASSERT_THAT(RewriteMeeting({}), IsOk()); }});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rewritten_position_deletes, 0);
  EXPECT_EQ(result->snapshot_id, std::nullopt);
  EXPECT_EQ(Read(), rows);
  EXPECT_EQ(DeleteFileCount(), 6U);
  EXPECT_THAT(Strays(), IsEmpty());
}

TEST_F(DeleteCommitsTest, IsDoneAgainAsVectorsAfterAnUpgrade) {
  MakeTable(2);
  AddPositions();
  const Rows rows = Read();
  const auto result = RewriteMeeting({[&] { Upgrade(); }});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(), rows);
  EXPECT_EQ(result->rewritten_position_deletes, 12);
  for (const ManifestEntry& entry : LiveFiles(false))
    EXPECT_TRUE(entry.file.is_deletion_vector());
  EXPECT_EQ(DeleteFileCount(), 6U);
  EXPECT_THAT(Strays(), IsEmpty());
}

TEST_F(DeleteCommitsTest, TakesUpAVectorThatCameMeanwhile) {
  for (const bool converts : {false, true}) {
    SCOPED_TRACE(converts);
    MakeTable(2);
    deletes_.clear();
    first_files_.clear();
    if (converts) {
      AddKeys();
    } else {
      AddPositions();
    }
    Upgrade();
    const size_t before = Read().size();
    // A writer puts all positions into the one vector that a data file may have.
    const Meanwhile meanwhile = {[&] {
      AddVector(files_["b"][0], converts ? std::vector<int64_t>{5} : std::vector<int64_t>{0, 1, 5});
    }};
    const auto result = converts ? ConvertMeeting(meanwhile) : RewriteMeeting(meanwhile);
    ASSERT_THAT(result, IsOk());
    EXPECT_THAT(Read(), SizeIs(before - 1));
    EXPECT_EQ(result->commit_count, 1);
    EXPECT_EQ(DeleteFileCount(), converts ? 3U : 6U);
    EXPECT_THAT(Strays(), IsEmpty());
  }
}

TEST_F(DeleteCommitsTest, ConvertsOnlyTheGroupAgainWhoseRowsWereMoved) {
  for (const int version : {2, 3}) {
    SCOPED_TRACE(version);
    MakeTable(version);
    first_files_.clear();
    const Table before_delete = table().Load();
    AddKeys();
    const Rows rows = Read();
    const auto compact = [&] {
      const auto options =
          ParseRewriteDataFilesOptions(*before_delete.metadata, {{"rewrite-all", "true"}});
      const auto filter = ParseExpression("cat = 'b'");
      ASSERT_THAT(filter, IsOk());
      ASSERT_THAT(RewriteDataFiles(context(), before_delete, "main", *filter, *options), IsOk());
    };
    const auto result = ConvertMeeting({compact});
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(Read(), rows);
    ExpectKept({"a", "c"});
    EXPECT_EQ(result->converted_equality_deletes, 3);
    EXPECT_EQ(result->added_position_deletes, 3);
    EXPECT_EQ(DeleteFileCount(), 3U);
    EXPECT_EQ(LiveFiles(true, "b").size(), 1U);
  }
}

TEST_F(DeleteCommitsTest, LeavesEqualityDeletesThatCameMeanwhileAsTheyAre) {
  MakeTable(3);
  AddKeys();
  const auto result = ConvertMeeting({[&] {
    table().Add({EqualityDeletes({21}, "b")});
    AddVector(files_["b"][0], {5});
  }});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(Read(), SizeIs(55));
  EXPECT_EQ(result->converted_equality_deletes, 3);
  EXPECT_EQ(result->rewritten_position_deletes, 1);
  EXPECT_EQ(DeleteFileCount(), 4U);
  ASSERT_THAT(ConvertMeeting({}), IsOk());
  EXPECT_THAT(Read(), SizeIs(55));
  EXPECT_EQ(DeleteFileCount(), 3U);
}

TEST_F(DeleteCommitsTest, NamesWhatIsInConflictWhenTheRoundsAreOver) {
  MakeTable(3, {{"commit.retry.num-retries", "1"}});
  AddKeys();
  EXPECT_THAT(ConvertMeeting({[&] { AddVector(files_["b"][0], {5}); },
                              [&] {
                                const auto old = LiveFiles(false, "b");
                                for (const ManifestEntry& entry : old) {
                                  if (entry.file.is_deletion_vector())
                                    table().Remove(entry.file.file_path);
                                }
                                AddVector(files_["b"][0], {5, 6});
                              }}),
              IsError(ErrorCode::kCommitConflict,
                      "in conflict at the end: group 3 (cat=b) of delete files"));
  EXPECT_THAT(Read(), SizeIs(55));
  EXPECT_THAT(Strays(), IsEmpty());
}

TEST_F(DeleteCommitsTest, PartialProgressDoesAGroupAgainAfterTheOthers) {
  MakeTable(2);
  AddPositions();
  const auto result =
      RewriteMeeting({[&] { table().Remove(deletes_["b"][0].file_path); }},
                     {{"partial-progress.enabled", "true"}, {"partial-progress.max-commits", "1"}});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(Read(), SizeIs(49));
  ExpectKept({"a", "c"});
  EXPECT_EQ(result->commit_count, 2);
  EXPECT_EQ(result->rewritten_position_deletes, 11);
}

}  // namespace
}  // namespace firn
