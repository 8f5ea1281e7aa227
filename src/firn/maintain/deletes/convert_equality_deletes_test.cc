#include "firn/maintain/deletes/convert_equality_deletes.h"

#include <gmock/gmock.h>

#include "firn/commit/rewrite_deletes.h"
#include "firn/io/uri.h"
#include "firn/maintain/compaction/rewrite_data_files.h"
#include "firn/maintain/compaction/row_rewrite_testing_internal.h"
#include "firn/testing/scripted_catalog.h"

// Equality deletes become positions; readers see the same rows before and after.

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ConvertEqualityDeletesTest : public RowRewriteTest {
 protected:
  using Options = std::map<std::string, std::string>;

  DataFile WriteRows(int64_t first, int64_t count, const std::string& partition = "a") {
    std::vector<StructValue> rows;
    for (int64_t id = first; id < first + count; ++id)
      rows.push_back(Row({id, partition}));
    return Write(std::move(rows), partition);
  }

  Result<DeleteRewriteResult> TryConvert(const MaintainContext& with, const Table& planned,
                                         const Options& options = {}, const std::string& where = "",
                                         const std::string& branch = std::string(kMainBranch)) {
    FIRN_ASSIGN(const auto parsed, ParseConvertEqualityDeletesOptions(options));
    ExpressionPtr filter;
    if (!where.empty()) {
      FIRN_ASSIGN(filter, ParseExpression(where));
    }
    return ConvertEqualityDeletes(with, planned, branch, filter, parsed);
  }

  DeleteRewriteResult Convert(const Options& options = {}, const std::string& where = "") {
    MaintainContext verified = context();
    verified.verification = Verification::kContent;
    const auto result = TryConvert(verified, table().Load(), options, where);
    EXPECT_THAT(result, IsOk());
    return result.ok() ? *result : DeleteRewriteResult();
  }

  std::vector<int64_t> SequenceNumbersOfDeletes() {
    std::vector<int64_t> numbers;
    for (const ManifestEntry& entry : LiveFiles(false))
      numbers.push_back(entry.sequence_number.value_or(-1));
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  /// Runs `meanwhile` before the first commit.
  Result<DeleteRewriteResult> ConvertMeeting(const std::function<void()>& meanwhile) {
    ScriptedCatalog catalog(table().catalog());
    catalog.before_commit = [&] {
      if (catalog.commit_count == 1) meanwhile();
    };
    MaintainContext with = context();
    with.commit.catalog = &catalog;
    return TryConvert(with, table().Load());
  }
};

TEST_F(ConvertEqualityDeletesTest, WritesPositionsForTheFilesThatAreHit) {
  Open({});
  const DataFile a = WriteRows(0, 10);
  const DataFile b = WriteRows(10, 10);
  table().Add({a, b, WriteRows(20, 10)});
  table().Add({EqualityDeletes({1, 2, 11})});
  table().Add({EqualityDeletes({1, 99})});
  // B38: of the same commit, and younger.
  table().Add({EqualityDeletes({3}), Write({Row({int64_t{3}, "new"})})});
  const Rows expected = Read();
  ASSERT_THAT(expected, SizeIs(27));

  const auto result = Convert();

  EXPECT_EQ(result.converted_equality_deletes, 3);
  EXPECT_EQ(result.rewritten_position_deletes, 0);
  EXPECT_EQ(result.added_position_deletes, 2);
  EXPECT_EQ(Read(), expected);
  ASSERT_THAT(LiveFiles(false), SizeIs(2));
  for (const ManifestEntry& entry : LiveFiles(false)) {
    EXPECT_EQ(entry.file.content, FileContent::kPositionDeletes);
    EXPECT_EQ(entry.file.record_count, entry.file.referenced_data_file == a.file_path ? 3 : 1);
  }
  EXPECT_THAT(SequenceNumbersOfDeletes(), ElementsAre(3, 4));  // The last one cannot be in b.
  EXPECT_EQ(Convert().snapshot_id, std::nullopt);
}

TEST_F(ConvertEqualityDeletesTest, TakesPositionsAndVectorsUpIntoTheNewVector) {
  Open({});
  const DataFile a = WriteRows(0, 10);
  const DataFile b = WriteRows(10, 10);
  table().Add({a, b});
  table().Add({PositionDeletes({{a.file_path, 0}, {b.file_path, 0}})});
  table().Add({PositionDeletes({{b.file_path, 5}})});
  const std::vector<TableUpdate> updates = {UpgradeFormatVersion{3}};
  ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  table().Add({EqualityDeletes({11})});
  Rows expected = Read();
  ASSERT_THAT(expected, SizeIs(16));

  auto result = Convert();

  EXPECT_EQ(result.converted_equality_deletes, 1);
  EXPECT_EQ(result.rewritten_position_deletes, 1);  // The one that is for b alone.
  EXPECT_EQ(result.added_position_deletes, 1);
  EXPECT_EQ(Read(), expected);
  table().Add({EqualityDeletes({12, 1})});
  expected = Read();
  ASSERT_THAT(expected, SizeIs(14));
  result = Convert();
  EXPECT_EQ(result.converted_equality_deletes, 1);
  EXPECT_EQ(result.rewritten_position_deletes, 1);  // The vector of b.
  EXPECT_EQ(result.added_position_deletes, 2);
  EXPECT_EQ(Read(), expected);
  EXPECT_THAT(LiveFiles(false), SizeIs(3));
}

TEST_F(ConvertEqualityDeletesTest, ConvertsWhatAppliesToFilesOfACondition) {
  Open({.is_partitioned = true});
  for (const std::string partition : {"a", "b"}) {
    table().Add({WriteRows(0, 10, partition)});
    table().Add({EqualityDeletes({1, 2}, partition)});
    table().Add({EqualityDeletes({3}, partition)});
  }
  const Rows expected = Read();
  ASSERT_THAT(expected, SizeIs(14));
  EXPECT_EQ(Convert({{"min-input-files", "3"}}).snapshot_id, std::nullopt);
  EXPECT_EQ(Convert({}, "cat = 'a'").converted_equality_deletes, 2);
  EXPECT_EQ(DeleteFileCount("a"), 1U);
  EXPECT_EQ(DeleteFileCount("b"), 2U);
  EXPECT_EQ(Read(), expected);
  EXPECT_EQ(Convert({}, "cat = 'c'").snapshot_id, std::nullopt);
  EXPECT_EQ(Convert().added_position_deletes, 1);
  EXPECT_EQ(Read(), expected);
}

// B37: within its partition and spec; but one without a partition is for all.
TEST_F(ConvertEqualityDeletesTest, KeepsToTheScopeOfEachDelete) {
  Open({.is_partitioned = true});
  table().Add({WriteRows(0, 10, "a"), WriteRows(0, 10, "b")});
  table().Add({EqualityDeletes({1}, "a")});
  const std::vector<TableUpdate> updates = {AddPartitionSpec{}, SetDefaultSpec{}};
  ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  table().Add({WriteRows(0, 10)});
  const Rows before = Read();
  ASSERT_THAT(before, SizeIs(29));
  EXPECT_EQ(Convert().added_position_deletes, 1);
  EXPECT_EQ(Read(), before);
  table().Add({EqualityDeletes({2})});
  const Rows after = Read();
  ASSERT_THAT(after, SizeIs(26));
  EXPECT_EQ(Convert().added_position_deletes, 3);
  EXPECT_EQ(Read(), after);
}

TEST_F(ConvertEqualityDeletesTest, RemovesDeletesThatApplyToNothing) {
  Open({});
  table().Add({EqualityDeletes({1})});
  table().Add({WriteRows(0, 3)});
  const auto result = Convert();
  EXPECT_EQ(result.converted_equality_deletes, 1);
  EXPECT_EQ(result.added_position_deletes, 0);
  EXPECT_EQ(DeleteFileCount(), 0U);
  EXPECT_THAT(Read(), SizeIs(3));
}

TEST_F(ConvertEqualityDeletesTest, LetsRowsAndDeletesThatComeMeanwhilePass) {
  Open({});
  table().Add({WriteRows(0, 10)});
  table().Add({EqualityDeletes({1})});
  ASSERT_THAT(ConvertMeeting([&] {
                table().Add({Write({Row({int64_t{1}, "again"})})});
                table().Add({EqualityDeletes({2})});
              }),
              IsOk());
  EXPECT_THAT(Read(), SizeIs(9));
  EXPECT_EQ(Convert().converted_equality_deletes, 1);
  EXPECT_THAT(Read(), SizeIs(9));
}

// A compaction that began before the delete leaves its rows to it.
TEST_F(ConvertEqualityDeletesTest, FollowsRowsThatADeleteStillAppliesToIfTheyAreMovedMeanwhile) {
  Open({});
  table().Add({WriteRows(0, 10)});
  const Table before_delete = table().Load();
  table().Add({EqualityDeletes({1})});
  const auto compact = [&] {
    const auto options =
        ParseRewriteDataFilesOptions(*before_delete.metadata, {{"rewrite-all", "true"}});
    ASSERT_THAT(options, IsOk());
    ASSERT_THAT(RewriteDataFiles(context(), before_delete, "main", nullptr, *options), IsOk());
  };
  const auto result = ConvertMeeting(compact);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->converted_equality_deletes, 1);
  EXPECT_EQ(result->added_position_deletes, 1);
  EXPECT_THAT(Read(), SizeIs(9));
  ASSERT_EQ(DeleteFileCount(), 1U);
  EXPECT_EQ(LiveFiles(false)[0].file.referenced_data_file, LiveFiles(true)[0].file.file_path);
}

// And one that commits after the conversion meets the positions, which are as old as the delete.
TEST_F(ConvertEqualityDeletesTest, IsNoticedByACompactionThatBeganBeforeTheDelete) {
  for (const int version : {2, 3}) {
    Open({.format_version = version});
    table().Add({WriteRows(0, 10)});
    const Table before_delete = table().Load();
    table().Add({EqualityDeletes({1})});
    Convert();
    const auto options =
        ParseRewriteDataFilesOptions(*before_delete.metadata, {{"rewrite-all", "true"}});
    ASSERT_THAT(options, IsOk());
    ASSERT_THAT(RewriteDataFiles(context(), before_delete, "main", nullptr, *options), IsOk());
    EXPECT_THAT(Read(), SizeIs(9));
    EXPECT_EQ(DeleteFileCount(), 0U);
  }
}

TEST_F(ConvertEqualityDeletesTest, WorksWithLessMemoryThanPositionsOfAllFilesTake) {
  Open({});
  std::vector<DataFile> files;
  for (int64_t i = 0; i < 6; ++i)
    files.push_back(WriteRows(i * 1000, 1000));
  table().Add(files);
  std::vector<int64_t> ids;
  for (int64_t id = 0; id < 6000; id += 3)
    ids.push_back(id);
  table().Add({EqualityDeletes(ids)});
  MemoryBudget small(int64_t{8} << 20);
  MaintainContext with = context();
  with.budget = &small;
  ASSERT_THAT(TryConvert(with, table().Load()), IsOk());
  EXPECT_THAT(Read(), SizeIs(4000));
  EXPECT_EQ(DeleteFileCount(), 6U);
}

TEST_F(ConvertEqualityDeletesTest, ConvertsOnTheBranchThatIsNamed) {
  Open({});
  const Snapshot base = table().Add({WriteRows(0, 10)});
  table().SetRef("side", base.snapshot_id);
  const Snapshot head = table().Add({EqualityDeletes({4})}, "", "side");
  const auto result = TryConvert(context(), table().Load(), {}, "", "side");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(Read(result->snapshot_id), Read(head.snapshot_id));
  EXPECT_THAT(Read(), SizeIs(10));
}

TEST_F(ConvertEqualityDeletesTest, NamesWhatIsMissingAndOptionsThatItDoesNotKnow) {
  Open({});
  table().Add({WriteRows(0, 10)});
  const DataFile deletes = EqualityDeletes({4});
  table().Add({deletes});
  ASSERT_THAT(table().io().Delete(deletes.file_path), IsOk());
  EXPECT_THAT(TryConvert(context(), table().Load()),
              IsError(ErrorCode::kNotFound, deletes.file_path));
  EXPECT_THAT(TryConvert(context(), table().Load(), {{"rewrite-all", "true"}}),
              IsError(ErrorCode::kInvalidInput,
                      "unknown option 'rewrite-all', expected one of "
                      "max-concurrent-file-group-rewrites, min-input-files, "
                      "partial-progress.enabled, partial-progress.max-commits, "
                      "rewrite-job-order"));
}

// The commit by itself.
TEST_F(ConvertEqualityDeletesTest, RefusesPositionDeleteFilesAfterAnUpgrade) {
  Open({});
  const DataFile file = WriteRows(0, 10);
  table().Add({file});
  const DataFile deletes = EqualityDeletes({4});
  const Snapshot head = table().Add({deletes});
  const Table planned = table().Load();
  const std::vector<TableUpdate> updates = {UpgradeFormatVersion{3}};
  ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  RewriteDeletesRequest request;
  request.starting_snapshot_id = head.snapshot_id;
  request.removed_delete_files = {std::make_shared<const DeleteFile>(
      DeleteFile{.file = deletes, .sequence_number = head.sequence_number})};
  request.added_delete_files = {
      {.file = PositionDeletes({{file.file_path, 4}}), .sequence_number = 2}};
  EXPECT_THAT(CommitRewriteDeletes(table().context(), planned, request),
              IsError(ErrorCode::kCommitConflict, "was upgraded to format version 3"));
  request.added_delete_files[0].file.content = FileContent::kData;
  EXPECT_THAT(CommitRewriteDeletes(table().context(), planned, request),
              IsError(ErrorCode::kInternal));
}

// What is in its way cannot even be read.
TEST_F(ConvertEqualityDeletesTest, LeavesNothingWhenItCannotBeDoneAgain) {
  Open({.format_version = 3});
  const DataFile file = WriteRows(0, 10);
  table().Add({file});
  table().Add({EqualityDeletes({4})});
  EXPECT_THAT(ConvertMeeting([&] {
                table().Add({table().MakeDeletionVector("v.puffin", file, 4, 1)}, "overwrite");
              }),
              IsError(ErrorCode::kNotFound, "v.puffin"));
  EXPECT_THAT(DataOutsideOfTheTable(), IsEmpty());
}

}  // namespace
}  // namespace firn
