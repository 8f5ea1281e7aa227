#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// Columns of a file of partition statistics, for the format version and the partition fields of a
/// table.
Schema PartitionStatisticsSchema(const TableMetadata& metadata);

/// What the files of one partition and spec come to.
struct PartitionTotals {
  int64_t data_records = 0;
  int32_t data_files = 0;
  int64_t data_bytes = 0;
  int64_t position_delete_records = 0;  ///< Of deletion vectors, too.
  int32_t position_delete_files = 0;    ///< Without deletion vectors.
  int32_t deletion_vectors = 0;
  int64_t equality_delete_records = 0;
  int32_t equality_delete_files = 0;
  std::optional<int64_t> updated_at_ms;
  std::optional<SnapshotId> updated_by;

  /// Count `file`, or with `sign` -1 take it away.
  void Add(const DataFile& file, int sign);
  /// The newest update counts, of equal ones the first.
  void Touch(int64_t at_ms, SnapshotId snapshot_id);
  void Merge(const PartitionTotals& other);
};

/// Sums by partition, in the order of the statistics file: nulls first.
class PartitionSums {
 public:
  /// `metadata` outlives this.
  explicit PartitionSums(const TableMetadata& metadata);

  enum class Count {
    kLive,     ///< Files that are live; deleted ones only tell of an update.
    kChanges,  ///< Files that the manifest's snapshot added or took out.
  };
  /// Thread-safe. Errors: those of ReadManifest.
  Status AddManifest(FileIO& io, const ManifestFile& manifest, Count count);

  /// A row of an older statistics file. Errors: kCorrupt.
  Status AddRow(const StructValue& row);

  bool empty() const { return sums_.empty(); }
  std::vector<StructValue> Rows() const;

 private:
  struct Key {
    StructValue partition;
    int32_t spec_id = 0;
    bool operator<(const Key& other) const;
  };

  const TableMetadata& metadata_;
  const TypePtr partition_type_;
  const std::unordered_map<SnapshotId, const Snapshot*> snapshots_;
  std::mutex mutex_;
  std::map<Key, PartitionTotals> sums_;
};

}  // namespace firn
