#include "firn/maintain/deletes/rewrite_position_deletes.h"

#include <gmock/gmock.h>

#include "firn/data/read/row_positions.h"
#include "firn/io/uri.h"
#include "firn/maintain/compaction/row_rewrite_testing_internal.h"
#include "firn/testing/scripted_catalog.h"

// Position deletes are put together, and readers see the same rows before and after.

namespace firn {
namespace {

using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class RewritePositionDeletesTest : public RowRewriteTest {
 protected:
  using Options = std::map<std::string, std::string>;

  DataFile WriteRows(int64_t first, int64_t count, const std::string& partition = "a") {
    std::vector<StructValue> rows;
    for (int64_t id = first; id < first + count; ++id)
      rows.push_back(Row({id, partition}));
    return Write(std::move(rows), partition);
  }

  /// A delete file that names no single data file, whatever it holds.
  DataFile SharedDeletes(const std::vector<std::pair<std::string, int64_t>>& places,
                         const std::string& partition = "a") {
    DataFile file = PositionDeletes(places, partition);
    file.referenced_data_file.reset();
    file.metrics.lower_bounds.clear();
    file.metrics.upper_bounds.clear();
    return file;
  }

  Result<DeleteRewriteResult> TryRewrite(const MaintainContext& with, const Table& planned,
                                         const Options& options, const std::string& where = "",
                                         const std::string& branch = std::string(kMainBranch)) {
    FIRN_ASSIGN(const auto parsed, ParseRewritePositionDeletesOptions(*planned.metadata, options));
    ExpressionPtr filter;
    if (!where.empty()) {
      FIRN_ASSIGN(filter, ParseExpression(where));
    }
    return RewritePositionDeletes(with, planned, branch, filter, parsed);
  }

  DeleteRewriteResult Rewrite(const Options& options, const std::string& where = "") {
    MaintainContext verified = context();
    verified.verification = Verification::kContent;
    const auto result = TryRewrite(verified, table().Load(), options, where);
    EXPECT_THAT(result, IsOk());
    return result.ok() ? *result : DeleteRewriteResult();
  }

  void SetProperty(const std::string& name, const std::string& value) {
    const std::vector<TableUpdate> updates = {SetProperties{{{name, value}}}};
    ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  }
  void Upgrade() {
    const std::vector<TableUpdate> updates = {UpgradeFormatVersion{3}};
    ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  }
};

const std::map<std::string, std::string> kAllDeletes = {{"rewrite-all", "true"}};

TEST_F(RewritePositionDeletesTest, GivesEachDataFileOneDeleteFile) {
  Open({});
  const DataFile a = WriteRows(0, 10);
  const DataFile b = WriteRows(10, 10);
  table().Add({a, b});
  for (int64_t i = 0; i < 6; ++i)
    table().Add({SharedDeletes({{a.file_path, i}, {b.file_path, i}, {b.file_path, 9}})});
  const Rows expected = Read();
  ASSERT_THAT(expected, SizeIs(7));

  const auto result = Rewrite({});

  EXPECT_EQ(result.rewritten_position_deletes, 6);
  EXPECT_EQ(result.added_position_deletes, 2);
  EXPECT_EQ(result.converted_equality_deletes, 0);
  EXPECT_EQ(Read(), expected);
  const auto live = LiveFiles(false);
  ASSERT_THAT(live, SizeIs(2));
  int64_t bytes = 0;
  for (const ManifestEntry& entry : live) {
    bytes += entry.file.file_size_in_bytes;
    EXPECT_EQ(entry.sequence_number, 7);  // Of the newest delete, not of the rewrite.
    EXPECT_EQ(entry.file.record_count,
              entry.file.referenced_data_file == a.file_path ? 6 : 7);  // Each row once.
  }
  EXPECT_EQ(result.added_bytes, bytes);
  EXPECT_EQ(table().Load().metadata->current_snapshot()->operation, "replace");
}

TEST_F(RewritePositionDeletesTest, PutsAPartitionTogetherWhereTheTableSaysSo) {
  Open({.is_partitioned = true});
  SetProperty("write.delete.granularity", "partition");
  std::vector<DataFile> files;
  for (const std::string partition : {"a", "b"}) {
    files.push_back(WriteRows(0, 10, partition));
    files.push_back(WriteRows(10, 10, partition));
  }
  table().Add(files);
  for (const DataFile& file : files) {
    const std::string partition = file.partition.fields[0].get<std::string>();
    for (int64_t i = 0; i < 3; ++i)
      table().Add({PositionDeletes({{file.file_path, i}}, partition)});
  }
  const Rows expected = Read();
  ASSERT_THAT(expected, SizeIs(28));

  EXPECT_EQ(Rewrite({}, "cat = 'a'").rewritten_position_deletes, 6);
  EXPECT_EQ(DeleteFileCount("a"), 1U);
  EXPECT_EQ(DeleteFileCount("b"), 6U);
  EXPECT_EQ(Read(), expected);

  const auto result = Rewrite({});
  EXPECT_EQ(result.rewritten_position_deletes, 6);
  EXPECT_EQ(result.added_position_deletes, 1);
  EXPECT_EQ(Read(), expected);
  EXPECT_EQ(Rewrite({}).snapshot_id, std::nullopt);
}

// B31
TEST_F(RewritePositionDeletesTest, LeavesOutWhatAppliesToNothing) {
  Open({});
  const DataFile gone = WriteRows(0, 10);
  const DataFile kept = WriteRows(10, 10);
  table().Add({gone, kept});
  for (int64_t i = 0; i < 5; ++i)
    table().Add({SharedDeletes({{gone.file_path, i}, {"memory:/nowhere", i}})});
  table().Add({SharedDeletes({{gone.file_path, 7}, {kept.file_path, 7}})});
  table().Remove(gone.file_path);

  const auto result = Rewrite({});

  EXPECT_EQ(result.rewritten_position_deletes, 6);
  EXPECT_EQ(result.added_position_deletes, 1);
  EXPECT_EQ(LiveFiles(false)[0].file.record_count, 1);
  EXPECT_THAT(Read(), SizeIs(9));
}

TEST_F(RewritePositionDeletesTest, LeavesOutPositionsBehindTheLastRow) {
  for (const bool is_upgraded : {false, true}) {
    for (const std::string granularity : {"file", "partition"}) {
      Open({});
      SetProperty("write.delete.granularity", granularity);
      const DataFile file = WriteRows(0, 10);
      const DataFile other = WriteRows(10, 10);
      table().Add({file, other});
      table().Add({SharedDeletes({{file.file_path, 3}, {file.file_path, 9}})});
      table().Add({SharedDeletes({{file.file_path, 10}, {file.file_path, 5'000'000'000}})});
      table().Add({SharedDeletes({{other.file_path, 10}})});  // Deletes nothing at all.
      if (is_upgraded) Upgrade();
      const Rows expected = Read();
      ASSERT_THAT(expected, SizeIs(18));

      const auto result = Rewrite(kAllDeletes);

      EXPECT_EQ(result.rewritten_position_deletes, 3);
      EXPECT_EQ(result.added_position_deletes, 1);
      const auto live = LiveFiles(false);
      ASSERT_THAT(live, SizeIs(1));
      EXPECT_EQ(live[0].file.record_count, 2);
      EXPECT_EQ(Read(), expected);
    }
  }
}

TEST_F(RewritePositionDeletesTest, RefusesNegativePositions) {
  Open({});
  const DataFile file = WriteRows(0, 10);
  table().Add({file});
  table().Add({SharedDeletes({{file.file_path, -1}})});
  EXPECT_THAT(TryRewrite(context(), table().Load(), kAllDeletes),
              IsError(ErrorCode::kCorrupt, "position -1 is negative"));
}

TEST_F(RewritePositionDeletesTest, RemovesAllWhereNothingIsLeft) {
  Open({});
  const DataFile gone = WriteRows(0, 10);
  table().Add({gone, WriteRows(10, 2)});
  for (int64_t i = 0; i < 5; ++i)
    table().Add({PositionDeletes({{gone.file_path, i}})});
  table().Remove(gone.file_path);
  EXPECT_EQ(Rewrite({}).added_position_deletes, 0);
  EXPECT_EQ(DeleteFileCount(), 0U);
  EXPECT_THAT(Read(), SizeIs(2));
}

// A file that came back under its name is younger than what was deleted in it before.
TEST_F(RewritePositionDeletesTest, DeletesNothingInAFileThatIsYoungerThanTheDelete) {
  Open({});
  const DataFile file = WriteRows(0, 10);
  table().Add({file});
  table().Add({SharedDeletes({{file.file_path, 1}})});
  table().Remove(file.file_path);
  table().Add({file});
  const DataFile other = WriteRows(10, 10);
  table().Add({other});
  table().Add({SharedDeletes({{other.file_path, 3}})});
  ASSERT_THAT(Read(), SizeIs(19));
  Rewrite(kAllDeletes);
  EXPECT_THAT(Read(), SizeIs(19));
  table().Add({SharedDeletes({{file.file_path, 1}})});
  Rewrite(kAllDeletes);
  EXPECT_THAT(Read(), SizeIs(18));
}

// B37, B38: a delete stays within its partition and spec.
TEST_F(RewritePositionDeletesTest, KeepsSpecsApart) {
  Open({.is_partitioned = true});
  const DataFile old_file = WriteRows(0, 10);
  table().Add({old_file});
  table().Add({SharedDeletes({{old_file.file_path, 1}})});
  const PartitionSpecPtr spec = table().Load().metadata->default_spec();
  const std::vector<TableUpdate> updates = {AddPartitionSpec{}, SetDefaultSpec{}};
  ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  const DataFile new_file = WriteRows(10, 10);
  table().Add({new_file});
  table().Add({SharedDeletes({{new_file.file_path, 1}, {old_file.file_path, 2}})});
  const Rows expected = Read();
  ASSERT_THAT(expected, SizeIs(18));
  const auto result = Rewrite(kAllDeletes);
  EXPECT_EQ(result.rewritten_position_deletes, 2);
  EXPECT_EQ(result.added_position_deletes, 2);
  EXPECT_EQ(Read(), expected);
}

TEST_F(RewritePositionDeletesTest, TurnsPositionDeletesIntoOneVectorForEachFile) {
  Open({});
  const DataFile a = WriteRows(0, 10);
  const DataFile b = WriteRows(10, 10);
  const DataFile c = WriteRows(20, 10);
  table().Add({a, b, c});
  table().Add({SharedDeletes({{a.file_path, 1}, {b.file_path, 2}})});
  table().Add({PositionDeletes({{a.file_path, 3}})});
  Upgrade();
  // A vector that holds what was deleted in b before, as the format asks for.
  const Table loaded = table().Load();
  const WriteContext write{.io = loaded.io,
                           .metadata = loaded.metadata,
                           .executor = &table().executor(),
                           .budget = &budget_,
                           .random = &table().random()};
  PositionSet of_b;
  of_b.Add(2);
  of_b.Add(5);
  const auto vector = WriteDeletionVectors(write, {{.data_file = b, .positions = of_b}});
  ASSERT_THAT(vector, IsOkAnd(SizeIs(1)));
  table().Add(*vector);
  const Rows expected = Read();
  ASSERT_THAT(expected, SizeIs(26));

  const auto result = Rewrite({});  // However few there are.

  EXPECT_EQ(result.rewritten_position_deletes, 2);
  EXPECT_EQ(result.added_position_deletes, 1);
  EXPECT_EQ(Read(), expected);
  const auto live = LiveFiles(false);
  ASSERT_THAT(live, SizeIs(2));
  for (const ManifestEntry& entry : live)
    EXPECT_TRUE(entry.file.is_deletion_vector());
  EXPECT_EQ(Rewrite(kAllDeletes).snapshot_id, std::nullopt);
}

TEST_F(RewritePositionDeletesTest, ReadsAsManyDataFilesAtATimeAsMemoryHolds) {
  Open({});
  std::vector<DataFile> files;  // Their rows are not looked at.
  for (const std::string name : {"a", "b", "c", "d"})
    files.push_back(table().MakeDataFile(name, 1'000'000));
  table().Add(files);
  std::vector<std::pair<std::string, int64_t>> places;
  for (const DataFile& file : files) {
    for (int64_t position = 0; position < 50; ++position)
      places.emplace_back(file.file_path, position * 20'000);
  }
  table().Add({SharedDeletes(places)});
  table().Add({SharedDeletes(places)});
  MemoryBudget small(int64_t{2} << 20);
  MaintainContext with = context();
  with.budget = &small;
  with.verification = Verification::kContent;
  const auto result = TryRewrite(with, table().Load(), kAllDeletes);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->added_position_deletes, 4);
  for (const ManifestEntry& entry : LiveFiles(false))
    EXPECT_EQ(entry.file.record_count, 50);
}

TEST_F(RewritePositionDeletesTest, CommitsInBatchesWhereAskedTo) {
  Open({.is_partitioned = true});
  std::vector<std::string> partitions = {"a", "b", "c", "d"};
  for (const std::string& partition : partitions) {
    const DataFile file = WriteRows(0, 10, partition);
    table().Add({file});
    table().Add({PositionDeletes({{file.file_path, 1}}, partition)});
    table().Add({PositionDeletes({{file.file_path, 2}}, partition)});
  }
  const auto result = Rewrite({{"rewrite-all", "true"},
                               {"partial-progress.enabled", "true"},
                               {"partial-progress.max-commits", "2"},
                               {"rewrite-job-order", "bytes-desc"}});
  EXPECT_EQ(result.commit_count, 2);
  EXPECT_EQ(result.rewritten_position_deletes, 8);
  EXPECT_EQ(result.added_position_deletes, 4);
  EXPECT_THAT(Read(), SizeIs(32));
}

TEST_F(RewritePositionDeletesTest, DoesWhatIsLeftIfADeleteFileIsGone) {
  Open({});
  const DataFile file = WriteRows(0, 10);
  table().Add({file});
  const DataFile first = PositionDeletes({{file.file_path, 1}});
  table().Add({first});
  const DataFile second = PositionDeletes({{file.file_path, 2}});
  table().Add({second});
  const Table planned = table().Load();
  table().Remove(first.file_path);
  const auto result = TryRewrite(context(), planned, kAllDeletes);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rewritten_position_deletes, 1);
  EXPECT_THAT(DataOutsideOfTheTable(), UnorderedElementsAre(first.file_path, second.file_path));
  EXPECT_THAT(Read(), SizeIs(9));
}

TEST_F(RewritePositionDeletesTest, LosesNoDeleteThatComesMeanwhile) {
  Open({});
  const DataFile file = WriteRows(0, 10);
  table().Add({file});
  table().Add({PositionDeletes({{file.file_path, 1}})});
  table().Add({PositionDeletes({{file.file_path, 2}})});
  ScriptedCatalog catalog(table().catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count == 1) table().Add({PositionDeletes({{file.file_path, 3}})});
  };
  MaintainContext with = context();
  with.commit.catalog = &catalog;
  ASSERT_THAT(TryRewrite(with, table().Load(), kAllDeletes), IsOk());
  EXPECT_EQ(DeleteFileCount(), 2U);
  EXPECT_THAT(Read(), SizeIs(7));
}

TEST_F(RewritePositionDeletesTest, NamesDeleteFilesThatAreBrokenOrMissing) {
  Open({});
  const DataFile file = WriteRows(0, 10);
  table().Add({file});
  const DataFile negative = PositionDeletes({{file.file_path, -1}});
  table().Add({negative});
  EXPECT_THAT(TryRewrite(context(), table().Load(), kAllDeletes),
              IsError(ErrorCode::kCorrupt, "position -1 is negative"));
  table().Remove(negative.file_path);
  const DataFile endless = PositionDeletes({{file.file_path, INT64_MAX}});
  table().Add({endless});
  EXPECT_THAT(TryRewrite(context(), table().Load(), kAllDeletes),
              IsError(ErrorCode::kCorrupt, endless.file_path));
  table().Remove(endless.file_path);
  const DataFile missing = PositionDeletes({{file.file_path, 1}});
  table().Add({missing});
  ASSERT_THAT(table().io().Delete(missing.file_path), IsOk());
  EXPECT_THAT(TryRewrite(context(), table().Load(), kAllDeletes),
              IsError(ErrorCode::kNotFound, missing.file_path));
}

TEST_F(RewritePositionDeletesTest, RewritesTheBranchThatIsNamed) {
  Open({});
  const DataFile file = WriteRows(0, 10);
  const Snapshot base = table().Add({file});
  table().SetRef("side", base.snapshot_id);
  table().Add({PositionDeletes({{file.file_path, 1}})}, "", "side");
  const Snapshot head = table().Add({PositionDeletes({{file.file_path, 2}})}, "", "side");
  const auto result = TryRewrite(context(), table().Load(), kAllDeletes, "", "side");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->added_position_deletes, 1);
  EXPECT_EQ(Read(result->snapshot_id), Read(head.snapshot_id));
  EXPECT_THAT(Read(), SizeIs(10));
  EXPECT_THAT(TryRewrite(context(), table().Load(), kAllDeletes, "", "nowhere"),
              IsError(ErrorCode::kNotFound, "no branch 'nowhere'"));
}

TEST_F(RewritePositionDeletesTest, ChoosesFilesBySizeAndGroupsByNumber) {
  Open({});
  const DataFile file = WriteRows(0, 10);
  table().Add({file});
  for (int64_t i = 0; i < 4; ++i)
    table().Add({PositionDeletes({{file.file_path, i}})});
  EXPECT_EQ(Rewrite({}).snapshot_id, std::nullopt);  // Fewer than five.
  EXPECT_EQ(Rewrite({{"min-input-files", "2"}, {"min-file-size-bytes", "0"}}).snapshot_id,
            std::nullopt);  // Not too small.
  EXPECT_EQ(Rewrite({{"min-input-files", "2"}, {"max-file-group-input-files", "2"}})
                .added_position_deletes,
            2);
  EXPECT_EQ(Rewrite({{"min-input-files", "2"}}).added_position_deletes, 1);
  EXPECT_THAT(Read(), SizeIs(6));
}

TEST_F(RewritePositionDeletesTest, RefusesOptionsThatItDoesNotKnow) {
  Open({});
  EXPECT_THAT(TryRewrite(context(), table().Load(), {{"max-files-to-rewrite", "1"}}),
              IsError(ErrorCode::kInvalidInput,
                      "unknown option 'max-files-to-rewrite', expected one of "
                      "max-concurrent-file-group-rewrites, max-file-group-input-files, "
                      "max-file-group-size-bytes, max-file-size-bytes, min-file-size-bytes, "
                      "min-input-files, partial-progress.enabled, partial-progress.max-commits, "
                      "rewrite-all, rewrite-job-order, target-file-size-bytes"));
  EXPECT_THAT(TryRewrite(context(), table().Load(), {{"min-input-files", "0"}}),
              IsError(ErrorCode::kInvalidInput, "expected a whole number >= 1"));
  EXPECT_THAT(TryRewrite(context(), table().Load(), {{"min-file-size-bytes", "67108864"}}),
              IsError(ErrorCode::kInvalidInput, "expected 0 <= min < target < max"));
}

}  // namespace
}  // namespace firn
