#include "firn/format/metadata/metadata_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;
using testing::SizeIs;

constexpr std::string_view kUuid = "9c12d441-03fe-4693-9a96-a0705ddf69c1";

Timestamp At(int64_t ms) { return Timestamp(milliseconds(1'700'000'000'000 + ms)); }

NestedField Column(int32_t id, std::string name, TypeId type) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = Type::Primitive(type);
  return field;
}

SchemaPtr MakeSchema(std::vector<NestedField> fields) {
  return std::make_shared<const Schema>(99, std::move(fields));
}

PartitionField PartitionBy(int32_t source_id, std::string name, TransformKind kind,
                           int32_t width = 0, int32_t field_id = 0) {
  PartitionField field;
  field.source_ids = {source_id};
  field.name = std::move(name);
  field.transform = {kind, width, ""};
  field.field_id = field_id;
  return field;
}

SortOrder OrderBy(int32_t source_id, bool is_descending = false) {
  SortField field;
  field.source_ids = {source_id};
  field.is_descending = is_descending;
  return {77, {field}, {}};
}

Snapshot MakeSnapshot(SnapshotId id, std::optional<SnapshotId> parent, int64_t sequence_number,
                      Timestamp time) {
  Snapshot snapshot;
  snapshot.snapshot_id = id;
  snapshot.parent_snapshot_id = parent;
  snapshot.sequence_number = sequence_number;
  snapshot.timestamp = time;
  snapshot.manifest_list = "s3://t/metadata/snap-" + std::to_string(id) + ".avro";
  snapshot.operation = "append";
  return snapshot;
}

// A builder of a table with columns id, at, name and nothing else.
MetadataBuilder NewTable(int format_version = 2) {
  MetadataBuilder builder;
  EXPECT_THAT(builder.UpgradeFormatVersion(format_version), IsOk());
  EXPECT_THAT(builder.AssignUuid(kUuid), IsOk());
  EXPECT_THAT(builder.SetLocation("s3://t/"), IsOk());
  EXPECT_THAT(builder.AddSchema(
                  MakeSchema({Column(1, "id", TypeId::kLong), Column(2, "at", TypeId::kTimestamptz),
                              Column(3, "name", TypeId::kString)})),
              IsOk());
  EXPECT_THAT(builder.SetCurrentSchema(-1), IsOk());
  EXPECT_THAT(builder.AddSpec({}), IsOk());
  EXPECT_THAT(builder.SetDefaultSpec(-1), IsOk());
  EXPECT_THAT(builder.AddSortOrder({}), IsOk());
  EXPECT_THAT(builder.SetDefaultSortOrder(-1), IsOk());
  return builder;
}

TableMetadata Finish(MetadataBuilder builder, Timestamp now = At(0)) {
  auto metadata = std::move(builder).Build(now);
  EXPECT_THAT(metadata, IsOk());
  return metadata.ok() ? std::move(metadata).value() : TableMetadata();
}

TableMetadata EmptyTable(int format_version = 2) { return Finish(NewTable(format_version)); }

// Commit a snapshot to main, the whole way that a writer goes.
TableMetadata Append(const TableMetadata& base, SnapshotId id, Timestamp time) {
  MetadataBuilder builder(base, "s3://t/metadata/v.metadata.json");
  Snapshot snapshot =
      MakeSnapshot(id, base.current_snapshot_id, base.last_sequence_number + 1, time);
  if (base.format_version > 2) {
    snapshot.first_row_id = base.next_row_id;
    snapshot.added_rows = 10;
  }
  EXPECT_THAT(builder.AddSnapshot(std::move(snapshot)), IsOk());
  EXPECT_THAT(builder.SetSnapshotRef("main", {.snapshot_id = id}), IsOk());
  return Finish(std::move(builder), time);
}

TEST(MetadataBuilderTest, MakesANewTable) {
  const TableMetadata table = EmptyTable();
  EXPECT_EQ(table.format_version, 2);
  EXPECT_EQ(table.table_uuid, kUuid);
  EXPECT_EQ(table.location, "s3://t");
  EXPECT_EQ(table.last_updated, At(0));
  EXPECT_EQ(table.current_schema()->schema_id(), 0);
  EXPECT_EQ(table.last_column_id, 3);
  EXPECT_EQ(table.default_spec_id, 0);
  EXPECT_EQ(table.last_partition_id, 999);
  EXPECT_EQ(table.default_sort_order_id, 0);
  EXPECT_THAT(table.metadata_log, IsEmpty());
}

TEST(MetadataBuilderTest, RefusesATableWithoutItsParts) {
  EXPECT_THAT(MetadataBuilder().Build(At(0)), IsError(ErrorCode::kInvalidInput, "table-uuid"));
  MetadataBuilder builder;
  EXPECT_THAT(builder.AddSpec({}), IsError(ErrorCode::kInvalidInput, "needs a current schema"));
  EXPECT_THAT(builder.AddSortOrder({}),
              IsError(ErrorCode::kInvalidInput, "needs a current schema"));
  for (const Status& status : {builder.SetCurrentSchema(-1), builder.SetDefaultSpec(-1),
                               builder.SetDefaultSortOrder(-1)}) {
    EXPECT_THAT(status, IsError(ErrorCode::kInvalidInput, "added last (-1) is asked for"));
  }
}

TEST(MetadataBuilderTest, ReusesEqualSchemasAndNumbersNewOnes) {
  MetadataBuilder builder(EmptyTable(), "f");
  ASSERT_THAT(builder.AddSchema(EmptyTable().current_schema()), IsOk());
  ASSERT_THAT(builder.SetCurrentSchema(-1), IsOk());
  EXPECT_FALSE(builder.has_changes());
  ASSERT_THAT(builder.AddSchema(
                  MakeSchema({Column(1, "id", TypeId::kLong), Column(4, "more", TypeId::kInt)})),
              IsOk());
  ASSERT_THAT(builder.SetCurrentSchema(-1), IsOk());
  EXPECT_TRUE(builder.has_changes());
  const TableMetadata table = Finish(std::move(builder));
  EXPECT_EQ(table.current_schema_id, 1);
  EXPECT_EQ(table.last_column_id, 4);

  // Dropping the newest column does not free its id.
  MetadataBuilder next(table, "f");
  ASSERT_THAT(next.AddSchema(MakeSchema({Column(1, "id", TypeId::kLong)})), IsOk());
  ASSERT_THAT(next.SetCurrentSchema(2), IsOk());
  EXPECT_EQ(Finish(std::move(next)).last_column_id, 4);
}

TEST(MetadataBuilderTest, RefusesSchemasThatTheVersionDoesNotKnow) {
  MetadataBuilder builder(EmptyTable(), "f");
  EXPECT_THAT(
      builder.AddSchema(MakeSchema({Column(1, "a", TypeId::kInt), Column(1, "b", TypeId::kInt)})),
      IsError(ErrorCode::kInvalidInput, "same id 1"));
  ASSERT_THAT(builder.AddSchema(MakeSchema({Column(1, "v", TypeId::kVariant)})), IsOk());
  EXPECT_THAT(std::move(builder).Build(At(0)),
              IsError(ErrorCode::kInvalidInput, "needs format version 3"));
}

TEST(MetadataBuilderTest, RemovesOnlySchemasThatNothingNeeds) {
  TableMetadata base = Append(EmptyTable(), 1, At(1));
  base.snapshots[0].schema_id = 0;
  MetadataBuilder builder(base, "f");
  EXPECT_THAT(builder.RemoveSchemas({0}),
              IsError(ErrorCode::kInvalidInput, "schema 0 is the current one"));
  ASSERT_THAT(builder.AddSchema(MakeSchema({Column(1, "id", TypeId::kLong)})), IsOk());
  ASSERT_THAT(builder.SetCurrentSchema(-1), IsOk());
  ASSERT_THAT(builder.RemoveSchemas({0, 55}), IsOk());
  EXPECT_THAT(std::move(builder).Build(At(2)),
              IsError(ErrorCode::kInvalidInput, "schema 0 is that of snapshot 1"));
}

TEST(MetadataBuilderTest, NumbersSpecsAndReusesTheIdsOfEqualFields) {
  MetadataBuilder builder(EmptyTable(), "f");
  ASSERT_THAT(builder.AddSpec({0,
                               {PartitionBy(2, "at_day", TransformKind::kDay),
                                PartitionBy(1, "id_b", TransformKind::kBucket, 16)},
                               {}}),
              IsOk());
  ASSERT_THAT(builder.SetDefaultSpec(-1), IsOk());
  ASSERT_THAT(builder.AddSpec({0,
                               {PartitionBy(1, "id_b", TransformKind::kBucket, 16),
                                PartitionBy(2, "at_hour", TransformKind::kHour)},
                               {}}),
              IsOk());
  // The same spec again, whatever its ids are.
  ASSERT_THAT(builder.AddSpec({9,
                               {PartitionBy(2, "at_day", TransformKind::kDay, 0, 1000),
                                PartitionBy(1, "id_b", TransformKind::kBucket, 16, 1001)},
                               {}}),
              IsOk());
  ASSERT_THAT(builder.SetDefaultSpec(-1), IsOk());
  const TableMetadata table = Finish(std::move(builder));
  ASSERT_THAT(table.partition_specs, SizeIs(3));
  EXPECT_EQ(table.default_spec_id, 1);
  EXPECT_EQ(table.FindSpec(1)->fields[0].field_id, 1000);
  EXPECT_EQ(table.FindSpec(1)->fields[1].field_id, 1001);
  EXPECT_EQ(table.FindSpec(2)->fields[0].field_id, 1001);
  EXPECT_EQ(table.FindSpec(2)->fields[1].field_id, 1002);
  EXPECT_EQ(table.last_partition_id, 1002);
}

TEST(MetadataBuilderTest, RefusesSpecsThatBreakTheRules) {
  MetadataBuilder builder(EmptyTable(), "f");
  const auto add = [&](PartitionField field) {
    return builder.AddSpec({0, {std::move(field)}, {}});
  };
  EXPECT_THAT(add(PartitionBy(9, "x", TransformKind::kIdentity)),
              IsError(ErrorCode::kInvalidInput, "source column 9"));
  EXPECT_THAT(add(PartitionBy(1, "x", TransformKind::kDay)),
              IsError(ErrorCode::kInvalidInput, "transform day"));
  EXPECT_THAT(add(PartitionBy(1, "x", TransformKind::kUnknown)),
              IsError(ErrorCode::kInvalidInput, "'x'"));
  ASSERT_THAT(add(PartitionBy(1, "x", TransformKind::kBucket, 4)), IsOk());
  EXPECT_THAT(add(PartitionBy(1, "x", TransformKind::kBucket, 8, 1000)),
              IsError(ErrorCode::kInvalidInput, "id 1000 of field 'x' of spec 1"));
  EXPECT_THAT(builder.RemoveSpecs({1, 0}),
              IsError(ErrorCode::kInvalidInput, "spec 0 is the default one"));
  EXPECT_THAT(builder.SetDefaultSpec(5), IsError(ErrorCode::kInvalidInput, "spec 5 is not in"));
  ASSERT_THAT(builder.RemoveSpecs({1}), IsOk());
  EXPECT_THAT(Finish(std::move(builder)).partition_specs, SizeIs(1));
}

TEST(MetadataBuilderTest, KeepsFieldIdsOfV1InSequence) {
  MetadataBuilder builder(EmptyTable(1), "f");
  ASSERT_THAT(builder.AddSpec({0, {PartitionBy(2, "at_day", TransformKind::kDay)}, {}}), IsOk());
  // The dropped field stays in its place as void.
  ASSERT_THAT(builder.AddSpec({0,
                               {PartitionBy(2, "at_day_1000", TransformKind::kVoid, 0, 1000),
                                PartitionBy(3, "name", TransformKind::kIdentity, 0, 1001)},
                               {}}),
              IsOk());
  EXPECT_THAT(builder.AddSpec({0, {PartitionBy(3, "n", TransformKind::kIdentity, 0, 1001)}, {}}),
              IsError(ErrorCode::kInvalidInput, "'n' has the id 1001, expected 1000"));
}

TEST(MetadataBuilderTest, NumbersSortOrdersFromOne) {
  MetadataBuilder builder(EmptyTable(), "f");
  ASSERT_THAT(builder.AddSortOrder(OrderBy(1)), IsOk());
  ASSERT_THAT(builder.SetDefaultSortOrder(-1), IsOk());
  ASSERT_THAT(builder.AddSortOrder(OrderBy(1, true)), IsOk());
  ASSERT_THAT(builder.AddSortOrder({}), IsOk());
  ASSERT_THAT(builder.AddSortOrder(OrderBy(1)), IsOk());
  EXPECT_THAT(builder.AddSortOrder(OrderBy(9)), IsError(ErrorCode::kInvalidInput));
  const TableMetadata table = Finish(std::move(builder));
  ASSERT_THAT(table.sort_orders, SizeIs(3));
  EXPECT_EQ(table.sort_orders[2].order_id, 2);
  EXPECT_EQ(table.default_sort_order_id, 1);
}

TEST(MetadataBuilderTest, UpgradesButNeverLowersTheVersion) {
  MetadataBuilder builder(Append(EmptyTable(), 1, At(5)), "f");
  EXPECT_THAT(builder.UpgradeFormatVersion(1),
              IsError(ErrorCode::kInvalidInput, "format version 2, which cannot be lowered to 1"));
  EXPECT_THAT(builder.UpgradeFormatVersion(4), IsError(ErrorCode::kUnsupported));
  ASSERT_THAT(builder.UpgradeFormatVersion(3), IsOk());
  const TableMetadata table = Finish(std::move(builder), At(6));
  EXPECT_EQ(table.format_version, 3);
  EXPECT_EQ(table.next_row_id, 0);
  EXPECT_FALSE(table.snapshots[0].first_row_id.has_value());
}

TEST(MetadataBuilderTest, AssignsAUuidOnce) {
  MetadataBuilder builder(EmptyTable(), "f");
  EXPECT_THAT(builder.AssignUuid("9C12D441-03fe-4693-9a96-a0705ddf69c1"), IsOk());
  EXPECT_FALSE(builder.has_changes());
  EXPECT_THAT(builder.AssignUuid("00000000-03fe-4693-9a96-a0705ddf69c1"),
              IsError(ErrorCode::kInvalidInput, "cannot become '00000000-"));
}

TEST(MetadataBuilderTest, SetsAndRemovesProperties) {
  MetadataBuilder builder(EmptyTable(), "f");
  ASSERT_THAT(builder.SetProperties({{"a", "1"}, {"b", "2"}}), IsOk());
  ASSERT_THAT(builder.RemoveProperties({"a", "gone"}), IsOk());
  EXPECT_THAT(builder.SetProperties({{"c", "3"}, {"format-version", "3"}}),
              IsError(ErrorCode::kInvalidInput, "'format-version' is reserved"));
  EXPECT_THAT(Finish(std::move(builder)).properties, ElementsAre(Pair("b", "2")));
}

TEST(MetadataBuilderTest, ReplacesStatisticsOfASnapshot) {
  const TableMetadata base = Append(EmptyTable(), 1, At(1));
  MetadataBuilder builder(base, "f");
  StatisticsFile statistics{.snapshot_id = 1, .path = "s3://t/a.stats"};
  ASSERT_THAT(builder.SetStatistics(statistics), IsOk());
  statistics.path = "s3://t/b.stats";
  ASSERT_THAT(builder.SetStatistics(statistics), IsOk());
  ASSERT_THAT(builder.SetPartitionStatistics({.snapshot_id = 1, .path = "p"}), IsOk());
  EXPECT_THAT(builder.SetStatistics({.snapshot_id = 7}),
              IsError(ErrorCode::kCommitConflict, "snapshot 7, which is not in the table"));
  const TableMetadata table = Finish(std::move(builder));
  EXPECT_THAT(table.statistics, ElementsAre(statistics));
  MetadataBuilder next(table, "f");
  ASSERT_THAT(next.RemoveStatistics(1), IsOk());
  ASSERT_THAT(next.RemovePartitionStatistics(1), IsOk());
  ASSERT_THAT(next.RemovePartitionStatistics(2), IsOk());
  const TableMetadata last = Finish(std::move(next));
  EXPECT_THAT(last.statistics, IsEmpty());
  EXPECT_THAT(last.partition_statistics, IsEmpty());
}

TEST(MetadataBuilderTest, KeepsOneEncryptionKeyPerId) {
  MetadataBuilder builder(EmptyTable(3), "f");
  ASSERT_THAT(builder.AddEncryptionKey({.key_id = "k", .encrypted_key_metadata = "a"}), IsOk());
  ASSERT_THAT(builder.AddEncryptionKey({.key_id = "k", .encrypted_key_metadata = "a"}), IsOk());
  EXPECT_THAT(builder.AddEncryptionKey({.key_id = "k", .encrypted_key_metadata = "b"}),
              IsError(ErrorCode::kInvalidInput, "another encryption key 'k'"));
  ASSERT_THAT(builder.AddEncryptionKey({.key_id = "l", .encrypted_key_metadata = "a"}), IsOk());
  ASSERT_THAT(builder.RemoveEncryptionKey("k"), IsOk());
  const TableMetadata table = Finish(std::move(builder));
  ASSERT_THAT(table.encryption_keys, SizeIs(1));
  EXPECT_EQ(table.encryption_keys[0].key_id, "l");
}

TEST(MetadataBuilderTest, KeepsUnknownFieldsThroughACommit) {
  TableMetadata base = EmptyTable();
  base.extra = {{"x", "[1e400]"}};
  const TableMetadata table = Append(base, 1, At(1));
  EXPECT_EQ(table.extra, base.extra);
  EXPECT_THAT(FormatTableMetadata(table), HasSubstr(R"("x":[1e400])"));
}

}  // namespace
}  // namespace firn
