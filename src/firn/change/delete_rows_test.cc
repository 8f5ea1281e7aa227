#include "firn/change/delete_rows.h"

#include "firn/change/row_change_testing_internal.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeleteRowsTest : public RowChangeTest {
 protected:
  Result<ReplaceRowsResult> Delete(const std::string& where,
                                   std::optional<WriteMode> mode = std::nullopt) {
    DeleteRowsRequest request;
    request.condition = *ParseExpression(where);
    request.mode = mode;
    return DeleteRows(context(), Load(), request);
  }
};

struct Kind {
  int format_version;
  bool is_partitioned;
  WriteMode mode;
};

class DeleteKindsTest : public DeleteRowsTest, public testing::WithParamInterface<Kind> {};

TEST_P(DeleteKindsTest, DeletesTheRowsForWhichTheConditionIsTrueAndNoOther) {
  const Kind& kind = GetParam();
  MakeTable(kind.format_version, kind.is_partitioned);
  Append({{1, "x"}, {2, "x"}, {3, "y"}, {4, ""}});
  Append({{5, "y"}, {6, "y"}});

  // Null is neither equal nor unequal: row 4 stays.
  const auto first = Delete("kind <> 'x' and id <> 5", kind.mode);
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->deleted_rows, 2);
  EXPECT_THAT(Rows(), ElementsAre("1", "2", "4", "5"));

  // Rows of a file that has lost some already.
  const auto second = Delete("id = 2", kind.mode);
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->deleted_rows, 1);
  EXPECT_THAT(Rows(), ElementsAre("1", "4", "5"));

  // What is gone cannot be deleted again.
  const auto again = Delete("id in (2, 3, 6)", kind.mode);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->deleted_rows, 0);
  EXPECT_EQ(again->snapshot_id, second->snapshot_id);

  const auto rest = Delete("true", kind.mode);
  ASSERT_THAT(rest, IsOk());
  EXPECT_EQ(rest->deleted_rows, 3);
  EXPECT_THAT(Rows(), IsEmpty());
  const Table after = Load();
  const auto manifests = ReadManifests(*io_, *after.metadata->current_snapshot());
  ASSERT_THAT(manifests, IsOk());
  for (const ManifestFile& manifest : *manifests)
    EXPECT_FALSE(manifest.has_live_files()) << "deletes of files that are gone are left";
}

INSTANTIATE_TEST_SUITE_P(All, DeleteKindsTest,
                         testing::Values(Kind{1, false, WriteMode::kCopyOnWrite},
                                         Kind{2, false, WriteMode::kCopyOnWrite},
                                         Kind{2, true, WriteMode::kCopyOnWrite},
                                         Kind{3, false, WriteMode::kCopyOnWrite},
                                         Kind{2, false, WriteMode::kMergeOnRead},
                                         Kind{2, true, WriteMode::kMergeOnRead},
                                         Kind{3, false, WriteMode::kMergeOnRead},
                                         Kind{3, true, WriteMode::kMergeOnRead}));

TEST_F(DeleteRowsTest, TakesTheModeOfTheTable) {
  MakeTable(2, false, {{"write.delete.mode", "merge-on-read"}});
  Append({{1, "x"}, {2, "y"}});
  const auto result = Delete("id = 1");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->added_delete_files, 1);
  EXPECT_EQ(result->added_data_files, 0);
}

TEST_F(DeleteRowsTest, KeepsOneDeleteFileForADataFileHoweverOftenRowsGo) {
  for (const int version : {2, 3}) {
    MakeTable(version);
    Append({{1, "x"}, {2, "x"}, {3, "x"}, {4, "x"}});
    for (const char* where : {"id = 1", "id = 3", "id = 4"})
      ASSERT_THAT(Delete(where, WriteMode::kMergeOnRead), IsOk());
    const Table table = Load();
    const Summary& summary = table.metadata->current_snapshot()->summary;
    EXPECT_EQ(summary.Find("total-delete-files"), "1");
    EXPECT_EQ(summary.Find("total-position-deletes"), "3");
    EXPECT_THAT(Rows(), ElementsAre("2"));
  }
}

TEST_F(DeleteRowsTest, TakesWholeFilesOutWithoutReadingThem) {
  MakeTable(2, true);
  Append({{1, "x"}, {2, "y"}});
  const size_t before = CountDataFiles();
  const auto result = Delete("kind = 'x'");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->deleted_rows, 1);
  EXPECT_EQ(CountDataFiles(), before);
  EXPECT_EQ(Load().metadata->current_snapshot()->operation, "delete");
}

// v3: rows that move keep their ids and the number of the commit that wrote them.
TEST_F(DeleteRowsTest, KeepsRowLineageOfRowsThatAreWrittenAgain) {
  MakeTable(3);
  Append({{1, "x"}, {2, "x"}, {3, "x"}});
  const std::vector<std::string> columns = {"id", "_row_id", "_last_updated_sequence_number"};
  EXPECT_THAT(Rows(columns), ElementsAre("1,0,1", "2,1,1", "3,2,1"));
  ASSERT_THAT(Delete("id = 1", WriteMode::kCopyOnWrite), IsOk());
  EXPECT_THAT(Rows(columns), ElementsAre("2,1,1", "3,2,1"));
}

TEST_F(DeleteRowsTest, LeavesNoFileBehindAfterAConflict) {
  for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
    MakeTable(2);
    Append({{1, "x"}, {2, "x"}});
    ScriptedCatalog catalog(*catalog_);
    size_t before = 0;
    catalog.before_commit = [&] {
      if (catalog.commit_count > 1) return;
      use_catalog_ = nullptr;
      Append({{1, "late"}});
      before = CountDataFiles() - 1;  // Without the file that the deletion wrote.
    };
    use_catalog_ = &catalog;
    EXPECT_THAT(Delete("id = 1", mode), IsError(ErrorCode::kCommitConflict, "may hold rows"));
    use_catalog_ = nullptr;
    EXPECT_EQ(CountDataFiles(), before);
    EXPECT_THAT(Rows(), ElementsAre("1", "1", "2"));
    io_ = MakeMemoryFileIO(clock_);
  }
}

TEST_F(DeleteRowsTest, DoesNothingInATableWithoutRows) {
  MakeTable(2);
  const auto result = Delete("id = 1");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->deleted_rows, 0);
  EXPECT_EQ(result->snapshot_id, std::nullopt);
  EXPECT_THAT(Delete("nothing = 1"), IsError(ErrorCode::kInvalidInput, "nothing"));
}

TEST_F(DeleteRowsTest, RefusesMergeOnReadInVersion1) {
  MakeTable(1);
  Append({{1, "x"}});
  EXPECT_THAT(Delete("id = 1", WriteMode::kMergeOnRead),
              IsError(ErrorCode::kInvalidInput, "version 2"));
}

}  // namespace
}  // namespace firn
