#include "firn/maintain/statistics/compute_partition_stats.h"

#include <utility>

#include "firn/data/value_file.h"
#include "firn/maintain/maintenance_testing_internal.h"
#include "firn/maintain/statistics/partition_totals_internal.h"

namespace firn {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;

class ComputePartitionStatsTest : public MaintenanceTest {
 protected:
  void OpenPartitioned(int format_version = 2) {
    Open({.format_version = format_version, .is_partitioned = true});
  }
  DataFile Data(const std::string& name, int64_t records, const std::string& partition) {
    return table().MakeDataFile(name, records, partition);
  }
  PartitionStatisticsFile MustCompute(std::optional<SnapshotId> id = {}) {
    const auto file = ComputePartitionStats(context(), table().Load(), id);
    EXPECT_THAT(file, IsOk());
    return file.ok() && *file ? **file : PartitionStatisticsFile();
  }
  std::vector<StructValue> ReadRows(const PartitionStatisticsFile& file) {
    const Table loaded = table().Load();
    const ReadContext read{.io = loaded.io,
                           .metadata = loaded.metadata,
                           .executor = &table().executor(),
                           .budget = &budget_};
    std::vector<StructValue> rows;
    EXPECT_THAT(ReadValueFile(read, file.path, file.file_size_in_bytes,
                              PartitionStatisticsSchema(*loaded.metadata),
                              [&](StructValue&& row) -> Status {
                                rows.push_back(std::move(row));
                                return {};
                              }),
                IsOk());
    return rows;
  }
  /// "partition: records/files, position deletes/files, equality deletes/files".
  std::vector<std::string> Read(const PartitionStatisticsFile& file) {
    std::vector<std::string> lines;
    for (const StructValue& row : ReadRows(file)) {
      const auto& fields = row.fields;
      const Value& partition = fields[0].as_struct().fields[0];
      lines.push_back(fmt::format(
          "{}: {}/{}, {}/{}, {}/{}", partition.is_null() ? "null" : partition.get<std::string>(),
          fields[2].get<int64_t>(), fields[3].get<int32_t>(), fields[5].get<int64_t>(),
          fields[6].get<int32_t>(), fields[7].get<int64_t>(), fields[8].get<int32_t>()));
    }
    return lines;
  }
  void Forget(const PartitionStatisticsFile& file) {
    Commit({RemovePartitionStatistics{file.snapshot_id}});
  }
};

TEST_F(ComputePartitionStatsTest, SumsUpTheLiveFilesOfEachPartitionInOrder) {
  OpenPartitioned();
  const DataFile b = Data("b", 5, "b");
  table().Add({b, Data("a1", 1, "a")});
  table().Add({Data("a2", 2, "a"), table().MakePositionDeletes("d", b)});
  const Snapshot last = table().Add({table().MakeEqualityDeletes("e", "a")});

  const auto file = MustCompute();

  EXPECT_EQ(file.snapshot_id, last.snapshot_id);
  EXPECT_THAT(table().Load().metadata->partition_statistics, ElementsAre(file));
  const std::string records = std::to_string(table().MakePositionDeletes("d", b).record_count);
  const std::string keys = std::to_string(table().MakeEqualityDeletes("e", "a").record_count);
  EXPECT_THAT(Read(file),
              ElementsAre("a: 3/2, 0/0, " + keys + "/1", "b: 5/1, " + records + "/1, 0/0"));
}

TEST_F(ComputePartitionStatsTest, TellsWhichSnapshotChangedAPartitionLast) {
  OpenPartitioned();
  const Snapshot first = table().Add({Data("a", 1, "a"), Data("b", 1, "b")});
  table().clock().Advance(hours(1));
  const Snapshot second = table().Add({Data("b2", 1, "b")});

  const auto rows = ReadRows(MustCompute());

  ASSERT_EQ(rows.size(), 2U);
  const auto update_of = [&](size_t row) {
    return std::pair(rows[row].fields[10].get<int64_t>(), rows[row].fields[11].get<int64_t>());
  };
  EXPECT_EQ(update_of(0), std::pair(first.timestamp.time_since_epoch().count(), first.snapshot_id));
  EXPECT_EQ(update_of(1),
            std::pair(second.timestamp.time_since_epoch().count(), second.snapshot_id));
}

TEST_F(ComputePartitionStatsTest, TakesUpTheStatisticsOfAnAncestor) {
  OpenPartitioned();
  const DataFile gone = Data("b", 5, "b");
  table().Add({gone, Data("a", 1, "a")});
  const auto base = MustCompute();
  table().Add({Data("a2", 2, "a"), table().MakePositionDeletes("d", gone)});
  table().Remove(gone.file_path);
  const Snapshot last = table().Add({Data("c", 7, "c")});

  const auto file = MustCompute();

  EXPECT_EQ(file.snapshot_id, last.snapshot_id);
  const std::string records = std::to_string(table().MakePositionDeletes("d", gone).record_count);
  EXPECT_THAT(Read(file), ElementsAre("a: 3/2, 0/0, 0/0", "b: 0/0, " + records + "/1, 0/0",
                                      "c: 7/1, 0/0, 0/0"));
  // The same as summed up anew, but for what became of empty partitions.
  Forget(file);
  Forget(base);
  EXPECT_EQ(Read(MustCompute()), Read(file));
}

TEST_F(ComputePartitionStatsTest, SumsUpAnewIfTheOlderFileCannotBeRead) {
  OpenPartitioned();
  table().Add({Data("a", 1, "a")});
  const auto base = MustCompute();
  ASSERT_THAT(WriteFile(table().io(), base.path, AsBytes("no Parquet file at all, but long")),
              IsOk());
  table().Add({Data("b", 2, "b")});
  EXPECT_THAT(Read(MustCompute()), ElementsAre("a: 1/1, 0/0, 0/0", "b: 2/1, 0/0, 0/0"));
}

TEST_F(ComputePartitionStatsTest, ReturnsWhatTheSnapshotHas) {
  OpenPartitioned();
  const Snapshot first = table().Add({Data("a", 1, "a")});
  table().Add({Data("b", 2, "b")});
  const auto old = MustCompute(first.snapshot_id);
  EXPECT_THAT(Read(old), ElementsAre("a: 1/1, 0/0, 0/0"));
  EXPECT_EQ(MustCompute(first.snapshot_id), old);
  EXPECT_THAT(table().Load().metadata->partition_statistics, ElementsAre(old));
}

TEST_F(ComputePartitionStatsTest, CountsDeletionVectorsApart) {
  OpenPartitioned(3);
  const DataFile data = Data("a", 10, "a");
  table().Add({data});
  const auto base = MustCompute();
  table().Add({table().MakeDeletionVector("v.puffin", data, 4, 3)});
  for (const bool is_whole : {false, true}) {
    const auto file = MustCompute();
    EXPECT_THAT(Read(file), ElementsAre("a: 10/1, 3/0, 0/0"));
    EXPECT_EQ(ReadRows(file).front().fields[12], Value(1));
    Forget(file);
    if (!is_whole) Forget(base);
  }
}

TEST_F(ComputePartitionStatsTest, RefusesATableWithoutPartitionsAndASnapshotThatIsNotThere) {
  table().Add({table().MakeDataFile("a")});
  EXPECT_THAT(ComputePartitionStats(context(), table().Load(), {}),
              IsError(ErrorCode::kInvalidInput, "not partitioned"));
  OpenPartitioned();
  EXPECT_THAT(ComputePartitionStats(context(), table().Load(), {}), IsOk());
  EXPECT_THAT(ComputePartitionStats(context(), table().Load(), 7),
              IsError(ErrorCode::kNotFound, "snapshot_id is 7"));
}

}  // namespace
}  // namespace firn
