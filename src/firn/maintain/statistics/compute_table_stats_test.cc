#include "firn/maintain/statistics/compute_table_stats.h"

#include <utility>

#include "firn/data/data.h"
#include "firn/format/puffin/puffin.h"
#include "firn/format/puffin/theta_sketch.h"
#include "firn/maintain/maintenance_testing_internal.h"
#include "firn/testing/scripted_catalog.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class ComputeTableStatsTest : public MaintenanceTest {
 protected:
  DataFile Write(const std::vector<std::pair<int64_t, std::string>>& rows) {
    const Table loaded = table().Load();
    std::vector<StructValue> values;
    for (const auto& [id, category] : rows)
      values.push_back({{Value(id), Value(category)}});
    const WriteContext write{.io = loaded.io,
                             .metadata = loaded.metadata,
                             .executor = &table().executor(),
                             .budget = &budget_,
                             .random = &table().random()};
    const SchemaPtr schema = loaded.metadata->current_schema();
    auto stream = MakeRowStream(schema->as_struct(), std::move(values));
    auto files = WriteDataFiles(write, {.schema = schema, .spec = loaded.metadata->default_spec()},
                                *std::move(stream));
    EXPECT_THAT(files, IsOkAnd(SizeIs(1)));
    return files->front();
  }

  Result<std::optional<StatisticsFile>> Compute(const ComputeTableStatsOptions& options = {}) {
    return ComputeTableStats(context(), table().Load(), options);
  }

  /// What the blobs of a file say: field and `ndv`.
  std::vector<std::pair<int32_t, std::string>> CountsOf(const StatisticsFile& file) {
    std::vector<std::pair<int32_t, std::string>> counts;
    const auto input = table().io().Open(file.path, file.file_size_in_bytes);
    const auto footer = ReadPuffinFooter(**input);
    EXPECT_THAT(footer, IsOk());
    EXPECT_EQ(footer->footer_size, file.file_footer_size_in_bytes);
    for (size_t i = 0; i < footer->blobs.size(); ++i) {
      const PuffinBlob& blob = footer->blobs[i];
      EXPECT_EQ(blob.metadata, file.blobs[i]);
      const auto content = ReadPuffinBlob(**input, blob);
      const auto sketch = ThetaSketch::Parse(content->span());
      EXPECT_THAT(sketch, IsOk());
      const std::string& ndv = blob.metadata.properties.front().second;
      EXPECT_EQ(std::to_string(sketch->DistinctCount()), ndv);
      counts.emplace_back(blob.metadata.fields.front(), ndv);
    }
    return counts;
  }

  std::vector<std::string> StatisticsNames() {
    std::vector<std::string> names;
    for (const std::string& uri : table().AllFiles()) {
      if (uri.ends_with(".stats")) names.push_back(uri);
    }
    return names;
  }
};

TEST_F(ComputeTableStatsTest, RegistersTheCountsOfAllColumnsWithTheCurrentSnapshot) {
  const Snapshot snapshot =
      (table().Add({Write({{1, "a"}, {2, "b"}})}), table().Add({Write({{2, "a"}, {3, "b"}})}));

  const auto file = Compute();

  ASSERT_THAT(file, IsOk());
  ASSERT_TRUE(file->has_value());
  EXPECT_EQ((*file)->snapshot_id, snapshot.snapshot_id);
  EXPECT_THAT(CountsOf(**file), ElementsAre(Pair(1, "3"), Pair(2, "2")));
  EXPECT_EQ((*file)->blobs[0].sequence_number, snapshot.sequence_number);
  EXPECT_THAT(table().Load().metadata->statistics, ElementsAre(**file));
}

TEST_F(ComputeTableStatsTest, CountsOnlyTheColumnsAndTheSnapshotAskedFor) {
  const Snapshot first = table().Add({Write({{1, "a"}, {2, "a"}})});
  const Snapshot second = table().Add({Write({{3, "b"}})});

  const auto old = Compute({.snapshot_id = first.snapshot_id, .columns = {"cat", "cat"}});
  const auto current = Compute({.columns = {"id"}});

  ASSERT_THAT(old, IsOk());
  ASSERT_THAT(current, IsOk());
  EXPECT_THAT(CountsOf(**old), ElementsAre(Pair(2, "1")));
  EXPECT_THAT(CountsOf(**current), ElementsAre(Pair(1, "3")));
  EXPECT_THAT(table().Load().metadata->statistics, ElementsAre(**old, **current));
  const auto again = Compute();
  ASSERT_THAT(again, IsOk());
  EXPECT_THAT(table().Load().metadata->statistics, ElementsAre(**old, **again));
  EXPECT_EQ((*again)->snapshot_id, second.snapshot_id);
}

TEST_F(ComputeTableStatsTest, DoesNothingToATableWithoutSnapshot) {
  const auto file = Compute();
  ASSERT_THAT(file, IsOk());
  EXPECT_FALSE(file->has_value());
}

TEST_F(ComputeTableStatsTest, RefusesColumnsAndSnapshotsThatAreNotThere) {
  table().Add({Write({{1, "a"}})});
  EXPECT_THAT(
      Compute({.columns = {"nope"}}),
      IsError(ErrorCode::kInvalidInput, "there is no column 'nope'; the columns are id, cat"));
  EXPECT_THAT(Compute({.snapshot_id = 5}), IsError(ErrorCode::kNotFound, "snapshot_id is 5"));
  EXPECT_THAT(StatisticsNames(), IsEmpty());
}

// B67
TEST_F(ComputeTableStatsTest, OfWhichTheFileCannotBeWrittenChangesNoRowAndCanBeTriedAgain) {
  table().Add({Write({{1, "a"}, {2, "b"}, {3, "c"}})});
  const TableMetadataPtr before = table().Load().metadata;
  table().io().Add({.operation = FileOperation::kPublish, .uri_part = ".stats"});

  EXPECT_THAT(Compute(), IsError(ErrorCode::kUnavailable));

  EXPECT_EQ(table().Load().metadata->snapshots, before->snapshots);
  EXPECT_THAT(StatisticsNames(), IsEmpty());
  EXPECT_THAT(Compute(), IsOk());
  EXPECT_EQ(table().Load().metadata->snapshots, before->snapshots);
  EXPECT_THAT(StatisticsNames(), SizeIs(1));
}

TEST_F(ComputeTableStatsTest, KeepsTheFileOnlyIfItMayBeRegistered) {
  table().Add({Write({{1, "a"}})});
  ScriptedCatalog catalog(table().catalog());
  MaintainContext scripted = context();
  scripted.commit.catalog = &catalog;

  catalog.lost_answer = Error(ErrorCode::kPermissionDenied, "no");
  catalog.lost_commit_happens = false;
  EXPECT_THAT(ComputeTableStats(scripted, table().Load(), {}),
              IsError(ErrorCode::kPermissionDenied));
  EXPECT_THAT(StatisticsNames(), IsEmpty());

  catalog.lost_answer = Error(ErrorCode::kCommitUnknown, "lost");
  catalog.lost_commit_happens = true;
  EXPECT_THAT(ComputeTableStats(scripted, table().Load(), {}), IsError(ErrorCode::kCommitUnknown));
  EXPECT_THAT(StatisticsNames(), SizeIs(1));
}

// The statistics go to the snapshot that they were made of, or nowhere.
TEST_F(ComputeTableStatsTest, FindsThatTheSnapshotHasExpiredMeanwhile) {
  const Snapshot first = table().Add({Write({{1, "a"}})});
  table().Add({Write({{2, "b"}})});
  const Table planned = table().Load();
  Commit({RemoveSnapshots{{first.snapshot_id}}});
  EXPECT_THAT(ComputeTableStats(context(), planned, {.snapshot_id = first.snapshot_id}),
              IsError(ErrorCode::kNotFound, "may have expired"));
  EXPECT_THAT(StatisticsNames(), IsEmpty());
}

}  // namespace
}  // namespace firn
