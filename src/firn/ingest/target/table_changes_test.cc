#include <gmock/gmock.h>

#include "firn/catalog/change_table.h"
#include "firn/catalog/table_evolution.h"
#include "firn/ingest/ingest_testing_internal.h"
#include "firn/testing/scripted_catalog.h"

// What a run changes of its table besides the rows: columns, the whole table, the list of files.

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class TableChangesTest : public IngestTest {
 protected:
  TableMetadataPtr Metadata() { return catalog_->Load(request_.table)->metadata; }

  // Another writer adds a column between the planning and the first commit of the run.
  void AddColumnMeanwhile(ScriptedCatalog& catalog, const std::string& name, TypeId type) {
    catalog.before_commit = [this, name, type, is_done = std::make_shared<bool>(false)] {
      if (std::exchange(*is_done, true)) return;
      const std::vector<SchemaChange> changes = {
          AddColumn{.path = {name}, .type = Type::Primitive(type)}};
      const auto updates = PlanSchemaChange(*Metadata(), changes);
      ASSERT_THAT(updates, IsOk());
      ASSERT_THAT(catalog_->Commit(request_.table, {}, *updates), IsOk());
    };
    use_catalog_ = &catalog;
  }

  std::vector<std::string> ListFiles() {
    std::vector<std::string> lists;
    for (const std::string& uri : FilesBelow("memory:/warehouse")) {
      if (uri.find("/_firn/") != std::string::npos) lists.push_back(uri);
    }
    return lists;
  }
};

TEST_F(TableChangesTest, ColumnsAndRowsAreOneCommit) {
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  ScriptedCatalog catalog(*catalog_);
  use_catalog_ = &catalog;
  request_.evolves = true;
  ASSERT_THAT(Run({Put("b.csv", "id,day\n2,2026-01-31\n")}), IsOk());
  EXPECT_EQ(catalog.commit_count, 1);
  const TableMetadataPtr after = Metadata();
  EXPECT_EQ(after->current_snapshot()->schema_id, after->current_schema_id);
  EXPECT_THAT(after->metadata_log, SizeIs(2));
}

TEST_F(TableChangesTest, ALostRaceForOtherRowsIsRepeatedWithTheColumns) {
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  ScriptedCatalog catalog(*catalog_);
  bool is_raced = false;
  catalog.before_commit = [&] {
    if (std::exchange(is_raced, true)) return;
    use_catalog_ = nullptr;
    const IngestRequest ours = request_;
    request_.evolves = false;
    ASSERT_THAT(Run({Put("c.csv", "id\n3\n")}), IsOk());
    request_ = ours;
  };
  use_catalog_ = &catalog;
  request_.evolves = true;
  ASSERT_THAT(Run({Put("b.csv", "id,day\n2,2026-01-31\n")}), IsOk());
  EXPECT_EQ(catalog.commit_count, 2);
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"day":null})", R"({"id":2,"day":"2026-01-31"})",
                                  R"({"id":3,"day":null})"));
}

TEST_F(TableChangesTest, TheSameColumnFromAnotherWriterIsTheColumn) {
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  ScriptedCatalog catalog(*catalog_);
  AddColumnMeanwhile(catalog, "day", TypeId::kDate);
  request_.evolves = true;
  ASSERT_THAT(Run({Put("b.csv", "id,day\n2,2026-01-31\n")}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"day":null})", R"({"id":2,"day":"2026-01-31"})"));
}

TEST_F(TableChangesTest, AStagedSnapshotDoesNotChangeTheSchema) {
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  const TableMetadataPtr before = Metadata();
  request_.evolves = true;
  request_.is_staged = true;
  EXPECT_THAT(Run({Put("b.csv", "id,day\n2,2026-01-31\n")}),
              IsError(ErrorCode::kInvalidInput, "a schema is of the whole table"));
  EXPECT_EQ(Metadata()->schemas.size(), before->schemas.size());
  ASSERT_THAT(Run({Put("c.csv", "id\n2\n")}), IsOk());
  EXPECT_EQ(Metadata()->schemas.size(), before->schemas.size());
}

// The files hold the id that the other column was given: they must not be read as that one.
TEST_F(TableChangesTest, AnotherColumnWithTheIdOfOursIsAConflict) {
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  const size_t files = FilesBelow("memory:/warehouse/db/t/data").size();
  ScriptedCatalog catalog(*catalog_);
  AddColumnMeanwhile(catalog, "colour", TypeId::kDate);
  request_.evolves = true;
  EXPECT_THAT(Run({Put("b.csv", "id,day\n2,2026-01-31\n")}),
              IsError(ErrorCode::kCommitConflict, "rows with the new column 'day'"));
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"colour":null})"));
  EXPECT_EQ(FilesBelow("memory:/warehouse/db/t/data").size(), files);
}

TEST_F(TableChangesTest, AReplacedTableKeepsItsHistoryInOneCommit) {
  ASSERT_THAT(Run({Put("a.csv", "id,name\n1,ann\n")}), IsOk());
  const TableMetadataPtr before = Metadata();
  ScriptedCatalog catalog(*catalog_);
  use_catalog_ = &catalog;
  request_.mode = IngestMode::kReplace;
  ASSERT_THAT(Run({Put("b.csv", "name,size\nbob,7\n")}), IsOk());
  EXPECT_EQ(catalog.commit_count, 1);
  EXPECT_THAT(Rows(), ElementsAre(R"({"name":"bob","size":7})"));
  const TableMetadataPtr after = Metadata();
  EXPECT_EQ(after->table_uuid, before->table_uuid);
  EXPECT_THAT(after->snapshots, SizeIs(2));
  EXPECT_FALSE(after->current_snapshot()->parent_snapshot_id.has_value());
  EXPECT_EQ(after->current_schema()->FindField("name")->id, 2);
  EXPECT_EQ(after->current_schema()->FindField("size")->id, 3);
}

TEST_F(TableChangesTest, AReplacementMeetsRowsThatCameMeanwhile) {
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  ScriptedCatalog catalog(*catalog_);
  bool is_raced = false;
  catalog.before_commit = [&] {
    if (std::exchange(is_raced, true)) return;
    use_catalog_ = nullptr;
    const IngestRequest ours = request_;
    request_.mode = IngestMode::kAppend;
    ASSERT_THAT(Run({Put("c.csv", "id\n3\n")}), IsOk());
    request_ = ours;
  };
  use_catalog_ = &catalog;
  request_.mode = IngestMode::kReplace;
  ASSERT_THAT(Run({Put("b.csv", "x\n7\n")}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"x":7})"));
  EXPECT_THAT(Metadata()->snapshots, SizeIs(3));
}

TEST_F(TableChangesTest, ATableThatAnotherRunMadeMeanwhileIsReplacedToo) {
  ScriptedCatalog catalog(*catalog_);
  bool is_raced = false;
  catalog.before_create = [&] {
    if (std::exchange(is_raced, true)) return;
    use_catalog_ = nullptr;
    const IngestRequest ours = request_;
    request_.mode = IngestMode::kAppend;
    ASSERT_THAT(Run({Put("c.csv", "id\n3\n")}), IsOk());
    request_ = ours;
  };
  use_catalog_ = &catalog;
  request_.mode = IngestMode::kCreateOrReplace;
  ASSERT_THAT(Run({Put("b.csv", "x\n7\n")}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"x":7})"));
  EXPECT_THAT(Metadata()->snapshots, SizeIs(2));
}

TEST_F(TableChangesTest, FilesAreLoadedOnceAndAChangedOneAgain) {
  request_.only_new_files = true;
  const std::string a = Put("a.csv", "id\n1\n");
  const std::string b = Put("b.csv", "id\n2\n");
  ASSERT_THAT(Run({a}), IsOk());
  const auto second = Run({a, b});
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->files, 1);
  EXPECT_EQ(second->known_files, 1);
  const auto third = Run({a, b});
  ASSERT_THAT(third, IsOk());
  EXPECT_EQ(third->files, 0);
  EXPECT_EQ(third->snapshot_id, second->snapshot_id);
  Put("a.csv", "id\n3\n");  // The same size: its ETag tells.
  ASSERT_THAT(Run({a, b}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1})", R"({"id":2})", R"({"id":3})"));
  EXPECT_THAT(ListFiles(), SizeIs(2));
}

TEST_F(TableChangesTest, AFailedRunRecordsNothing) {
  request_.only_new_files = true;
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  const std::vector<std::string> lists = ListFiles();
  const std::string bad = Put("bad.csv", "id\nx\n");
  EXPECT_THAT(Run({bad}), IsError(ErrorCode::kInvalidInput));
  EXPECT_EQ(ListFiles(), lists);
  Put("bad.csv", "id\n2\n");
  ASSERT_THAT(Run({bad}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1})", R"({"id":2})"));
}

// The record and the rows are one commit: a lost answer cannot part them.
TEST_F(TableChangesTest, ALostAnswerLeavesRowsAndRecordOrNeither) {
  request_.only_new_files = true;
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  for (const bool happens : {true, false}) {
    ScriptedCatalog catalog(*catalog_);
    catalog.lost_answer = MakeError(ErrorCode::kCommitUnknown, "the answer was lost");
    catalog.lost_commit_happens = happens;
    use_catalog_ = &catalog;
    const std::string uri = Put(fmt::format("{}.csv", happens), "id\n2\n");
    const auto run = Run({uri});
    use_catalog_ = nullptr;
    EXPECT_EQ(run.ok(), happens);
    const auto again = Run({uri});
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(again->files, happens ? 0 : 1);
  }
  EXPECT_THAT(Rows(), SizeIs(3));
}

TEST_F(TableChangesTest, TwoRunsOfTheSameFilesLoadThemOnce) {
  request_.only_new_files = true;
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  const std::string b = Put("b.csv", "id\n2\n");
  ScriptedCatalog catalog(*catalog_);
  bool is_raced = false;
  catalog.before_commit = [&] {
    if (std::exchange(is_raced, true)) return;
    use_catalog_ = nullptr;
    ASSERT_THAT(Run({b}), IsOk());
  };
  use_catalog_ = &catalog;
  EXPECT_THAT(Run({b}), IsError(ErrorCode::kCommitConflict, "another run loaded new files"));
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1})", R"({"id":2})"));
}

TEST_F(TableChangesTest, ARolledBackLoadIsToBeDoneAgainButNotAnExpiredOne) {
  request_.only_new_files = true;
  const std::string a = Put("a.csv", "id\n1\n");
  const std::string b = Put("b.csv", "id\n2\n");
  const auto first = Run({a});
  ASSERT_THAT(first, IsOk());
  const auto second = Run({b});
  ASSERT_THAT(second, IsOk());
  SnapshotRef main;
  main.snapshot_id = *first->snapshot_id;
  const std::vector<TableUpdate> rollback = {SetSnapshotRef{"main", main}};
  ASSERT_THAT(catalog_->Commit(request_.table, {}, rollback), IsOk());
  const auto again = Run({a, b});
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->files, 1);
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1})", R"({"id":2})"));

  const std::vector<TableUpdate> expire = {
      RemoveSnapshots{{*first->snapshot_id, *second->snapshot_id}}};
  ASSERT_THAT(catalog_->Commit(request_.table, {}, expire), IsOk());
  EXPECT_EQ(Run({a, b})->files, 0);
}

TEST_F(TableChangesTest, ABranchThatGotTheRowsHasTheFiles) {
  ASSERT_THAT(Run({Put("x.csv", "id\n0\n")}), IsOk());
  SnapshotRef ref;
  ref.snapshot_id = *Metadata()->current_snapshot_id;
  const std::vector<TableUpdate> make = {SetSnapshotRef{"audit", ref}};
  ASSERT_THAT(catalog_->Commit(request_.table, {}, make), IsOk());
  request_.only_new_files = true;
  request_.branch = "audit";
  const std::string a = Put("a.csv", "id\n1\n");
  ASSERT_THAT(Run({a}), IsOk());
  request_.branch = "main";
  // Main does not have them until it moves to the branch.
  ref.snapshot_id = Metadata()->refs.at("audit").snapshot_id;
  const std::vector<TableUpdate> move = {SetSnapshotRef{"main", ref}};
  ASSERT_THAT(catalog_->Commit(request_.table, {}, move), IsOk());
  EXPECT_EQ(Run({a})->files, 0);
}

TEST_F(TableChangesTest, WithoutItsListTheTableIsNotLoadedBlindly) {
  request_.only_new_files = true;
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  for (const std::string& uri : ListFiles())
    ASSERT_THAT(io_->Delete(uri), IsOk());
  EXPECT_THAT(Run({Put("b.csv", "id\n2\n")}),
              IsError(ErrorCode::kCorrupt, "unset the table property 'firn.loaded-files.main'"));
}

TEST_F(TableChangesTest, WhatCannotBeRecordedIsRefused) {
  request_.only_new_files = true;
  EXPECT_THAT(Run({"-"}), IsError(ErrorCode::kInvalidInput, "standard input is no file"));
  request_.is_staged = true;
  EXPECT_THAT(Run({"x"}), IsError(ErrorCode::kInvalidInput, "only staged"));
}

TEST_F(TableChangesTest, OptionsForANewTableMustMatchTheOneThatIsThere) {
  request_.layout.properties = {{"owner", "sales"}};
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  ASSERT_THAT(Run({Put("b.csv", "id\n2\n")}), IsOk());
  request_.layout.properties = {{"owner", "hr"}};
  request_.layout.format_version = 3;
  EXPECT_THAT(Run({Put("c.csv", "id\n3\n")}),
              IsError(ErrorCode::kInvalidInput,
                      "--property owner=hr, the table has 'sales'; --format-version is 3"));
}

}  // namespace
}  // namespace firn
