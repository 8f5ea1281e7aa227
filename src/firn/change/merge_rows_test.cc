#include "firn/change/merge_rows.h"

#include "firn/catalog/table_evolution.h"
#include "firn/change/row_change_testing_internal.h"

namespace firn {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> kLineage = {"id", "kind", "_row_id",
                                           "_last_updated_sequence_number"};

class MergeRowsTest : public RowChangeTest {
 protected:
  Result<MergeRowsResult> Merge(const Pairs& rows, MergeRowsRequest request) {
    return MergeRows(context(), Load(), MakeRows(rows), request);
  }
  Result<MergeRowsResult> Merge(const Pairs& rows, std::optional<WriteMode> mode = std::nullopt) {
    MergeRowsRequest request;
    request.key = {"id"};
    request.mode = mode;
    return Merge(rows, request);
  }
  std::vector<std::string> IdsAndKinds() { return Rows({"id", "kind"}); }
};

struct MergeKind {
  int format_version;
  bool is_partitioned;
  WriteMode mode;
};

class MergeKindsTest : public MergeRowsTest, public testing::WithParamInterface<MergeKind> {};

TEST_P(MergeKindsTest, ReplacesRowsWithAKeyOfTheInputAndInsertsTheOthers) {
  const MergeKind& kind = GetParam();
  MakeTable(kind.format_version, kind.is_partitioned);
  // An empty table: all is inserted.
  const auto first = Merge({{1, "x"}, {2, "x"}, {3, "y"}, {4, ""}}, kind.mode);
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->inserted_rows, 4);
  Append({{5, "y"}, {6, "y"}});

  // One row of each file, one with a null, one that moves to another partition, a new one.
  const auto second = Merge({{2, "x2"}, {4, "z"}, {5, "x"}, {7, "y"}}, kind.mode);
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->updated_rows, 3);
  EXPECT_EQ(second->inserted_rows, 1);
  EXPECT_EQ(second->deleted_rows, 3);
  EXPECT_THAT(IdsAndKinds(), ElementsAre("1,x", "2,x2", "3,y", "4,z", "5,x", "6,y", "7,y"));
  EXPECT_EQ(Load().metadata->current_snapshot()->operation, "overwrite");

  // Rows of files that have lost some already, and all rows of a file.
  const auto third = Merge({{1, "a"}, {2, "a"}, {3, "a"}, {6, "a"}}, kind.mode);
  ASSERT_THAT(third, IsOk());
  EXPECT_EQ(third->updated_rows, 4);
  EXPECT_THAT(IdsAndKinds(), ElementsAre("1,a", "2,a", "3,a", "4,z", "5,x", "6,a", "7,y"));
}

INSTANTIATE_TEST_SUITE_P(All, MergeKindsTest,
                         testing::Values(MergeKind{1, false, WriteMode::kCopyOnWrite},
                                         MergeKind{2, false, WriteMode::kCopyOnWrite},
                                         MergeKind{2, true, WriteMode::kCopyOnWrite},
                                         MergeKind{3, false, WriteMode::kCopyOnWrite},
                                         MergeKind{3, true, WriteMode::kCopyOnWrite},
                                         MergeKind{2, false, WriteMode::kMergeOnRead},
                                         MergeKind{2, true, WriteMode::kMergeOnRead},
                                         MergeKind{3, false, WriteMode::kMergeOnRead},
                                         MergeKind{3, true, WriteMode::kMergeOnRead}));

TEST_F(MergeRowsTest, TakesTheModeOfTheTable) {
  MakeTable(2, false, {{"write.merge.mode", "merge-on-read"}});
  Append({{1, "x"}, {2, "y"}});
  const auto result = Merge({{1, "z"}});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->added_delete_files, 1);
  EXPECT_EQ(result->removed_data_files, 0);
}

// B125: an updated row keeps its id and gets the number of the commit; others keep both.
TEST_F(MergeRowsTest, KeepsRowIds) {
  for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
    MakeTable(3);
    Append({{1, "x"}, {2, "x"}, {3, "x"}});
    ASSERT_THAT(Merge({{9, "new"}, {2, "y"}}, mode), IsOk());
    const auto rows = Rows(kLineage);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0], "1,x,0,1");
    EXPECT_EQ(rows[1], "2,y,1,2");
    EXPECT_EQ(rows[2], "3,x,2,1");
    EXPECT_TRUE(rows[3].starts_with("9,new,") && rows[3].ends_with(",2")) << rows[3];
    EXPECT_NE(rows[3], "9,new,0,2");
    // Again, from the file that holds the ids.
    ASSERT_THAT(Merge({{2, "z"}}, mode), IsOk());
    EXPECT_EQ(Rows(kLineage)[1], "2,z,1,3");
    io_ = MakeMemoryFileIO(clock_);
  }
}

// B48: the same key twice in one input.
TEST_F(MergeRowsTest, RefusesAKeyThatTheInputHasTwiceBeforeAnythingIsWritten) {
  MakeTable(2);
  Append({{1, "x"}});
  const size_t before = CountDataFiles();
  EXPECT_THAT(
      Merge({{1, "a"}, {2, "b"}, {1, "c"}}),
      IsError(ErrorCode::kInvalidInput, "rows 1 and 3 of the input have the same key (id = 1)"));
  EXPECT_EQ(CountDataFiles(), before);
  EXPECT_THAT(IdsAndKinds(), ElementsAre("1,x"));

  MergeRowsRequest request;
  request.key = {"id"};
  request.duplicates = DuplicateKeys::kLast;
  const auto last = Merge({{1, "a"}, {2, "b"}, {1, "c"}, {3, "d"}, {1, "e"}}, request);
  ASSERT_THAT(last, IsOk());
  EXPECT_EQ(last->updated_rows, 1);
  EXPECT_EQ(last->inserted_rows, 2);
  EXPECT_THAT(IdsAndKinds(), ElementsAre("1,e", "2,b", "3,d"));
}

// B48: null equals nothing, so each run would insert the row again.
TEST_F(MergeRowsTest, RefusesANullInTheKey) {
  MakeTable(2);
  Append({{1, "x"}});
  MergeRowsRequest request;
  request.key = {"id", "kind"};
  EXPECT_THAT(
      Merge({{1, "x"}, {2, ""}}, request),
      IsError(ErrorCode::kInvalidInput, "row 2 of the input has no value in key column 'kind'"));
  EXPECT_THAT(IdsAndKinds(), ElementsAre("1,x"));
}

// B49: neither an update nor an insert leaves a null in a required column.
TEST_F(MergeRowsTest, RefusesANullInARequiredColumn) {
  MakeTable(2);
  name_ = {{"db"}, "required"};
  CreateTableRequest create;
  create.schema = Schema(0, {Column(1, "id", TypeId::kLong), Column(2, "kind", TypeId::kString)});
  std::vector<NestedField> fields = create.schema.fields();
  fields[1].required = true;
  create.schema = Schema(0, std::move(fields));
  ASSERT_THAT(catalog_->Create(name_, create), IsOk());
  Append({{1, "x"}});
  const size_t before = CountDataFiles();
  for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
    EXPECT_THAT(Merge({{1, ""}}, mode), IsError(ErrorCode::kInvalidInput, "kind"));
    EXPECT_THAT(Merge({{2, ""}}, mode), IsError(ErrorCode::kInvalidInput, "kind"));
  }
  EXPECT_EQ(CountDataFiles(), before);
  EXPECT_THAT(IdsAndKinds(), ElementsAre("1,x"));
}

TEST_F(MergeRowsTest, LeavesRowsAloneWhoseKeyIsNull) {
  MakeTable(2);
  Append({{1, ""}, {2, "b"}});
  MergeRowsRequest request;
  request.key = {"kind"};
  ASSERT_THAT(Merge({{7, "b"}, {8, "c"}}, request), IsOk());
  EXPECT_THAT(IdsAndKinds(), ElementsAre("1,", "7,b", "8,c"));
}

TEST_F(MergeRowsTest, ReplacesAllRowsThatHaveTheKeyByOne) {
  MakeTable(2);
  Append({{1, "x"}, {1, "y"}});
  Append({{1, "z"}, {2, "x"}});
  const auto result = Merge({{1, "one"}}, WriteMode::kMergeOnRead);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->updated_rows, 1);
  EXPECT_EQ(result->deleted_rows, 3);
  EXPECT_THAT(IdsAndKinds(), ElementsAre("1,one", "2,x"));
}

TEST_F(MergeRowsTest, SaysWhatIsWrongWithAKey) {
  MakeTable(2);
  MergeRowsRequest request;
  EXPECT_THAT(Merge({{1, "x"}}, request), IsError(ErrorCode::kInvalidInput, "no key"));
  request.key = {"knd"};
  EXPECT_THAT(Merge({{1, "x"}}, request),
              IsError(ErrorCode::kInvalidInput,
                      "key: there is no column 'knd' (did you mean 'kind'?); the columns are id, "
                      "kind"));
  request.key = {"id", "ID"};
  EXPECT_THAT(Merge({{1, "x"}}, request), IsError(ErrorCode::kInvalidInput, "twice"));
}

TEST_F(MergeRowsTest, DoesNothingWithoutRows) {
  MakeTable(2);
  Append({{1, "x"}});
  const auto head = Load().metadata->current_snapshot()->snapshot_id;
  const auto result = Merge({});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->snapshot_id, head);
  EXPECT_EQ(Load().metadata->current_snapshot()->snapshot_id, head);
}

TEST_F(MergeRowsTest, LoadsOnceForOneIdempotencyKey) {
  MakeTable(2);
  Append({{1, "x"}});
  MergeRowsRequest request;
  request.key = {"id"};
  request.idempotency_key = "job-1";
  const auto first = Merge({{1, "y"}, {2, "y"}}, request);
  ASSERT_THAT(first, IsOk());
  const size_t files = CountDataFiles();
  const auto again = Merge({{1, "y"}, {2, "y"}}, request);
  ASSERT_THAT(again, IsOk());
  EXPECT_TRUE(again->is_repeat);
  EXPECT_EQ(again->snapshot_id, first->snapshot_id);
  EXPECT_EQ(CountDataFiles(), files);
}

// B64: and of rows that were deleted, appended or rewritten while the merge worked.
TEST_F(MergeRowsTest, RefusesToCommitOverWhatOthersDidToItsRowsMeanwhile) {
  struct Meanwhile {
    std::string name;
    std::function<void()> run;
    bool is_conflict_of_serializable;
    bool is_conflict_of_snapshot;
  };
  const auto delete_rows = [this](const std::string& where, WriteMode mode) {
    DeleteRowsRequest request;
    request.condition = *ParseExpression(where);
    request.mode = mode;
    ASSERT_THAT(DeleteRows(context(), Load(), request), IsOk());
  };
  const std::vector<Meanwhile> all = {
      {"a row with a key is appended", [&] { Append({{2, "late"}}); }, true, false},
      {"another row is appended", [&] { Append({{100, "late"}}); }, false, false},
      {"an updated row is deleted", [&] { delete_rows("id = 2", WriteMode::kMergeOnRead); }, true,
       true},
      {"its file is rewritten", [&] { delete_rows("id = 1", WriteMode::kCopyOnWrite); }, true,
       true},
      {"its file is deleted", [&] { delete_rows("true", WriteMode::kMergeOnRead); }, true, true}};
  for (const int version : {2, 3}) {
    for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
      for (const bool is_serializable : {true, false}) {
        for (const Meanwhile& meanwhile : all) {
          SCOPED_TRACE(fmt::format("version {}, merge-on-read {}, serializable {}: {}", version,
                                   mode == WriteMode::kMergeOnRead, is_serializable,
                                   meanwhile.name));
          io_ = MakeMemoryFileIO(clock_);
          MakeTable(
              version, false,
              {{"write.merge.isolation-level", is_serializable ? "serializable" : "snapshot"}});
          Append({{1, "x"}, {2, "x"}, {3, "x"}});
          ScriptedCatalog catalog(*catalog_);
          size_t files = 0;
          std::vector<std::string> rows;
          catalog.before_commit = [&] {
            if (catalog.commit_count > 1) return;
            use_catalog_ = nullptr;
            const size_t with_ours = CountDataFiles();
            meanwhile.run();
            files = CountDataFiles() - with_ours;
            rows = IdsAndKinds();
          };
          use_catalog_ = &catalog;
          const size_t before = CountDataFiles();
          const auto result = Merge({{2, "y"}, {9, "y"}}, mode);
          use_catalog_ = nullptr;
          const bool is_conflict = is_serializable ? meanwhile.is_conflict_of_serializable
                                                   : meanwhile.is_conflict_of_snapshot;
          if (!is_conflict) {
            EXPECT_THAT(result, IsOk());
            continue;
          }
          EXPECT_THAT(result, IsError(ErrorCode::kCommitConflict, ""));
          EXPECT_EQ(CountDataFiles(), before + files) << "files are left behind";
          EXPECT_EQ(IdsAndKinds(), rows);
        }
      }
    }
  }
}

TEST_F(MergeRowsTest, RefusesRowsThatCameWhileItFilledAnEmptyTable) {
  MakeTable(2);
  ScriptedCatalog catalog(*catalog_);
  catalog.before_commit = [&] {
    if (catalog.commit_count > 1) return;
    use_catalog_ = nullptr;
    Append({{1, "theirs"}});
  };
  use_catalog_ = &catalog;
  EXPECT_THAT(Merge({{1, "ours"}}), IsError(ErrorCode::kCommitConflict, "may hold rows"));
  use_catalog_ = nullptr;
  EXPECT_THAT(IdsAndKinds(), ElementsAre("1,theirs"));
}

// B102: columns are matched by id, so a key that was renamed still finds its rows.
TEST_F(MergeRowsTest, FindsRowsByAKeyColumnThatWasRenamedOrWidened) {
  MakeTable(2);
  Append({{1, "x"}, {2, "x"}});
  const Table table = Load();
  const std::vector<SchemaChange> changes = {RenameColumn{.column = "id", .new_name = "key"}};
  const auto updates = PlanSchemaChange(*table.metadata, changes);
  ASSERT_THAT(updates, IsOk());
  ASSERT_THAT(catalog_->Commit(name_, MakeRequirements(*table.metadata, *updates), *updates),
              IsOk());
  MergeRowsRequest request;
  request.key = {"key"};
  const auto result = Merge({{2, "y"}, {3, "y"}}, request);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->updated_rows, 1);
  EXPECT_THAT(Rows({"key", "kind"}), ElementsAre("1,x", "2,y", "3,y"));
}

TEST_F(MergeRowsTest, ReadsNoFileWhoseBoundsHoldNoKey) {
  MakeTable(2);
  Append({{1, "x"}, {2, "x"}});
  Append({{10, "x"}, {20, "x"}});
  // A damaged file would be an error if it were opened.
  const Table table = Load();
  ScanOptions scan;
  scan.filter = *ParseExpression("id >= 10");
  scan.schema = table.metadata->current_schema();
  const auto tasks = PlanAllFiles(*io_, *table.metadata, scan, *executor_, {});
  ASSERT_THAT(tasks, IsOk());
  ASSERT_EQ(tasks->size(), 1U);
  ASSERT_THAT(WriteFile(*io_, (*tasks)[0].file.file_path, AsBytes("damaged")), IsOk());
  EXPECT_THAT(Merge({{2, "y"}, {15, "between"}}, WriteMode::kMergeOnRead),
              IsError(ErrorCode::kCorrupt, ""));
  EXPECT_THAT(Merge({{2, "y"}, {3, "below"}}, WriteMode::kMergeOnRead), IsOk());
}

}  // namespace
}  // namespace firn
