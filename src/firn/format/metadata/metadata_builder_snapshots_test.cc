#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/metadata/metadata_builder.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::SizeIs;

Timestamp At(int64_t ms) { return Timestamp(milliseconds(1'700'000'000'000 + ms)); }

SnapshotLogEntry Logged(int64_t ms, SnapshotId id) { return {At(ms), id, {}}; }

TableMetadata EmptyTable(int format_version) {
  TableMetadata table;
  table.format_version = format_version;
  table.table_uuid = "u";
  table.location = "s3://t";
  table.last_updated = At(0);
  table.schemas = {std::make_shared<const Schema>()};
  table.partition_specs = {std::make_shared<const PartitionSpec>()};
  table.sort_orders = {SortOrder{}};
  return table;
}

Snapshot NextSnapshot(const TableMetadata& base, SnapshotId id, int64_t ms) {
  Snapshot snapshot;
  snapshot.snapshot_id = id;
  snapshot.parent_snapshot_id = base.current_snapshot_id;
  snapshot.sequence_number = base.last_sequence_number + 1;
  snapshot.timestamp = At(ms);
  snapshot.manifest_list = "s3://t/snap-" + std::to_string(id);
  if (base.format_version > 2) {
    snapshot.first_row_id = base.next_row_id;
    snapshot.added_rows = 10;
  }
  return snapshot;
}

TableMetadata Finish(MetadataBuilder builder, int64_t ms) {
  auto metadata = std::move(builder).Build(At(ms));
  EXPECT_THAT(metadata, IsOk());
  return metadata.ok() ? std::move(metadata).value() : TableMetadata();
}

TableMetadata Append(const TableMetadata& base, SnapshotId id, int64_t ms) {
  MetadataBuilder builder(base, "s3://t/v" + std::to_string(ms));
  EXPECT_THAT(builder.AddSnapshot(NextSnapshot(base, id, ms)), IsOk());
  EXPECT_THAT(builder.SetSnapshotRef("main", {.snapshot_id = id}), IsOk());
  return Finish(std::move(builder), ms + 3);
}

// Snapshots 1, 2, 3 on main at 100, 200, 300 ms.
TableMetadata ThreeCommits(int format_version = 2) {
  return Append(Append(Append(EmptyTable(format_version), 1, 100), 2, 200), 3, 300);
}

TEST(SnapshotUpdateTest, LogsTheMoveOfMainAndThePreviousFile) {
  const TableMetadata table = ThreeCommits();
  EXPECT_EQ(table.current_snapshot_id, 3);
  EXPECT_EQ(table.last_sequence_number, 3);
  EXPECT_EQ(table.last_updated, At(300));
  EXPECT_THAT(table.snapshot_log, ElementsAre(Logged(100, 1), Logged(200, 2), Logged(300, 3)));
  EXPECT_THAT(table.metadata_log, ElementsAre(MetadataLogEntry{At(0), "s3://t/v100", {}},
                                              MetadataLogEntry{At(100), "s3://t/v200", {}},
                                              MetadataLogEntry{At(200), "s3://t/v300", {}}));
}

TEST(SnapshotUpdateTest, TrimsTheMetadataLog) {  // B114
  TableMetadata table = EmptyTable(2);
  table.properties["write.metadata.previous-versions-max"] = "2";
  for (SnapshotId id = 1; id <= 5; ++id)
    table = Append(table, id, id * 100);
  EXPECT_THAT(table.metadata_log, ElementsAre(MetadataLogEntry{At(300), "s3://t/v400", {}},
                                              MetadataLogEntry{At(400), "s3://t/v500", {}}));
  table.properties["write.metadata.previous-versions-max"] = "0";
  EXPECT_THAT(Append(table, 6, 600).metadata_log, SizeIs(1));
  table.properties["write.metadata.previous-versions-max"] = "many";
  MetadataBuilder builder(table, "f");
  EXPECT_THAT(std::move(builder).Build(At(700)),
              IsError(ErrorCode::kInvalidInput, "previous-versions-max' is 'many'"));
}

TEST(SnapshotUpdateTest, TellsAStaleSnapshotFromAWrongOne) {
  const TableMetadata base = ThreeCommits();
  MetadataBuilder builder(base, "f");
  Snapshot snapshot = NextSnapshot(base, 4, 400);
  snapshot.sequence_number = 3;
  EXPECT_THAT(builder.AddSnapshot(snapshot),
              IsError(ErrorCode::kCommitConflict, "sequence number 3, but the table is at 3"));
  snapshot.snapshot_id = 2;
  EXPECT_THAT(builder.AddSnapshot(snapshot),
              IsError(ErrorCode::kInvalidInput, "snapshot 2 is in the table"));
  snapshot = NextSnapshot(base, 4, 400);
  snapshot.schema_id = 5;
  EXPECT_THAT(builder.AddSnapshot(snapshot),
              IsError(ErrorCode::kInvalidInput, "schema 5, which is not in the table"));
  snapshot.snapshot_id = -4;
  EXPECT_THAT(builder.AddSnapshot(snapshot), IsError(ErrorCode::kInvalidInput, "-4"));
  EXPECT_FALSE(builder.has_changes());
}

// Java lets it pass. The first snapshot of `main` and one staged before it would share a number.
TEST(SnapshotUpdateTest, RefusesAnOldSequenceNumberAlsoOfASnapshotWithoutParent) {
  const TableMetadata base = ThreeCommits();
  MetadataBuilder builder(base, "f");
  Snapshot snapshot = NextSnapshot(base, 4, 400);
  snapshot.parent_snapshot_id.reset();
  snapshot.sequence_number = 3;
  EXPECT_THAT(builder.AddSnapshot(snapshot),
              IsError(ErrorCode::kCommitConflict, "sequence number 3, but the table is at 3"));
  EXPECT_FALSE(builder.has_changes());
}

TEST(SnapshotUpdateTest, RefusesASnapshotWithoutNumberInAnUpgradedTable) {
  MetadataBuilder builder(ThreeCommits(), "f");
  Snapshot snapshot = NextSnapshot(ThreeCommits(), 4, 400);
  snapshot.parent_snapshot_id.reset();
  snapshot.sequence_number = 0;
  EXPECT_THAT(builder.AddSnapshot(snapshot),
              IsError(ErrorCode::kCommitConflict, "no sequence number"));
}

TEST(SnapshotUpdateTest, AdvancesRowIds) {
  const TableMetadata base = ThreeCommits(3);
  EXPECT_EQ(base.next_row_id, 30);
  MetadataBuilder builder(base, "f");
  Snapshot snapshot = NextSnapshot(base, 4, 400);
  snapshot.first_row_id = 29;
  EXPECT_THAT(builder.AddSnapshot(snapshot),
              IsError(ErrorCode::kCommitConflict, "row id 29, but the next free one is 30"));
  snapshot.first_row_id.reset();
  // Of a writer who loaded the table before it was upgraded.
  EXPECT_THAT(builder.AddSnapshot(snapshot), IsError(ErrorCode::kCommitConflict, "'first-row-id'"));
  snapshot.first_row_id = 30;
  snapshot.added_rows = INT64_MAX;
  EXPECT_THAT(builder.AddSnapshot(snapshot), IsError(ErrorCode::kInvalidInput, "64 bits"));
  // A gap is legal; ids after it are never given twice.
  snapshot.first_row_id = 100;
  snapshot.added_rows = 5;
  ASSERT_THAT(builder.AddSnapshot(snapshot), IsOk());
  EXPECT_EQ(Finish(std::move(builder), 400).next_row_id, 105);
}

TEST(SnapshotUpdateTest, NumbersNothingInV1) {
  const TableMetadata table = ThreeCommits(1);
  EXPECT_EQ(table.last_sequence_number, 0);
  EXPECT_EQ(table.snapshots[2].sequence_number, 0);
}

TEST(SnapshotUpdateTest, DoesNotLogSnapshotsThatWereNeverSeen) {
  const TableMetadata base = ThreeCommits();
  MetadataBuilder builder(base, "f");
  Snapshot first = NextSnapshot(base, 4, 400);
  Snapshot second = NextSnapshot(base, 5, 500);
  second.parent_snapshot_id = 4;
  second.sequence_number = 5;
  ASSERT_THAT(builder.AddSnapshot(first), IsOk());
  ASSERT_THAT(builder.SetSnapshotRef("main", {.snapshot_id = 4}), IsOk());
  ASSERT_THAT(builder.AddSnapshot(second), IsOk());
  ASSERT_THAT(builder.SetSnapshotRef("main", {.snapshot_id = 5}), IsOk());
  const TableMetadata table = Finish(std::move(builder), 600);
  EXPECT_THAT(table.snapshots, SizeIs(5));
  EXPECT_THAT(table.snapshot_log,
              ElementsAre(Logged(100, 1), Logged(200, 2), Logged(300, 3), Logged(500, 5)));
}

TEST(SnapshotUpdateTest, LogsARollbackAtItsOwnTime) {
  MetadataBuilder builder(ThreeCommits(), "f");
  ASSERT_THAT(builder.SetSnapshotRef("main", {.snapshot_id = 1}), IsOk());
  const TableMetadata table = Finish(std::move(builder), 900);
  EXPECT_EQ(table.current_snapshot_id, 1);
  EXPECT_EQ(table.last_updated, At(900));
  EXPECT_EQ(table.snapshot_log.back(), Logged(900, 1));
}

TEST(SnapshotUpdateTest, LeavesTheLogAloneWhenABranchMoves) {
  const TableMetadata base = ThreeCommits();
  MetadataBuilder builder(base, "f");
  ASSERT_THAT(builder.AddSnapshot(NextSnapshot(base, 4, 400)), IsOk());
  ASSERT_THAT(builder.SetSnapshotRef("audit", {.snapshot_id = 4}), IsOk());
  ASSERT_THAT(builder.SetSnapshotRef("main", base.refs.at("main")), IsOk());
  const TableMetadata table = Finish(std::move(builder), 401);
  EXPECT_EQ(table.current_snapshot_id, 3);
  EXPECT_EQ(table.snapshot_log, base.snapshot_log);
  EXPECT_EQ(table.last_updated, At(400));
}

TEST(SnapshotUpdateTest, KeepsRefsLegal) {
  MetadataBuilder builder(ThreeCommits(), "f");
  const SnapshotRef tag{.snapshot_id = 1, .type = RefType::kTag};
  ASSERT_THAT(builder.SetSnapshotRef("t", tag), IsOk());
  EXPECT_THAT(builder.SetSnapshotRef("t", {.snapshot_id = 1}),
              IsError(ErrorCode::kInvalidInput, "'t' is a tag and cannot become a branch"));
  EXPECT_THAT(builder.SetSnapshotRef("main", tag),
              IsError(ErrorCode::kInvalidInput, "'main' is a branch"));
  EXPECT_THAT(builder.SetSnapshotRef("b", {.snapshot_id = 9}),
              IsError(ErrorCode::kCommitConflict, "snapshot 9, which is not in the table"));
  EXPECT_THAT(builder.SetSnapshotRef("", {.snapshot_id = 1}), IsError(ErrorCode::kInvalidInput));
  EXPECT_THAT(builder.SetSnapshotRef("b", {.snapshot_id = 1, .max_snapshot_age_ms = 0}),
              IsError(ErrorCode::kInvalidInput, "more than 0"));
  EXPECT_THAT(builder.SetSnapshotRef(
                  "u", {.snapshot_id = 1, .type = RefType::kTag, .min_snapshots_to_keep = 1}),
              IsError(ErrorCode::kInvalidInput, "only branches can"));
}

TEST(SnapshotUpdateTest, EmptiesTheTableWithoutMainButKeepsItsHistory) {
  const TableMetadata base = ThreeCommits();
  MetadataBuilder builder(base, "f");
  ASSERT_THAT(builder.RemoveSnapshotRef("main"), IsOk());
  ASSERT_THAT(builder.RemoveSnapshotRef("gone"), IsOk());
  const TableMetadata table = Finish(std::move(builder), 400);
  EXPECT_FALSE(table.current_snapshot_id.has_value());
  EXPECT_THAT(table.refs, IsEmpty());
  EXPECT_EQ(table.snapshot_log, base.snapshot_log);
}

TEST(SnapshotUpdateTest, CutsTheHistoryAtARemovedSnapshot) {
  TableMetadata base = ThreeCommits();
  base.statistics = {{.snapshot_id = 2, .path = "a"}, {.snapshot_id = 3, .path = "b"}};
  base.partition_statistics = {{.snapshot_id = 2, .path = "c"}};
  base.refs["old"] = {.snapshot_id = 2, .type = RefType::kTag};
  base.refs["new"] = {.snapshot_id = 3};
  MetadataBuilder builder(base, "f");
  ASSERT_THAT(builder.RemoveSnapshots({2, 77}), IsOk());
  ASSERT_THAT(builder.RemoveSnapshotRef("old"), IsOk());
  const TableMetadata table = Finish(std::move(builder), 400);
  EXPECT_THAT(table.snapshots, SizeIs(2));
  EXPECT_THAT(table.snapshot_log, ElementsAre(Logged(300, 3)));
  EXPECT_THAT(table.statistics, ElementsAre(base.statistics[1]));
  EXPECT_THAT(table.partition_statistics, IsEmpty());
  EXPECT_THAT(table.refs, ElementsAre(Key("main"), Key("new")));
}

// Whoever planned the removal did not know of the tag, which must not vanish with it.
TEST(SnapshotUpdateTest, DoesNotRemoveASnapshotThatATagNames) {
  TableMetadata base = ThreeCommits();
  base.refs["old"] = {.snapshot_id = 2, .type = RefType::kTag};
  MetadataBuilder builder(base, "f");
  ASSERT_THAT(builder.RemoveSnapshots({2}), IsOk());
  EXPECT_THAT(
      std::move(builder).Build(At(400)),
      IsError(ErrorCode::kCommitConflict, "snapshot 2 cannot be removed: tag 'old' names it"));
}

TEST(SnapshotUpdateTest, DoesNotRemoveTheCurrentSnapshot) {
  MetadataBuilder builder(ThreeCommits(), "f");
  ASSERT_THAT(builder.RemoveSnapshots({3}), IsOk());
  EXPECT_THAT(std::move(builder).Build(At(400)),
              IsError(ErrorCode::kInvalidInput, "snapshot 3 is the current one"));
  // Unless main leaves it in the same change.
  MetadataBuilder other(ThreeCommits(), "f");
  ASSERT_THAT(other.RemoveSnapshots({3}), IsOk());
  ASSERT_THAT(other.SetSnapshotRef("main", {.snapshot_id = 2}), IsOk());
  const TableMetadata table = Finish(std::move(other), 400);
  EXPECT_THAT(table.snapshot_log, ElementsAre(Logged(400, 2)));
}

TEST(SnapshotUpdateTest, KeepsHistoryWhenNothingIsRemoved) {
  TableMetadata base = ThreeCommits();
  base.snapshot_log.insert(base.snapshot_log.begin(), Logged(50, 99));  // Another writer's hole.
  EXPECT_THAT(Append(base, 4, 400).snapshot_log, SizeIs(5));
  MetadataBuilder builder(base, "f");
  ASSERT_THAT(builder.RemoveSnapshots({77}), IsOk());
  EXPECT_FALSE(builder.has_changes());
  EXPECT_THAT(Finish(std::move(builder), 400).snapshot_log, SizeIs(4));
}

TEST(SnapshotUpdateTest, NeverDatesAVersionBeforeTheLastOne) {
  const TableMetadata base = ThreeCommits();
  // A clock that is an hour late, first for properties, then for a snapshot.
  MetadataBuilder properties(base, "f");
  ASSERT_THAT(properties.SetProperties({{"a", "b"}}), IsOk());
  EXPECT_EQ(Finish(std::move(properties), -3'600'000).last_updated, At(300));
  const TableMetadata late = Append(base, 4, -3'600'000);
  EXPECT_EQ(late.last_updated, At(300));
  EXPECT_EQ(late.snapshot_log.back(), Logged(300, 4));
  EXPECT_THAT(ValidateTableMetadata(late), IsOk());
}

TEST(SnapshotUpdateTest, LogsNoPreviousFileForANewTable) {
  MetadataBuilder builder(EmptyTable(2), "");
  EXPECT_THAT(Finish(std::move(builder), 5).metadata_log, IsEmpty());
}

}  // namespace
}  // namespace firn
