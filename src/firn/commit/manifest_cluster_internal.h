#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "firn/commit/commit.h"
#include "firn/commit/commit_files_internal.h"

namespace firn {

/// Orders partition values: null first.
struct PartitionLess {
  bool operator()(const std::vector<Value>& a, const std::vector<Value>& b) const;
};

/// Writes the live entries of manifests of one spec and content into as few as their sizes need,
/// with near partitions together. Entries are read twice where the spec has partitions, first to
/// count them by partition, and never held.
class ManifestCluster {
 public:
  struct Options {
    ManifestContent content = ManifestContent::kData;
    int32_t spec_id = 0;
    std::vector<size_t> sort_fields;  ///< Positions in the partition tuple; empty: any order.
    int64_t target_bytes = 0;
    SnapshotId snapshot_id = 0;
  };
  ManifestCluster(const CommitContext& context, const Table& table, CommitFiles& names,
                  Options options)
      : context_(context), table_(table), names_(names), options_(std::move(options)) {}

  /// Once.
  Result<std::vector<ManifestFile>> Write(const std::vector<ManifestFile>& manifests);
  int64_t entry_count() const { return entry_count_; }

 private:
  /// The entries of one partition come in any order, and go to the outputs one after another.
  struct Partition {
    int64_t count = 0;
    int64_t first = 0;  ///< Entries of all partitions before it.
    std::atomic<int64_t> next{0};
  };
  struct Output {
    std::mutex mutex;
    std::unique_ptr<ManifestWriter> writer;
    std::vector<ManifestFile> finished;
  };

  Status CountPartitions(const std::vector<ManifestFile>& manifests);
  Status CopyEntries(const ManifestFile& manifest);
  Status Put(ManifestEntry& entry);
  size_t ChooseOutput(const StructValue& partition);
  Result<std::unique_ptr<ManifestWriter>> OpenOutput();
  std::vector<Value> SortKey(const StructValue& partition) const;

  const CommitContext& context_;
  const Table& table_;
  CommitFiles& names_;
  const Options options_;
  TypePtr type_;
  std::mutex mutex_;  // Of names_ and, while they are counted, of partitions_.
  std::map<std::vector<Value>, Partition, PartitionLess> partitions_;
  int64_t total_count_ = 0;
  std::vector<std::unique_ptr<Output>> outputs_;
  std::atomic<int64_t> entry_count_{0};
};

}  // namespace firn
