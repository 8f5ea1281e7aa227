#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/scan/manifest_table.h"
#include "firn/scan/scan.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class PlanFilesTest : public testing::Test {
 protected:
  PlanFilesTest() {
    schema_ = std::make_shared<const Schema>(
        0, std::vector<NestedField>{
               {.id = 1, .name = "id", .type = Type::Primitive(TypeId::kInt)},
               {.id = 2, .name = "region", .type = Type::Primitive(TypeId::kString)},
               {.id = 3, .name = "a", .type = Type::Primitive(TypeId::kInt)}});
    unpartitioned_ = {.spec_id = 0};
    by_region_ = {.spec_id = 1,
                  .fields = {{.source_ids = {2}, .field_id = 1000, .name = "region"}}};
    by_a_ = {.spec_id = 2, .fields = {{.source_ids = {3}, .field_id = 1001, .name = "a"}}};
    by_id_ = {.spec_id = 3, .fields = {{.source_ids = {1}, .field_id = 1002, .name = "id"}}};
  }

  ManifestTable MakeTable(std::vector<PartitionSpec> specs, int format_version = 2) {
    return ManifestTable(*io_, schema_, std::move(specs), format_version);
  }

  // Data file -> its delete files.
  using Plan = std::map<std::string, std::vector<std::string>>;
  Result<Plan> PlanTable(const ManifestTable& table, const ScanOptions& options = {}) {
    Plan plan;
    FIRN_ASSIGN(statistics_, PlanFiles(*io_, table.metadata(), options, *executor_, {},
                                       [&](FileScanTask&& task) -> Status {
                                         std::vector<std::string>& deletes =
                                             plan[task.file.file_path];
                                         for (const DeleteFilePtr& file : task.deletes)
                                           deletes.push_back(file->file.file_path);
                                         return {};
                                       }));
    return plan;
  }

  ScanOptions WithFilter(std::string_view filter) {
    return {.schema = schema_, .filter = ParseExpression(filter).value()};
  }

  static Value Region(const std::string& region) { return Value(region); }

  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
  std::unique_ptr<Executor> executor_ = MakeThreadPool(2);
  SchemaPtr schema_;
  PartitionSpec unpartitioned_;
  PartitionSpec by_region_;
  PartitionSpec by_a_;
  PartitionSpec by_id_;
  ScanStatistics statistics_;
};

TEST_F(PlanFilesTest, FindsNothingInAnEmptyTable) {
  const ManifestTable table = MakeTable({unpartitioned_});
  EXPECT_THAT(PlanTable(table).value(), IsEmpty());
  EXPECT_EQ(CountFromMetadata(*io_, table.metadata(), {}, *executor_, {}).value(), 0);
}

TEST_F(PlanFilesTest, ReadsTheSnapshotAskedFor) {
  ManifestTable table = MakeTable({unpartitioned_});
  const SnapshotId first = table.CommitData({ManifestTable::Added("f1")});
  table.CommitData({ManifestTable::Added("f2")});
  EXPECT_EQ(PlanTable(table).value().size(), 2);
  EXPECT_EQ(PlanTable(table, {.snapshot_id = first}).value().size(), 1);
  EXPECT_THAT(PlanTable(table, {.snapshot_id = 99}),
              IsError(ErrorCode::kNotFound, "snapshot 99 not found among 2"));
}

TEST_F(PlanFilesTest, SkipsManifestsAndFilesThatCannotMatch) {
  ManifestTable table = MakeTable({by_region_});
  const auto with_ids = [](ManifestEntry entry, int32_t lower, int32_t upper) {
    const Type type = *Type::Primitive(TypeId::kInt);
    entry.file.metrics.value_counts = {{1, 10}};
    entry.file.metrics.null_value_counts = {{1, 0}};
    entry.file.metrics.lower_bounds = {{1, ToBoundBytes(lower, type).value()}};
    entry.file.metrics.upper_bounds = {{1, ToBoundBytes(upper, type).value()}};
    return entry;
  };
  table.CommitData({with_ids(ManifestTable::Added("eu1", {Region("eu")}), 1, 9),
                    with_ids(ManifestTable::Added("us1", {Region("us")}), 1, 9)},
                   1);
  table.CommitData({with_ids(ManifestTable::Added("eu2", {Region("eu")}), 20, 29)}, 1);
  table.CommitData({with_ids(ManifestTable::Added("asia", {Region("asia")}), 1, 9)}, 1);
  EXPECT_THAT(PlanTable(table, WithFilter("region = 'eu' and id < 10")).value(),
              ElementsAre(testing::Key("eu1")));
  EXPECT_EQ(statistics_.manifests_total, 3);
  EXPECT_EQ(statistics_.manifests_read, 2);
  EXPECT_EQ(statistics_.files_matched, 1);
  EXPECT_EQ(statistics_.files_skipped, 2);
}

TEST_F(PlanFilesTest, LeavesTheResidualOfEachFile) {
  ManifestTable table = MakeTable({by_region_});
  table.CommitData({ManifestTable::Added("eu", {Region("eu")})}, 1);
  const ScanOptions options = WithFilter("region = 'eu' and id < 10");
  const auto tasks = PlanAllFiles(*io_, table.metadata(), options, *executor_, {}).value();
  ASSERT_EQ(tasks.size(), 1);
  EXPECT_EQ(FormatExpression(*tasks[0].residual), "id < 10");
  ScanOptions without = options;
  without.with_residuals = false;
  EXPECT_EQ(FormatExpression(
                *PlanAllFiles(*io_, table.metadata(), without, *executor_, {}).value()[0].residual),
            "TRUE");
}

TEST_F(PlanFilesTest, KeepsMetricsOnRequestOnly) {
  ManifestTable table = MakeTable({unpartitioned_});
  ManifestEntry entry = ManifestTable::Added("f");
  entry.file.metrics.value_counts = {{1, 10}, {2, 10}};
  entry.file.metrics.column_sizes = {{1, 100}};
  table.CommitData({entry});
  ScanOptions options = WithFilter("id < 10");
  EXPECT_THAT(PlanAllFiles(*io_, table.metadata(), options, *executor_, {})
                  .value()[0]
                  .file.metrics.value_counts,
              IsEmpty());
  options.with_metrics = true;
  const auto tasks = PlanAllFiles(*io_, table.metadata(), options, *executor_, {}).value();
  EXPECT_EQ(tasks[0].file.metrics.value_counts.size(), 2);
  EXPECT_EQ(tasks[0].file.metrics.column_sizes.size(), 1);
}

TEST_F(PlanFilesTest, KeepsTheOrderOfManifestsOnRequest) {
  ManifestTable table = MakeTable({unpartitioned_});
  std::vector<std::string> expected;
  for (int manifest = 0; manifest < 8; ++manifest) {
    std::vector<ManifestEntry> entries;
    for (int file = 0; file < 40; ++file) {
      expected.push_back(std::to_string(manifest) + "/" + std::to_string(file));
      entries.push_back(ManifestTable::Added(expected.back()));
    }
    table.CommitData(std::move(entries));
  }
  const auto tasks = PlanAllFiles(*io_, table.metadata(), {}, *executor_, {}).value();
  std::vector<std::string> found;
  for (const FileScanTask& task : tasks)
    found.push_back(task.file.file_path);
  EXPECT_EQ(found, expected);
}

TEST_F(PlanFilesTest, EndsWithTheErrorOfTheVisitor) {
  ManifestTable table = MakeTable({unpartitioned_});
  for (int i = 0; i < 20; ++i)
    table.CommitData({ManifestTable::Added("f" + std::to_string(i))});
  int calls = 0;
  const auto result =
      PlanFiles(*io_, table.metadata(), {}, *executor_, {}, [&](FileScanTask&&) -> Status {
        if (++calls < 5) return {};
        return MakeError(ErrorCode::kResourceExhausted, "full");
      });
  EXPECT_THAT(result, IsError(ErrorCode::kResourceExhausted, "full"));
  EXPECT_EQ(calls, 5);
}

TEST_F(PlanFilesTest, StopsWhenCancelled) {
  ManifestTable table = MakeTable({unpartitioned_});
  for (int i = 0; i < 20; ++i)
    table.CommitData({ManifestTable::Added("f" + std::to_string(i))});
  CancelSource source;
  const auto result = PlanFiles(*io_, table.metadata(), {}, *executor_, source.token(),
                                [&](FileScanTask&&) -> Status {
                                  source.Cancel();
                                  return {};
                                });
  EXPECT_THAT(result, IsError(ErrorCode::kCancelled));
}

TEST_F(PlanFilesTest, RefusesAFileThatIsLiveTwice) {
  ManifestTable table = MakeTable({unpartitioned_});
  table.CommitData({ManifestTable::Added("f1"), ManifestTable::Added("f2")});
  table.CommitData({ManifestTable::Added("f1")});
  EXPECT_THAT(PlanTable(table), IsError(ErrorCode::kCorrupt, "data file 'f1' is live twice"));
  EXPECT_THAT(PlanAllFiles(*io_, table.metadata(), {}, *executor_, {}),
              IsError(ErrorCode::kCorrupt, "'f1' is live twice"));
  EXPECT_THAT(CountFromMetadata(*io_, table.metadata(), {}, *executor_, {}),
              IsError(ErrorCode::kCorrupt, "is live twice"));
}

TEST_F(PlanFilesTest, RefusesAManifestOfAnUnknownSpec) {
  ManifestTable table = MakeTable({unpartitioned_, by_region_});
  table.CommitData({ManifestTable::Added("f", {Region("eu")})}, 1);
  table.mutable_metadata().partition_specs.pop_back();
  EXPECT_THAT(PlanTable(table), IsError(ErrorCode::kCorrupt, "has partition spec 1"));
}

TEST_F(PlanFilesTest, AppliesPositionDeletesOfTheSameCommitButNoOlderOnes) {
  ManifestTable table = MakeTable({unpartitioned_});
  table.CommitData({ManifestTable::Added("old")});
  table.Commit({{.entries = {ManifestTable::Added("same")}},
                {ManifestContent::kDeletes, 0, {ManifestTable::PositionDelete("d")}}});
  table.CommitData({ManifestTable::Added("new")});
  EXPECT_EQ(PlanTable(table).value(), (Plan{{"old", {"d"}}, {"same", {"d"}}, {"new", {}}}));
}

// B38
TEST_F(PlanFilesTest, AppliesEqualityDeletesToOlderDataOnly) {
  ManifestTable table = MakeTable({unpartitioned_});
  table.CommitData({ManifestTable::Added("old")});
  table.Commit({{.entries = {ManifestTable::Added("same")}},
                {ManifestContent::kDeletes, 0, {ManifestTable::EqualityDelete("d", {1})}}});
  EXPECT_EQ(PlanTable(table).value(), (Plan{{"old", {"d"}}, {"same", {}}}));
}

// B38
TEST_F(PlanFilesTest, KeepsDeletesToTheirSpecEvenIfTuplesLookEqual) {
  ManifestTable table = MakeTable({by_a_, by_id_});
  table.CommitData({ManifestTable::Added("a3", {Value(int32_t{3})})}, 2);
  table.CommitData({ManifestTable::Added("id3", {Value(int32_t{3})})}, 3);
  table.CommitDeletes({ManifestTable::PositionDelete("pos", {Value(int32_t{3})}),
                       ManifestTable::EqualityDelete("eq", {1}, {Value(int32_t{3})})},
                      2);
  EXPECT_EQ(PlanTable(table).value(), (Plan{{"a3", {"pos", "eq"}}, {"id3", {}}}));
}

// B37
TEST_F(PlanFilesTest, KeepsEqualityDeletesToTheirPartition) {
  ManifestTable table = MakeTable({by_region_, by_a_});
  table.CommitData(
      {ManifestTable::Added("eu", {Region("eu")}), ManifestTable::Added("us", {Region("us")})}, 1);
  table.CommitDeletes({ManifestTable::EqualityDelete("d", {1}, {Region("eu")})}, 1);
  table.CommitData({ManifestTable::Added("newer", {Value(int32_t{1})})}, 2);
  EXPECT_EQ(PlanTable(table).value(), (Plan{{"eu", {"d"}}, {"us", {}}, {"newer", {}}}));
}

// B36
TEST_F(PlanFilesTest, AppliesEqualityDeletesOfUnpartitionedSpecsToAllPartitions) {
  PartitionSpec voided{.spec_id = 5,
                       .fields = {{.source_ids = {2},
                                   .field_id = 1003,
                                   .name = "void",
                                   .transform = {.kind = TransformKind::kVoid}}}};
  ManifestTable table = MakeTable({by_region_, unpartitioned_, voided});
  table.CommitData(
      {ManifestTable::Added("eu", {Region("eu")}), ManifestTable::Added("us", {Region("us")})}, 1);
  table.CommitDeletes({ManifestTable::EqualityDelete("global", {1})}, 0);
  table.CommitDeletes({ManifestTable::EqualityDelete("void", {1}, {Value()})}, 5);
  EXPECT_EQ(PlanTable(table).value(),
            (Plan{{"eu", {"global", "void"}}, {"us", {"global", "void"}}}));
  // A filter on the partition must not lose them.
  EXPECT_EQ(PlanTable(table, WithFilter("region = 'us'")).value(),
            (Plan{{"us", {"global", "void"}}}));
}

// B36: the constant unpartitioned spec has the id of the table's only, partitioned spec.
TEST_F(PlanFilesTest, TakesAPartitionedSpecZeroAsPartitioned) {
  PartitionSpec zero = by_region_;
  zero.spec_id = 0;
  ManifestTable table = MakeTable({zero});
  table.CommitData(
      {ManifestTable::Added("eu", {Region("eu")}), ManifestTable::Added("us", {Region("us")})});
  table.CommitDeletes({ManifestTable::EqualityDelete("d", {1}, {Region("eu")})});
  EXPECT_EQ(PlanTable(table).value(), (Plan{{"eu", {"d"}}, {"us", {}}}));
}

// B43
TEST_F(PlanFilesTest, KeepsPositionDeletesOfOnePathToThatPath) {
  const std::string prefix(80, 'p');
  ManifestTable table = MakeTable({unpartitioned_});
  table.CommitData({ManifestTable::Added(prefix + "A"), ManifestTable::Added(prefix + "B")});
  ManifestEntry by_bounds = ManifestTable::PositionDelete("bounds");
  by_bounds.file.metrics.lower_bounds = {{kDeleteFilePathFieldId, prefix + "B"}};
  by_bounds.file.metrics.upper_bounds = {{kDeleteFilePathFieldId, prefix + "B"}};
  ManifestEntry by_reference = ManifestTable::PositionDelete("reference");
  by_reference.file.referenced_data_file = prefix + "A";
  ManifestEntry of_many = ManifestTable::PositionDelete("many");
  of_many.file.metrics.lower_bounds = {{kDeleteFilePathFieldId, prefix + "A"}};
  of_many.file.metrics.upper_bounds = {{kDeleteFilePathFieldId, prefix + "B"}};
  table.CommitDeletes({by_bounds, by_reference, of_many});
  EXPECT_EQ(PlanTable(table).value(),
            (Plan{{prefix + "A", {"reference", "many"}}, {prefix + "B", {"bounds", "many"}}}));
}

TEST_F(PlanFilesTest, RefusesADeleteOfAFileInAnotherPartition) {
  ManifestTable table = MakeTable({by_region_});
  table.CommitData({ManifestTable::Added("eu", {Region("eu")})}, 1);
  ManifestEntry stray = ManifestTable::PositionDelete("stray", {Region("us")});
  stray.file.referenced_data_file = "eu";
  table.CommitDeletes({stray}, 1);
  EXPECT_THAT(PlanTable(table), IsError(ErrorCode::kCorrupt, "delete file 'stray' of data file"));
}

TEST_F(PlanFilesTest, SharesDeleteFilesAmongDataFiles) {
  ManifestTable table = MakeTable({unpartitioned_});
  table.CommitData({ManifestTable::Added("f1"), ManifestTable::Added("f2")});
  ManifestEntry entry = ManifestTable::EqualityDelete("d", {1, 2});
  entry.file.key_metadata = "key";
  entry.file.sort_order_id = 4;
  table.CommitDeletes({entry});
  const auto tasks = PlanAllFiles(*io_, table.metadata(), {}, *executor_, {}).value();
  ASSERT_EQ(tasks.size(), 2);
  ASSERT_EQ(tasks[0].deletes.size(), 1);
  EXPECT_EQ(tasks[0].deletes[0], tasks[1].deletes[0]);
  const DeleteFile& file = *tasks[0].deletes[0];
  EXPECT_EQ(file.sequence_number, 2);
  EXPECT_EQ(file.file.content, FileContent::kEqualityDeletes);
  EXPECT_THAT(file.file.equality_ids, ElementsAre(1, 2));
  EXPECT_EQ(file.file.key_metadata, "key");
  EXPECT_EQ(file.file.sort_order_id, 4);
  EXPECT_EQ(file.file.record_count, 2);
  EXPECT_EQ(file.file.file_size_in_bytes, 1000);
}

TEST_F(PlanFilesTest, TakesADeletionVectorInsteadOfPositionDeletes) {
  ManifestTable table = MakeTable({unpartitioned_}, 3);
  table.CommitData({ManifestTable::Added("f1"), ManifestTable::Added("f2")});
  ManifestEntry file_scoped = ManifestTable::PositionDelete("old");
  file_scoped.file.referenced_data_file = "f1";
  table.CommitDeletes({file_scoped, ManifestTable::PositionDelete("wide"),
                       ManifestTable::DeletionVector("dv", "f1")});
  EXPECT_EQ(PlanTable(table).value(), (Plan{{"f1", {"dv"}}, {"f2", {"wide"}}}));
}

TEST_F(PlanFilesTest, RefusesTwoDeletionVectorsForAFile) {
  ManifestTable table = MakeTable({unpartitioned_}, 3);
  table.CommitData({ManifestTable::Added("f1")});
  table.CommitDeletes({ManifestTable::DeletionVector("dv1", "f1")});
  table.CommitDeletes({ManifestTable::DeletionVector("dv2", "f1")});
  EXPECT_THAT(PlanTable(table), IsError(ErrorCode::kCorrupt,
                                        "data file 'f1' has two deletion vectors, in 'dv1' and"));
}

TEST_F(PlanFilesTest, RefusesADeletionVectorOlderThanItsFile) {
  ManifestTable table = MakeTable({unpartitioned_}, 3);
  table.CommitData({ManifestTable::Added("other")});
  table.CommitDeletes({ManifestTable::DeletionVector("dv", "f1")});
  table.CommitData({ManifestTable::Added("f1")});
  EXPECT_THAT(PlanTable(table), IsError(ErrorCode::kCorrupt, "deletion vector in 'dv' has"));
}

TEST_F(PlanFilesTest, RefusesADeletionVectorOfAnotherPartition) {
  ManifestTable table = MakeTable({by_region_}, 3);
  table.CommitData({ManifestTable::Added("f1", {Region("eu")})}, 1);
  table.CommitDeletes({ManifestTable::DeletionVector("dv", "f1", {Region("us")})}, 1);
  EXPECT_THAT(PlanTable(table), IsError(ErrorCode::kCorrupt, "delete file 'dv' of data file 'f1'"));
}

// What a file says of column 1: nulls among 10 values, and bounds.
ManifestEntry WithColumn(ManifestEntry entry, int64_t nulls, Value lower, Value upper) {
  const Type type = *Type::Primitive(TypeId::kInt);
  entry.file.metrics.value_counts = {{1, 10}};
  entry.file.metrics.null_value_counts = {{1, nulls}};
  if (!lower.is_null()) {
    entry.file.metrics.lower_bounds = {{1, ToBoundBytes(lower, type).value()}};
    entry.file.metrics.upper_bounds = {{1, ToBoundBytes(upper, type).value()}};
  }
  return entry;
}

TEST_F(PlanFilesTest, LeavesOutEqualityDeletesThatShareNoRow) {
  ManifestTable table = MakeTable({unpartitioned_});
  const Value one(int32_t{1});
  const Value nine(int32_t{9});
  const Value fifty(int32_t{50});
  table.CommitData({WithColumn(ManifestTable::Added("low"), 0, one, nine),
                    WithColumn(ManifestTable::Added("low_and_null"), 2, one, nine),
                    WithColumn(ManifestTable::Added("only_null"), 10, {}, {}),
                    ManifestTable::Added("unknown")});
  table.CommitDeletes({
      WithColumn(ManifestTable::EqualityDelete("d50", {1}), 0, fifty, fifty),
      WithColumn(ManifestTable::EqualityDelete("d9", {1}), 0, nine, fifty),
      WithColumn(ManifestTable::EqualityDelete("dnull", {1}), 10, {}, {}),
      WithColumn(ManifestTable::EqualityDelete("d50_and_null", {1}), 1, fifty, fifty),
  });
  EXPECT_EQ(PlanTable(table).value(), (Plan{{"low", {"d9"}},
                                            {"low_and_null", {"d9", "dnull", "d50_and_null"}},
                                            {"only_null", {"dnull", "d50_and_null"}},
                                            {"unknown", {"d50", "d9", "dnull", "d50_and_null"}}}));
}

TEST_F(PlanFilesTest, CountsFromMetadataWhereThatIsExact) {
  ManifestTable table = MakeTable({by_region_}, 3);
  table.CommitData({WithColumn(ManifestTable::Added("f1", {Region("eu")}), 0, Value(int32_t{1}),
                               Value(int32_t{9})),
                    WithColumn(ManifestTable::Added("f2", {Region("us")}), 0, Value(int32_t{20}),
                               Value(int32_t{29}))},
                   1);
  const auto count = [&](const ScanOptions& options) {
    return CountFromMetadata(*io_, table.metadata(), options, *executor_, {}).value();
  };
  EXPECT_EQ(count({}), 20);
  EXPECT_EQ(count(WithFilter("region = 'eu'")), 10);
  EXPECT_EQ(count(WithFilter("id < 10")), 10);
  EXPECT_EQ(count(WithFilter("id < 5")), std::nullopt);
  EXPECT_EQ(count(WithFilter("id > 100")), 0);
  EXPECT_EQ(count(WithFilter("false")), 0);
  table.CommitDeletes({ManifestTable::DeletionVector("dv", "f1", {Region("eu")})}, 1);
  EXPECT_EQ(count({}), 18);
  EXPECT_EQ(count(WithFilter("id < 10")), 8);
  table.CommitDeletes({ManifestTable::PositionDelete("pos", {Region("us")})}, 1);
  EXPECT_EQ(count({}), std::nullopt);
  EXPECT_EQ(count(WithFilter("region = 'eu'")), 8);
}

TEST_F(PlanFilesTest, ReadsVersion1Tables) {
  ManifestTable table = MakeTable({unpartitioned_}, 1);
  table.CommitData({ManifestTable::Added("f1")});
  table.CommitData({ManifestTable::Added("f2")});
  const auto tasks = PlanAllFiles(*io_, table.metadata(), {}, *executor_, {}).value();
  ASSERT_EQ(tasks.size(), 2);
  EXPECT_EQ(tasks[0].sequence_number, 0);
  EXPECT_EQ(CountFromMetadata(*io_, table.metadata(), {}, *executor_, {}).value(), 20);
}

// B76
TEST_F(PlanFilesTest, ReadsBranchesWithTheCurrentSchemaAndAllElseWithTheSnapshots) {
  ManifestTable table = MakeTable({unpartitioned_});
  const SnapshotId first = table.CommitData({ManifestTable::Added("f1")});
  TableMetadata& metadata = table.mutable_metadata();
  metadata.schemas.push_back(std::make_shared<const Schema>(
      1, std::vector<NestedField>{{.id = 4, .name = "n", .type = Type::Primitive(TypeId::kInt)}}));
  metadata.current_schema_id = 1;
  metadata.refs["b1"] = {.snapshot_id = first};
  metadata.refs["g1"] = {.snapshot_id = first, .type = RefType::kTag};
  const auto schema_id = [&](const SnapshotSelector& selector) {
    return ResolveSnapshot(metadata, selector).value().schema->schema_id();
  };
  EXPECT_EQ(schema_id({}), 1);
  EXPECT_EQ(schema_id({.ref = "b1"}), 1);
  EXPECT_EQ(schema_id({.ref = "g1"}), 0);
  EXPECT_EQ(schema_id({.snapshot_id = first}), 0);
  EXPECT_EQ(schema_id({.as_of = metadata.snapshots[0].timestamp}), 0);
  EXPECT_THAT(ResolveSnapshot(metadata, {.ref = "x"}),
              IsError(ErrorCode::kNotFound, "ref 'x' not found; branches and tags: b1, g1, main"));
  EXPECT_THAT(ResolveSnapshot(metadata, {.snapshot_id = 77}), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(ResolveSnapshot(metadata, {.snapshot_id = first, .ref = "b1"}),
              IsError(ErrorCode::kInvalidInput, "expected at most one"));
  EXPECT_THAT(ResolveSnapshot(metadata, {.as_of = Timestamp{}}), IsError(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace firn
