#include "firn/commit/transaction.h"

#include <array>

#include <gmock/gmock.h>

#include "firn/catalog/table_evolution.h"
#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

AppendFilesRequest AppendOf(const DataFile& file) {
  AppendFilesRequest request;
  request.data_files = {file};
  return request;
}

Result<std::vector<TableUpdate>> PlanNote(const TableMetadata& metadata) {
  const std::array<SchemaChange, 1> changes = {
      AddColumn{.path = {"note"}, .type = Type::Primitive(TypeId::kString)}};
  if (metadata.current_schema()->FindField("note") != nullptr) return std::vector<TableUpdate>();
  return PlanSchemaChange(metadata, changes);
}

class TransactionTest : public testing::TestWithParam<int> {
 protected:
  TransactionTest() : table_({.format_version = GetParam()}), scripted_(table_.catalog()) {
    context_ = table_.context();
    context_.catalog = &scripted_;
  }

  TestTable table_;
  ScriptedCatalog scripted_;
  CommitContext context_;
};

INSTANTIATE_TEST_SUITE_P(Versions, TransactionTest, testing::Values(1, 2, 3));

// B66
TEST_P(TransactionTest, SeveralAppendsToAnEmptyTableAreOneCommit) {
  Transaction transaction(context_, table_.Load());
  for (const char* name : {"a", "b", "c"})
    ASSERT_THAT(transaction.Append(AppendOf(table_.MakeDataFile(name))), IsOk());
  ASSERT_THAT(transaction.Change([](const TableMetadata&) -> Result<std::vector<TableUpdate>> {
    return std::vector<TableUpdate>{SetProperties{{{"owner", "sales"}}}};
  }),
              IsOk());
  const auto committed = transaction.Commit();
  ASSERT_THAT(committed, IsOk());

  EXPECT_EQ(scripted_.commit_count, 1);
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "b", "c"));
  const Table after = table_.Load();
  ASSERT_THAT(after.metadata->snapshots, SizeIs(3));
  for (int64_t i = 0; i < 3; ++i) {
    const Snapshot& snapshot = after.metadata->snapshots[static_cast<size_t>(i)];
    EXPECT_EQ(snapshot.sequence_number, GetParam() == 1 ? 0 : i + 1);
    EXPECT_EQ(snapshot.summary.Find("total-data-files"), std::to_string(i + 1));
  }
  EXPECT_EQ(after.metadata->properties.at("owner"), "sales");
  EXPECT_EQ(committed->snapshot_id, after.metadata->current_snapshot_id);
  if (GetParam() == 3) {
    EXPECT_EQ(after.metadata->next_row_id, 30);
  }
}

TEST_P(TransactionTest, AColumnAndItsRowsComeTogether) {
  ASSERT_THAT(
      CommitAppendFiles(table_.context(), table_.Load(), AppendOf(table_.MakeDataFile("a"))),
      IsOk());
  Transaction transaction(context_, table_.Load());
  ASSERT_THAT(transaction.Change(PlanNote), IsOk());
  EXPECT_NE(transaction.table().metadata->current_schema()->FindField("note"), nullptr);
  ASSERT_THAT(transaction.Append(AppendOf(table_.MakeDataFile("b"))), IsOk());
  // Another append comes between, and the same column: the transaction is made for the new state.
  bool is_raced = false;
  scripted_.before_commit = [&] {
    if (std::exchange(is_raced, true)) return;
    ASSERT_THAT(
        CommitAppendFiles(table_.context(), table_.Load(), AppendOf(table_.MakeDataFile("c"))),
        IsOk());
  };
  const auto committed = transaction.Commit();
  ASSERT_THAT(committed, IsOk());

  EXPECT_EQ(committed->attempts, 2);
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "b", "c"));
  const Table after = table_.Load();
  EXPECT_EQ(after.metadata->current_snapshot()->schema_id, after.metadata->current_schema_id);
  EXPECT_NE(after.metadata->current_schema()->FindField("note"), nullptr);
}

TEST_P(TransactionTest, AFailureUndoesAllOfIt) {
  const DataFile a = table_.MakeDataFile("a");
  ASSERT_THAT(CommitAppendFiles(table_.context(), table_.Load(), AppendOf(a)), IsOk());
  const std::vector<std::string> files = table_.AllFiles();
  Transaction transaction(context_, table_.Load());
  ASSERT_THAT(transaction.Change(PlanNote), IsOk());
  ASSERT_THAT(transaction.Append(AppendOf(table_.MakeDataFile("b"))), IsOk());
  ChangeFilesRequest change;
  change.removed_data_files = {table_.MakeDataFile("nobody")};
  ASSERT_THAT(transaction.Change(change), IsOk());
  EXPECT_THAT(transaction.Commit(), IsError(ErrorCode::kCommitConflict, "nobody"));

  EXPECT_EQ(scripted_.commit_count, 0);
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a"));
  EXPECT_EQ(table_.Load().metadata->current_schema()->FindField("note"), nullptr);
  EXPECT_EQ(table_.AllFiles(), files);
}

TEST_P(TransactionTest, AStepSeesTheFilesOfTheOnesBeforeIt) {
  Transaction transaction(context_, table_.Load());
  const DataFile a = table_.MakeDataFile("a");
  ASSERT_THAT(transaction.Append(AppendOf(a)), IsOk());
  ChangeFilesRequest change;
  change.removed_data_files = {a};
  change.added_data_files = {table_.MakeDataFile("b")};
  ASSERT_THAT(transaction.Change(change), IsOk());
  ASSERT_THAT(transaction.Commit(), IsOk());
  EXPECT_THAT(table_.LivePaths(), ElementsAre("b"));
}

TEST_P(TransactionTest, ChangesWithoutASnapshotAreOneCommitToo) {
  Transaction transaction(context_, table_.Load());
  ASSERT_THAT(transaction.Change(PlanNote), IsOk());
  ASSERT_THAT(transaction.Change([](const TableMetadata&) -> Result<std::vector<TableUpdate>> {
    return std::vector<TableUpdate>{SetProperties{{{"owner", "sales"}}}};
  }),
              IsOk());
  ASSERT_THAT(transaction.Commit(), IsOk());
  EXPECT_EQ(scripted_.commit_count, 1);
  EXPECT_EQ(table_.Load().metadata->properties.at("owner"), "sales");
}

TEST_P(TransactionTest, ALostAnswerIsSettledForAllSnapshots) {
  Transaction transaction(context_, table_.Load());
  for (const char* name : {"a", "b"})
    ASSERT_THAT(transaction.Append(AppendOf(table_.MakeDataFile(name))), IsOk());
  scripted_.lost_answer = Error(ErrorCode::kCommitUnknown, "lost");
  ASSERT_THAT(transaction.Commit(), IsOk());
  EXPECT_THAT(table_.LivePaths(), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace firn
