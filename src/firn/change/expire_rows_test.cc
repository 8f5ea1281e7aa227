#include "firn/change/expire_rows.h"

#include <chrono>

#include <gtest/gtest.h>

namespace firn {
namespace {

using std::chrono::days;

constexpr Timestamp kDay0 = Timestamp(days(20000));

struct Past {
  std::string operation;
  Summary summary;
};

/// A table whose snapshot `i` came on day `i`.
std::optional<Timestamp> LastIngestOf(const std::vector<Past>& past, size_t expired = 0) {
  TableMetadata metadata;
  for (size_t i = expired; i < past.size(); ++i) {
    Snapshot& snapshot = metadata.snapshots.emplace_back();
    snapshot.snapshot_id = static_cast<SnapshotId>(i) + 1;
    if (i > 0) snapshot.parent_snapshot_id = static_cast<SnapshotId>(i);
    snapshot.timestamp = kDay0 + days(i);
    snapshot.operation = past[i].operation;
    snapshot.summary = past[i].summary;
  }
  const Snapshot head = metadata.snapshots.back();
  return FindLastIngest(metadata, &head);
}

// B13
TEST(LastIngestTest, IsNotADeletionNorARewrite) {
  EXPECT_EQ(LastIngestOf({{"append", {}}, {"delete", {}}, {"replace", {}}}), kDay0);
  EXPECT_EQ(LastIngestOf({{"append", {}},
                          {"append", {}},
                          {"overwrite", {{"added-records", "8"}, {"deleted-records", "9"}}}}),
            kDay0 + days(1));
  EXPECT_EQ(
      LastIngestOf({{"append", {}},
                    {"overwrite", {{"added-records", "2"}, {"added-position-deletes", "2"}}}}),
      kDay0);
  EXPECT_EQ(LastIngestOf({{"append", {}},
                          {"overwrite", {{"added-records", "9"}, {"deleted-records", "8"}}}}),
            kDay0 + days(1));
  EXPECT_EQ(LastIngestOf({{"append", {}}, {"append", {{"total-records", "9"}}}}), kDay0);
}

// B13
TEST(LastIngestTest, IsKnownAfterItsSnapshotHasExpired) {
  const std::string noted = std::to_string(kDay0.time_since_epoch().count());
  const std::vector<Past> past = {
      {"append", {}}, {"delete", {{"firn.last-ingest-ms", noted}}}, {"replace", {}}};
  EXPECT_EQ(LastIngestOf(past, 1), kDay0);
  EXPECT_EQ(LastIngestOf(past, 2), std::nullopt);
}

}  // namespace
}  // namespace firn
