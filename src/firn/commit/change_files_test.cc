#include <gmock/gmock.h>

#include "firn/catalog/table_evolution.h"
#include "firn/commit/commit.h"
#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using ::testing::ElementsAre;

DeleteFilePtr Deletes(const DataFile& file) {
  return std::make_shared<const DeleteFile>(DeleteFile{.file = file, .sequence_number = 0});
}

class ChangeFilesTest : public testing::Test {
 protected:
  void MakeTable(const TestTableOptions& options = {}) {
    table_ = std::make_unique<TestTable>(options);
    a_ = table_->MakeDataFile("a");
    table_->Add({a_});
    planned_ = table_->Load();
    request_ = {};
    request_.starting_snapshot_id = planned_.metadata->current_snapshot()->snapshot_id;
  }

  // a becomes a2, which has fewer rows.
  void RequestCopy() {
    request_.removed_data_files = {a_};
    request_.added_data_files = {table_->MakeDataFile("a2", 7)};
  }
  void RequestDeletes() {
    request_.added_delete_files = {table_->MakePositionDeletes("deletes", a_)};
  }

  Result<CommitResult> Commit() { return CommitChangeFiles(table_->context(), planned_, request_); }

  std::unique_ptr<TestTable> table_;
  DataFile a_;
  Table planned_;
  ChangeFilesRequest request_;
};

TEST_F(ChangeFilesTest, NamesTheOperationAsJavaDoes) {
  MakeTable();
  RequestCopy();
  ASSERT_THAT(Commit(), IsOk());
  EXPECT_EQ(table_->Load().metadata->current_snapshot()->operation, "overwrite");
  EXPECT_THAT(table_->LivePaths(), ElementsAre("a2"));

  MakeTable();
  RequestDeletes();
  ASSERT_THAT(Commit(), IsOk());
  EXPECT_EQ(table_->Load().metadata->current_snapshot()->operation, "delete");
  EXPECT_THAT(table_->LivePaths(), ElementsAre("a", "deletes"));

  MakeTable();
  request_.removed_data_files = {a_};
  ASSERT_THAT(Commit(), IsOk());
  EXPECT_EQ(table_->Load().metadata->current_snapshot()->operation, "delete");
  EXPECT_THAT(table_->LivePaths(), ElementsAre());
}

TEST_F(ChangeFilesTest, CountsRowsInTheSummary) {
  MakeTable();
  RequestCopy();
  ASSERT_THAT(Commit(), IsOk());
  const Table after = table_->Load();
  const Summary& summary = after.metadata->current_snapshot()->summary;
  EXPECT_EQ(summary.Find("added-records"), "7");
  EXPECT_EQ(summary.Find("deleted-records"), "10");
}

TEST_F(ChangeFilesTest, RefusesNewRowsThatMayMatchIfSerializable) {
  const auto commit = [&](const std::string& category, Isolation isolation) {
    MakeTable({.is_partitioned = true});
    RequestDeletes();
    request_.isolation = isolation;
    request_.condition = *ParseExpression("cat = 'x'");
    table_->Add({table_->MakeDataFile("late", 10, category)});
    return Commit();
  };
  EXPECT_THAT(commit("x", Isolation::kSerializable), IsError(ErrorCode::kCommitConflict, "late"));
  EXPECT_THAT(commit("y", Isolation::kSerializable), IsOk());
  EXPECT_THAT(commit("x", Isolation::kSnapshot), IsOk());
}

// The rows that were appended are still there after a compaction, under another name.
TEST_F(ChangeFilesTest, SeesNewRowsThatWereCompactedSince) {
  MakeTable();
  RequestDeletes();
  const DataFile late = table_->MakeDataFile("late");
  table_->Add({late});
  RewriteFilesRequest rewrite;
  rewrite.starting_snapshot_id = table_->Load().metadata->current_snapshot()->snapshot_id;
  rewrite.removed_data_files = {late};
  rewrite.added_data_files = {table_->MakeDataFile("compacted")};
  ASSERT_THAT(CommitRewriteFiles(table_->context(), table_->Load(), rewrite), IsOk());

  EXPECT_THAT(Commit(), IsError(ErrorCode::kCommitConflict, "late"));
}

// A delete for a file that was rewritten meanwhile would bring its rows back.
TEST_F(ChangeFilesTest, RefusesDeletesForAFileThatWasRewrittenMeanwhile) {
  MakeTable();
  RequestDeletes();
  request_.isolation = Isolation::kSnapshot;
  RewriteFilesRequest rewrite;
  rewrite.starting_snapshot_id = *request_.starting_snapshot_id;
  rewrite.removed_data_files = {a_};
  rewrite.added_data_files = {table_->MakeDataFile("compacted")};
  ASSERT_THAT(CommitRewriteFiles(table_->context(), table_->Load(), rewrite), IsOk());

  EXPECT_THAT(Commit(), IsError(ErrorCode::kCommitConflict, "was rewritten"));
  EXPECT_THAT(table_->LivePaths(), ElementsAre("compacted"));
}

TEST_F(ChangeFilesTest, RefusesToReplaceAFileThatIsGoneOrHasNewDeletes) {
  MakeTable();
  RequestCopy();
  table_->Remove(a_.file_path);
  EXPECT_THAT(Commit(), IsError(ErrorCode::kCommitConflict, "removed or rewritten"));

  MakeTable();
  RequestCopy();
  table_->Add({table_->MakePositionDeletes("late", a_)});
  EXPECT_THAT(Commit(), IsError(ErrorCode::kCommitConflict, "late"));

  MakeTable();
  RequestCopy();
  table_->Add({table_->MakeEqualityDeletes("eq")});
  EXPECT_THAT(Commit(), IsError(ErrorCode::kCommitConflict, "eq"));
}

// An updated row that someone else deleted would come back.
TEST_F(ChangeFilesTest, RefusesToUpdateRowsOfAFileThatLostOthersMeanwhile) {
  const auto commit = [&](bool is_update, const auto& meanwhile) {
    MakeTable();
    RequestDeletes();
    request_.isolation = Isolation::kSnapshot;
    if (is_update) {
      request_.updated_data_files = {a_};
      request_.added_data_files = {table_->MakeDataFile("updated", 1)};
    }
    meanwhile();
    return Commit();
  };
  const auto delete_rows = [&] { table_->Add({table_->MakePositionDeletes("late", a_)}); };
  const auto delete_by_key = [&] { table_->Add({table_->MakeEqualityDeletes("eq")}); };
  const auto delete_file = [&] { table_->Remove(a_.file_path); };
  EXPECT_THAT(commit(true, delete_rows), IsError(ErrorCode::kCommitConflict, "late"));
  EXPECT_THAT(commit(true, delete_by_key), IsError(ErrorCode::kCommitConflict, "eq"));
  EXPECT_THAT(commit(true, delete_file), IsError(ErrorCode::kCommitConflict, "taken out"));
  EXPECT_THAT(commit(true, [] {}), IsOk());
  // A deletion does not mind that rows go twice.
  EXPECT_THAT(commit(false, delete_rows), IsOk());
  EXPECT_THAT(commit(false, delete_file), IsOk());
}

TEST_F(ChangeFilesTest, TakesAllRowsForNewIfTheBranchWasEmpty) {
  table_ = std::make_unique<TestTable>(TestTableOptions{});
  planned_ = table_->Load();
  request_ = {};
  request_.starts_empty = true;
  request_.added_data_files = {table_->MakeDataFile("ours")};
  table_->Add({table_->MakeDataFile("theirs")});
  EXPECT_THAT(Commit(), IsError(ErrorCode::kCommitConflict, "theirs"));
  request_.isolation = Isolation::kSnapshot;
  EXPECT_THAT(Commit(), IsOk());
}

TEST_F(ChangeFilesTest, RefusesASecondDeletionVectorForAFile) {
  MakeTable({.format_version = 3});
  request_.added_delete_files = {table_->MakeDeletionVector("ours.puffin", a_, 4, 2)};
  table_->Add({table_->MakeDeletionVector("theirs.puffin", a_, 4, 1)});

  EXPECT_THAT(Commit(), IsError(ErrorCode::kCommitConflict, "were deleted by snapshot"));
  EXPECT_THAT(table_->LivePaths(), ElementsAre("a", "theirs.puffin"));
}

// Version 3 takes no new position delete files.
TEST_F(ChangeFilesTest, RefusesPositionDeletesIfTheTableIsUpgradedMeanwhile) {
  MakeTable({.format_version = 2});
  RequestDeletes();
  const std::vector<TableUpdate> upgrade = {UpgradeFormatVersion{3}};
  ASSERT_THAT(table_->catalog().Commit(table_->name(), {}, upgrade), IsOk());
  EXPECT_THAT(Commit(), IsError(ErrorCode::kCommitConflict, "upgraded to format version 3"));
  EXPECT_THAT(table_->LivePaths(), ElementsAre("a"));
}

// `cat` is another column by then: new rows are not looked for in that one.
TEST_F(ChangeFilesTest, RefusesNewRowsIfAColumnOfTheConditionIsCalledOtherwise) {
  MakeTable();
  RequestDeletes();
  request_.condition = *ParseExpression("cat = 'x'");
  AddColumn added;
  added.path = {"cat"};
  added.type = Type::Primitive(TypeId::kString);
  const std::vector<SchemaChange> changes = {RenameColumn{"cat", "kind"}, added};
  const auto updates = PlanSchemaChange(*planned_.metadata, changes);
  ASSERT_THAT(updates, IsOk());
  ASSERT_THAT(table_->catalog().Commit(table_->name(), {}, *updates), IsOk());
  DataFile late = table_->MakeDataFile("late");
  late.metrics.value_counts = {{3, 10}};
  late.metrics.null_value_counts = {{3, 10}};  // Of the new column.
  table_->Add({late});
  EXPECT_THAT(Commit(),
              IsError(ErrorCode::kCommitConflict, "'cat' of the condition was renamed to 'kind'"));

  MakeTable();
  RequestDeletes();
  request_.condition = *ParseExpression("id < 5");
  ASSERT_THAT(table_->catalog().Commit(table_->name(), {}, *updates), IsOk());
  EXPECT_THAT(Commit(), IsOk());
}

TEST_F(ChangeFilesTest, ExchangesADeletionVectorForALargerOne) {
  MakeTable({.format_version = 3});
  const DataFile before = table_->MakeDeletionVector("before.puffin", a_, 4, 1);
  table_->Add({before});
  planned_ = table_->Load();
  request_.starting_snapshot_id = planned_.metadata->current_snapshot()->snapshot_id;
  request_.added_delete_files = {table_->MakeDeletionVector("after.puffin", a_, 4, 2)};
  request_.removed_delete_files = {Deletes(before)};

  ASSERT_THAT(Commit(), IsOk());

  EXPECT_THAT(table_->LivePaths(), ElementsAre("a", "after.puffin"));
  const Table after = table_->Load();
  EXPECT_EQ(after.metadata->current_snapshot()->summary.Find("removed-dvs"), "1");
}

// Whoever added them, and also after the rows were written.
TEST_F(ChangeFilesTest, ReplacesAllFilesOfAPartition) {
  MakeTable({.is_partitioned = true});
  table_->Add({table_->MakeDataFile("x", 10, "x"), table_->MakePositionDeletes("deletes", a_)});
  ChangeFilesRequest request;
  request.added_data_files = {table_->MakeDataFile("new", 3, "a")};
  request.replaced_partitions = {
      {request.added_data_files[0].partition_spec_id, request.added_data_files[0].partition}};
  table_->Add({table_->MakeDataFile("late", 10, "a")});

  ASSERT_THAT(CommitChangeFiles(table_->context(), planned_, request), IsOk());

  EXPECT_THAT(table_->LivePaths(), ElementsAre("new", "x"));
  const Table after = table_->Load();
  const Snapshot* snapshot = after.metadata->current_snapshot();
  EXPECT_EQ(snapshot->operation, "overwrite");
  EXPECT_EQ(snapshot->summary.Find("deleted-data-files"), "2");
  EXPECT_EQ(snapshot->summary.Find("removed-position-delete-files"), "1");
}

TEST_F(ChangeFilesTest, ReplacesTheTable) {
  MakeTable({.is_partitioned = true});
  table_->Add({table_->MakeDataFile("x", 10, "x"), table_->MakePositionDeletes("deletes", a_)});
  ChangeFilesRequest request;
  request.added_data_files = {table_->MakeDataFile("new", 3, "y")};
  request.replaces_table = true;

  ASSERT_THAT(CommitChangeFiles(table_->context(), planned_, request), IsOk());

  EXPECT_THAT(table_->LivePaths(), ElementsAre("new"));
}

TEST_F(ChangeFilesTest, FindsItsOwnSnapshotAfterALostAnswer) {
  MakeTable();
  RequestCopy();
  ScriptedCatalog catalog(table_->catalog());
  catalog.lost_answer = MakeError(ErrorCode::kUnavailable, "the answer was lost");
  CommitContext context = table_->context();
  context.catalog = &catalog;

  ASSERT_THAT(CommitChangeFiles(context, planned_, request_), IsOk());

  EXPECT_THAT(table_->LivePaths(), ElementsAre("a2"));
}

}  // namespace
}  // namespace firn
