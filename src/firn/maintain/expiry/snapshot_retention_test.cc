#include "firn/maintain/expiry/snapshot_retention.h"

#include <chrono>

#include <gmock/gmock.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Timestamp At(int64_t time) { return Timestamp(milliseconds(time)); }

/// Snapshots by number; each is as many milliseconds old as it says.
class RetentionTest : public testing::Test {
 protected:
  static constexpr int64_t kNow = 1'000'000'000;

  void Add(SnapshotId id, std::optional<SnapshotId> parent, int64_t age_ms) {
    metadata_.snapshots.push_back(
        {.snapshot_id = id, .parent_snapshot_id = parent, .timestamp = At(kNow - age_ms)});
  }
  /// 1 <- 2 <- ... <- count, 100 ms apart, the last one 100 ms old.
  void AddLine(SnapshotId count) {
    for (SnapshotId id = 1; id <= count; ++id) {
      Add(id, id > 1 ? std::optional(id - 1) : std::nullopt, (count - id + 1) * 100);
    }
    metadata_.refs["main"] = {.snapshot_id = count};
    metadata_.current_snapshot_id = count;
  }
  ExpiredHistory Plan(RetentionOptions options) {
    options.now = At(kNow);
    auto planned = PlanRetention(metadata_, options);
    EXPECT_THAT(planned, IsOk());
    return planned.ok() ? *std::move(planned) : ExpiredHistory();
  }
  RetentionOptions OlderThan(int64_t age_ms) { return {.older_than = At(kNow - age_ms)}; }

  TableMetadata metadata_;
};

TEST_F(RetentionTest, KeepsWhatIsNotOlderThanTheCutOff) {
  AddLine(5);
  EXPECT_THAT(Plan(OlderThan(300)).snapshot_ids, ElementsAre(1, 2));  // The third is just as old.
  EXPECT_THAT(Plan(OlderThan(299)).snapshot_ids, ElementsAre(1, 2, 3));
}

TEST_F(RetentionTest, TakesCutOffAndNumberFromTheTable) {
  AddLine(5);
  EXPECT_THAT(Plan({}).snapshot_ids, IsEmpty());  // Five days.
  metadata_.properties["history.expire.max-snapshot-age-ms"] = "250";
  EXPECT_THAT(Plan({}).snapshot_ids, ElementsAre(1, 2, 3));
  metadata_.properties["history.expire.min-snapshots-to-keep"] = "4";
  EXPECT_THAT(Plan({}).snapshot_ids, ElementsAre(1));
  EXPECT_THAT(Plan({.retain_last = 1}).snapshot_ids, ElementsAre(1, 2, 3));
}

TEST_F(RetentionTest, KeepsTheHeadOfMainWhateverItsAge) {
  AddLine(3);
  EXPECT_THAT(Plan(OlderThan(-1000)).snapshot_ids, ElementsAre(1, 2));
}

TEST_F(RetentionTest, StopsAtTheFirstSnapshotThatIsNeitherYoungNorCounted) {
  // A clock ran back: the oldest one looks young.
  Add(1, std::nullopt, 10);
  Add(2, 1, 500);
  Add(3, 2, 5);
  metadata_.refs["main"] = {.snapshot_id = 3};
  EXPECT_THAT(Plan(OlderThan(100)).snapshot_ids, ElementsAre(1, 2));
}

// B10
TEST_F(RetentionTest, KeepsOfEachBranchWhatTheBranchSays) {
  AddLine(4);
  Add(11, 2, 80);
  Add(12, 11, 60);
  metadata_.refs["audit"] = {.snapshot_id = 12, .min_snapshots_to_keep = 3};
  EXPECT_THAT(Plan(OlderThan(0)).snapshot_ids, ElementsAre(1, 3));
  metadata_.refs["audit"] = {.snapshot_id = 12, .max_snapshot_age_ms = 70};
  EXPECT_THAT(Plan(OlderThan(0)).snapshot_ids, ElementsAre(1, 2, 3, 11));
}

TEST_F(RetentionTest, KeepsOfATagItsOwnSnapshotOnly) {
  AddLine(5);
  metadata_.refs["v1"] = {.snapshot_id = 2, .type = RefType::kTag};
  EXPECT_THAT(Plan(OlderThan(0)).snapshot_ids, ElementsAre(1, 3, 4));
}

// B10
TEST_F(RetentionTest, DropsRefsByTheAgeOfTheirSnapshotButNeverMain) {
  AddLine(4);
  metadata_.refs["main"].max_ref_age_ms = 1;
  metadata_.refs["v1"] = {.snapshot_id = 1, .type = RefType::kTag, .max_ref_age_ms = 399};
  metadata_.refs["v2"] = {.snapshot_id = 2, .type = RefType::kTag, .max_ref_age_ms = 300};
  const ExpiredHistory history = Plan(OlderThan(0));
  EXPECT_THAT(history.refs, ElementsAre("v1"));
  EXPECT_THAT(history.snapshot_ids, ElementsAre(1, 3));
  metadata_.properties["history.expire.max-ref-age-ms"] = "200";
  metadata_.refs["v2"].max_ref_age_ms.reset();
  EXPECT_THAT(Plan(OlderThan(0)).refs, UnorderedElementsAre("v1", "v2"));
}

TEST_F(RetentionTest, KeepsYoungSnapshotsThatNoRefLeadsTo) {
  AddLine(3);
  Add(21, 1, 50);
  Add(22, 1, 150);
  EXPECT_THAT(Plan(OlderThan(100)).snapshot_ids, ElementsAre(1, 2, 22));
  // Behind a branch's limit is not the same as being led to by nothing: 2 is young, but over.
  metadata_.refs["main"].max_snapshot_age_ms = 1;
  EXPECT_THAT(Plan(OlderThan(1000)).snapshot_ids, ElementsAre(1, 2));
}

TEST_F(RetentionTest, ExpiresListedSnapshotsBesides) {
  AddLine(5);
  RetentionOptions options = OlderThan(1000);
  options.snapshot_ids = {3, 77};
  EXPECT_THAT(Plan(options).snapshot_ids, ElementsAre(3));
  options.retain_last = 5;
  EXPECT_THAT(Plan(options).snapshot_ids, ElementsAre(3));
}

TEST_F(RetentionTest, RefusesToExpireWhatABranchOrTagNames) {
  AddLine(3);
  metadata_.refs["v1"] = {.snapshot_id = 2, .type = RefType::kTag};
  metadata_.refs["dev"] = {.snapshot_id = 2};
  EXPECT_THAT(PlanRetention(metadata_, {.now = At(kNow), .snapshot_ids = {2}}),
              IsError(ErrorCode::kInvalidInput, "named by dev, v1"));
  EXPECT_THAT(PlanRetention(metadata_, {.now = At(kNow), .snapshot_ids = {3}}),
              IsError(ErrorCode::kInvalidInput, "named by main"));
}

TEST_F(RetentionTest, RefusesNumbersThatMakeNoSense) {
  AddLine(1);
  EXPECT_THAT(PlanRetention(metadata_, {.now = At(kNow), .retain_last = 0}),
              IsError(ErrorCode::kInvalidInput, "retain_last is 0"));
  metadata_.properties["history.expire.min-snapshots-to-keep"] = "-1";
  EXPECT_THAT(PlanRetention(metadata_, {.now = At(kNow)}),
              IsError(ErrorCode::kInvalidInput, "min-snapshots-to-keep is -1"));
  metadata_.properties["history.expire.max-snapshot-age-ms"] = "5d";
  EXPECT_THAT(PlanRetention(metadata_, {.now = At(kNow)}),
              IsError(ErrorCode::kInvalidInput, "max-snapshot-age-ms"));
}

TEST_F(RetentionTest, TakesAnAgeOfForEver) {
  AddLine(3);
  metadata_.properties["history.expire.max-snapshot-age-ms"] = "9223372036854775807";
  metadata_.properties["history.expire.max-ref-age-ms"] = "9223372036854775807";
  EXPECT_THAT(Plan({}).snapshot_ids, IsEmpty());
}

TEST_F(RetentionTest, IsFineWithATableWithoutSnapshots) {
  EXPECT_THAT(Plan({}).snapshot_ids, IsEmpty());
}

TEST(DroppedRefsTest, AreNamedAsFarAsCanBeRead) {
  EXPECT_EQ(DescribeDroppedRefs({}), "");
  EXPECT_EQ(DescribeDroppedRefs({"audit", "old"}), "2 branches and tags dropped: audit, old");
  const std::string many = DescribeDroppedRefs(std::vector<std::string>(23, "x"));
  EXPECT_TRUE(many.starts_with("23 branches and tags dropped: x, x,")) << many;
  EXPECT_TRUE(many.ends_with("x and 3 more")) << many;
}

}  // namespace
}  // namespace firn
