#include <ctime>

#include <gmock/gmock.h>

#include "firn/commit/commit.h"
#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

/// A table with so many snapshots, all of the same files, added in one commit.
void AddSnapshots(TestTable& table, int64_t count) {
  const Snapshot first = table.Add({table.MakeDataFile("first")});
  std::vector<TableUpdate> updates;
  for (int64_t i = 1; i < count; ++i) {
    Snapshot snapshot = first;
    snapshot.snapshot_id = first.snapshot_id + i;
    snapshot.sequence_number = first.sequence_number + i;
    snapshot.parent_snapshot_id = first.snapshot_id;
    updates.emplace_back(AddSnapshot{snapshot});
  }
  ASSERT_THAT(table.catalog().Commit(table.name(), {}, updates), IsOk());
}

/// Processor seconds that it takes to append so many files to a table of so many snapshots.
double CostOfAppend(int64_t files, int64_t snapshots) {
  TestTable table;
  AddSnapshots(table, snapshots);
  AppendFilesRequest request;
  const DataFile model = table.MakeDataFile("f");
  for (int64_t i = 0; i < files; ++i) {
    request.data_files.push_back(model);
    request.data_files.back().file_path = fmt::format("{}-{}", model.file_path, i);
  }
  const Table planned = table.Load();
  const std::clock_t began = std::clock();
  const auto result = CommitAppendFiles(table.context(), planned, request);
  const std::clock_t ended = std::clock();
  EXPECT_THAT(result, IsOk());
  const Table after = table.Load();
  EXPECT_EQ(after.metadata->snapshots.size(), static_cast<size_t>(snapshots) + 1);
  EXPECT_EQ(after.metadata->current_snapshot()->summary.Find("added-data-files"),
            std::to_string(files));
  return static_cast<double>(ended - began) / CLOCKS_PER_SEC;
}

// B131: work for each file must not grow with the table or with the number of files. Were the
// metadata copied for each file, a thousand snapshots would cost hundreds of times as much as one,
// and were the files looked at pair by pair, eight times as many would cost 64 times as much; the
// limits tell that from any noise.
TEST(LargeAppendTest, CostsTheSameForEachFileHoweverManyFilesAndSnapshotsThereAre) {
  const double few = CostOfAppend(12'500, 1'000);
  const double many = CostOfAppend(100'000, 1'000);
  const double many_alone = CostOfAppend(100'000, 1);
  RecordProperty("seconds_12500", std::to_string(few));
  RecordProperty("seconds_100000", std::to_string(many));
  EXPECT_LT(many, 24 * few + 0.1);
  EXPECT_LT(many, 6 * many_alone + 0.1);
}

}  // namespace
}  // namespace firn
