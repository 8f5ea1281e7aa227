#include "firn/maintain/cycle/step_cost.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

FileScanTask Task(int64_t records, int64_t bytes, std::vector<DeleteFilePtr> deletes = {}) {
  FileScanTask task;
  task.file.file_path = "f" + std::to_string(bytes);
  task.file.record_count = records;
  task.file.file_size_in_bytes = bytes;
  task.deletes = std::move(deletes);
  return task;
}

DeleteFilePtr Deletes(int64_t records, int64_t bytes, const std::string& of) {
  auto file = std::make_shared<DeleteFile>();
  file->file.content = FileContent::kPositionDeletes;
  file->file.file_path = "d" + std::to_string(bytes);
  file->file.record_count = records;
  file->file.file_size_in_bytes = bytes;
  if (!of.empty()) file->file.referenced_data_file = of;
  return file;
}

ManifestFile Manifest(int64_t bytes) {
  ManifestFile manifest;
  manifest.manifest_length = bytes;
  return manifest;
}

TEST(StepCostTest, OfCompactionIsWhatIsReadAndWhatIsLeft) {
  const DeleteFilePtr shared = Deletes(7, 30, "");
  FileGroup group;
  group.inputs = {Task(100, 1000, {Deletes(25, 40, "f1000"), shared}), Task(10, 500, {shared})};
  group.expected_outputs = 2;
  const IoTotals totals = EstimateCompaction({&group}, {Manifest(60)});
  EXPECT_EQ(totals.bytes_read, 1000 + 500 + 40 + 30 + 4 * 60);
  EXPECT_EQ(totals.bytes_written, 750 + 500 + 2 * 150 + (18 << 10));
  EXPECT_GT(totals.requests, 4);
}

TEST(StepCostTest, OfManifestsIsTheirBytesForEachPass) {
  const IoTotals totals = EstimateManifests({Manifest(60), Manifest(40)}, 30, 2);
  EXPECT_EQ(totals.bytes_read, 200);
  EXPECT_EQ(totals.bytes_written, 30);
  EXPECT_EQ(totals.requests, 8);
}

TEST(StepCostTest, OfRewrittenManifestsIsWhatTheirLiveEntriesTake) {
  const auto manifest = [](int64_t bytes, int32_t live, int32_t deleted) {
    ManifestFile file = Manifest(bytes);
    file.added_files_count = live;
    file.deleted_files_count = deleted;
    return file;
  };
  EXPECT_EQ(EstimateRewrittenManifests({}), 0);
  // One header of 3,000 bytes and a list.
  EXPECT_EQ(EstimateRewrittenManifests({manifest(3150, 1, 0), manifest(3300, 2, 0)}),
            2048 + 3000 + 3 * 150);
  EXPECT_EQ(EstimateRewrittenManifests({manifest(3150, 0, 1), manifest(5000, 4, 4)}),
            2048 + 3000 + 1000);
}

TEST(StepCostTest, HasDollarsOnlyIfThereIsAPrice) {
  CostRates rates{.bytes_per_second = 1000};
  const IoTotals totals{.requests = 500, .bytes_read = 1 << 30, .bytes_written = 1 << 30};
  EXPECT_FALSE(MakeStepCost(totals, {}, rates).dollars.has_value());
  EXPECT_DOUBLE_EQ(MakeStepCost(totals, {}, rates).seconds, 2.0 * (1 << 30) / 1000);
  EXPECT_DOUBLE_EQ(MakeStepCost(totals, 3.0, rates).seconds, 3);
  rates.dollars_per_gib = 0.5;
  rates.dollars_per_thousand_requests = 2;
  rates.dollars_per_hour = 3600;
  EXPECT_DOUBLE_EQ(*MakeStepCost(totals, 3.0, rates).dollars, 2 * 0.5 + 0.5 * 2 + 3);
}

}  // namespace
}  // namespace firn
