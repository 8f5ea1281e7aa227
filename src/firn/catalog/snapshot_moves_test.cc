#include <gmock/gmock.h>

#include "firn/catalog/ref_change.h"
#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using testing::IsEmpty;

class SnapshotMovesTest : public testing::Test {
 protected:
  SnapshotMovesTest() {
    for (SnapshotId* id : {&first_, &second_, &third_}) {
      table_.clock().Advance(std::chrono::seconds(10));
      *id = table_.Add({table_.MakeDataFile(std::to_string(++files_))}).snapshot_id;
    }
    Refresh();
  }

  void Refresh() { metadata_ = *table_.Load().metadata; }

  // The head of `ref` after the updates.
  SnapshotId HeadAfter(const Result<std::vector<TableUpdate>>& updates, const std::string& ref) {
    EXPECT_THAT(updates, IsOk());
    const auto next = ApplyUpdates(&metadata_, "", *updates, table_.clock().Now());
    EXPECT_THAT(next, IsOk());
    return next->refs.at(ref).snapshot_id;
  }

  Timestamp TimeOf(SnapshotId id) { return metadata_.FindSnapshot(id)->timestamp; }

  TestTable table_;
  int files_ = 0;
  SnapshotId first_ = 0;
  SnapshotId second_ = 0;
  SnapshotId third_ = 0;
  TableMetadata metadata_;
};

TEST_F(SnapshotMovesTest, ABranchRollsBackToAnAncestorOnly) {
  EXPECT_EQ(HeadAfter(PlanRollback(metadata_, "main", first_), "main"), first_);
  EXPECT_THAT(*PlanRollback(metadata_, "main", third_), IsEmpty());
  EXPECT_THAT(PlanRollback(metadata_, "main", 17),
              IsError(ErrorCode::kNotFound, "snapshot 17 not found"));
  EXPECT_THAT(PlanRollback(metadata_, "audit", first_),
              IsError(ErrorCode::kNotFound, "there is no branch 'audit'"));
}

// B74
TEST_F(SnapshotMovesTest, RollingBackABranchLeavesMainAlone) {
  table_.SetRef("feature", first_);
  const SnapshotId own = table_.Add({table_.MakeDataFile("x")}, "", "feature").snapshot_id;
  table_.Add({table_.MakeDataFile("y")}, "", "feature");
  Refresh();
  const auto updates = PlanRollback(metadata_, "feature", own);
  EXPECT_EQ(HeadAfter(updates, "feature"), own);
  EXPECT_EQ(HeadAfter(updates, "main"), third_);
  EXPECT_THAT(PlanRollback(metadata_, "main", own),
              IsError(ErrorCode::kInvalidInput, "it is no ancestor of the head"));
}

TEST_F(SnapshotMovesTest, RollingBackToATimeTakesTheNewestOlderSnapshot) {
  EXPECT_EQ(HeadAfter(PlanRollbackToTime(metadata_, "main", TimeOf(third_)), "main"), second_);
  EXPECT_EQ(HeadAfter(PlanRollbackToTime(metadata_, "main",
                                         TimeOf(second_) + std::chrono::milliseconds(1)),
                      "main"),
            second_);
  EXPECT_THAT(PlanRollbackToTime(metadata_, "main", TimeOf(first_)),
              IsError(ErrorCode::kInvalidInput, "branch 'main' has no snapshot older than "));
}

TEST_F(SnapshotMovesTest, AnySnapshotCanBecomeCurrent) {
  table_.SetRef("feature", first_);
  const SnapshotId own = table_.Add({table_.MakeDataFile("x")}, "", "feature").snapshot_id;
  Refresh();
  EXPECT_EQ(HeadAfter(PlanSetCurrent(metadata_, own), "main"), own);
  EXPECT_THAT(PlanSetCurrent(metadata_, 17), IsError(ErrorCode::kNotFound, "snapshot 17"));
}

TEST_F(SnapshotMovesTest, ABranchMovesForwardOnlyAlongItsHistory) {
  table_.SetRef("audit", first_);
  table_.SetRef("v2", second_, RefType::kTag);
  Refresh();
  EXPECT_EQ(HeadAfter(PlanFastForward(metadata_, "audit", "v2"), "audit"), second_);
  EXPECT_EQ(HeadAfter(PlanFastForward(metadata_, "audit", "main"), "audit"), third_);
  EXPECT_EQ(HeadAfter(PlanFastForward(metadata_, "new", "v2"), "new"), second_);
  EXPECT_THAT(*PlanFastForward(metadata_, "main", "main"), IsEmpty());
  EXPECT_THAT(PlanFastForward(metadata_, "main", "audit"),
              IsError(ErrorCode::kInvalidInput, " is no ancestor of snapshot "));
  EXPECT_THAT(PlanFastForward(metadata_, "v2", "main"),
              IsError(ErrorCode::kInvalidInput, "'v2' is a tag, expected a branch"));
  EXPECT_THAT(PlanFastForward(metadata_, "audit", "nobody"),
              IsError(ErrorCode::kNotFound, "there is no branch or tag 'nobody'"));
}

}  // namespace
}  // namespace firn
