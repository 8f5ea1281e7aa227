#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "firn/base/bytes.h"
#include "firn/io/uri.h"
#include "firn/maintain/maintain_context.h"
#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

namespace firn {

/// Tests of what deletes files: the files of the table exist, though nothing is in them.
class MaintenanceTest : public testing::Test {
 protected:
  void Open(const TestTableOptions& options) { table_ = std::make_unique<TestTable>(options); }
  TestTable& table() {
    if (table_ == nullptr) Open({});
    return *table_;
  }

  MaintainContext context() {
    MaintainContext context;
    context.commit = table().context();
    context.budget = &budget_;
    return context;
  }

  /// Make the file, and hand it on.
  DataFile Put(const DataFile& file) {
    EXPECT_THAT(WriteFile(table().io(), file.file_path, AsBytes("x")), IsOk());
    return file;
  }
  DataFile Data(const std::string& name) { return Put(table().MakeDataFile(name)); }

  void Commit(const std::vector<TableUpdate>& updates) {
    ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  }

  /// Names of the files in the table's data folder, sorted.
  std::vector<std::string> DataNames() {
    std::vector<std::string> names;
    for (const std::string& uri : table().AllFiles()) {
      if (uri.find("/data/") != std::string::npos) names.emplace_back(UriFileName(uri));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<SnapshotId> SnapshotIds() {
    std::vector<SnapshotId> ids;
    const Table loaded = table().Load();
    for (const Snapshot& snapshot : loaded.metadata->snapshots)
      ids.push_back(snapshot.snapshot_id);
    return ids;
  }

  /// Live content of a snapshot, by name.
  std::set<std::string> NamesOf(SnapshotId snapshot_id) {
    std::set<std::string> names;
    const Table loaded = table().Load();
    const Snapshot* snapshot = loaded.metadata->FindSnapshot(snapshot_id);
    EXPECT_NE(snapshot, nullptr);
    if (snapshot == nullptr) return names;
    const auto manifests = ReadManifests(*loaded.io, *snapshot);
    EXPECT_THAT(manifests, IsOk());
    if (!manifests.ok()) return names;
    for (const ManifestFile& manifest : *manifests) {
      const auto spec = loaded.metadata->FindSpec(manifest.partition_spec_id);
      EXPECT_THAT(ReadManifest(*loaded.io, manifest,
                               *PartitionType(*spec, loaded.metadata->SchemasNewestFirst()),
                               {.with_deleted = false},
                               [&](ManifestEntry& entry) -> Status {
                                 EXPECT_THAT(FileExists(*loaded.io, entry.file.file_path),
                                             IsOkAnd(testing::IsTrue()))
                                     << entry.file.file_path;
                                 names.emplace(UriFileName(entry.file.file_path));
                                 return {};
                               }),
                  IsOk());
    }
    return names;
  }

  /// Every file that a snapshot of the table needs is there.
  void ExpectComplete() {
    for (const SnapshotId id : SnapshotIds())
      NamesOf(id);
  }

  MemoryBudget budget_{int64_t{64} << 20};

 private:
  std::unique_ptr<TestTable> table_;
};

}  // namespace firn
