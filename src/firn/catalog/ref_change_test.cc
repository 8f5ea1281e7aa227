#include "firn/catalog/ref_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class RefChangeTest : public testing::Test {
 protected:
  RefChangeTest() {
    first_ = table_.Add({table_.MakeDataFile("a.parquet")}).snapshot_id;
    second_ = table_.Add({table_.MakeDataFile("b.parquet")}).snapshot_id;
    metadata_ = *table_.Load().metadata;
  }

  void Apply(const Result<std::vector<TableUpdate>>& updates) {
    ASSERT_THAT(updates, IsOk());
    auto next = ApplyUpdates(&metadata_, "", *updates, table_.clock().Now());
    ASSERT_THAT(next, IsOk());
    metadata_ = *std::move(next);
  }

  TestTable table_;
  SnapshotId first_ = 0;
  SnapshotId second_ = 0;
  TableMetadata metadata_;
};

TEST_F(RefChangeTest, ANewRefNamesTheHeadOfMainOrTheSnapshotThatIsGiven) {
  Apply(PlanSetRef(metadata_, {.name = "audit", .max_ref_age_ms = 5, .min_snapshots_to_keep = 2}));
  Apply(PlanSetRef(metadata_, {.name = "v1", .type = RefType::kTag, .snapshot_id = first_}));
  EXPECT_EQ(metadata_.refs.at("audit").snapshot_id, second_);
  EXPECT_EQ(metadata_.refs.at("audit").min_snapshots_to_keep, 2);
  EXPECT_EQ(metadata_.refs.at("v1").snapshot_id, first_);
  EXPECT_EQ(metadata_.refs.at("v1").type, RefType::kTag);
  EXPECT_EQ(metadata_.current_snapshot_id, second_);
}

TEST_F(RefChangeTest, ANameIsTakenOnlyOnce) {
  Apply(PlanSetRef(metadata_, {.name = "audit", .snapshot_id = first_}));
  EXPECT_THAT(PlanSetRef(metadata_, {.name = "audit"}),
              IsError(ErrorCode::kAlreadyExists, "there is a branch 'audit' already"));
  EXPECT_THAT(PlanSetRef(metadata_, {.name = "audit", .type = RefType::kTag}),
              IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(PlanSetRef(metadata_, {.name = "audit", .mode = RefChange::Mode::kCreateIfMissing}),
              IsOkAnd(IsEmpty()));
  EXPECT_THAT(PlanSetRef(metadata_, {.name = "audit",
                                     .type = RefType::kTag,
                                     .mode = RefChange::Mode::kCreateIfMissing}),
              IsError(ErrorCode::kInvalidInput, "'audit' is a branch, expected a tag"));
}

TEST_F(RefChangeTest, ReplacingKeepsTheRetentionThatIsNotSaid) {
  Apply(PlanSetRef(metadata_, {.name = "audit", .snapshot_id = first_, .max_ref_age_ms = 5}));
  Apply(PlanSetRef(metadata_,
                   {.name = "audit", .mode = RefChange::Mode::kReplace, .max_snapshot_age_ms = 7}));
  EXPECT_EQ(metadata_.refs.at("audit").snapshot_id, second_);
  EXPECT_EQ(metadata_.refs.at("audit").max_ref_age_ms, 5);
  EXPECT_EQ(metadata_.refs.at("audit").max_snapshot_age_ms, 7);
  EXPECT_THAT(PlanSetRef(metadata_, {.name = "audit", .mode = RefChange::Mode::kReplace}),
              IsOkAnd(IsEmpty()));
  EXPECT_THAT(
      PlanSetRef(metadata_, {.name = "other", .mode = RefChange::Mode::kReplace}),
      IsError(ErrorCode::kNotFound, "there is no branch 'other'; branches and tags: audit, main"));
}

TEST_F(RefChangeTest, ReplacingMainMovesTheTableAndIsLogged) {
  Apply(PlanSetRef(metadata_,
                   {.name = "main", .mode = RefChange::Mode::kReplace, .snapshot_id = first_}));
  EXPECT_EQ(metadata_.current_snapshot_id, first_);
  EXPECT_EQ(metadata_.snapshot_log.back().snapshot_id, first_);
}

TEST_F(RefChangeTest, ASnapshotMustBeThere) {
  EXPECT_THAT(PlanSetRef(metadata_, {.name = "audit", .snapshot_id = 1}),
              IsError(ErrorCode::kNotFound, "snapshot 1 not found among 2 snapshots"));
  TestTable empty;
  EXPECT_THAT(PlanSetRef(*empty.Load().metadata, {.name = "v1", .type = RefType::kTag}),
              IsError(ErrorCode::kInvalidInput, "tag 'v1' needs a snapshot to name"));
}

TEST_F(RefChangeTest, RefsAreDroppedByNameAndTypeAndMainNever) {
  Apply(PlanSetRef(metadata_, {.name = "v1", .type = RefType::kTag}));
  EXPECT_THAT(PlanDropRef(metadata_, "v1", RefType::kBranch, true),
              IsError(ErrorCode::kInvalidInput, "'v1' is a tag, expected a branch"));
  EXPECT_THAT(PlanDropRef(metadata_, "main", RefType::kBranch, true),
              IsError(ErrorCode::kInvalidInput, "branch 'main' is the table itself"));
  EXPECT_THAT(PlanDropRef(metadata_, "v2", RefType::kTag, false),
              IsError(ErrorCode::kNotFound, "there is no tag 'v2'; branches and tags: main, v1"));
  EXPECT_THAT(PlanDropRef(metadata_, "v2", RefType::kTag, true), IsOkAnd(IsEmpty()));
  Apply(PlanDropRef(metadata_, "v1", RefType::kTag, false));
  EXPECT_THAT(metadata_.refs, SizeIs(1));
}

}  // namespace
}  // namespace firn
