#include "firn/maintain/statistics/compute_partition_stats.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "firn/base/log.h"
#include "firn/data/value_file.h"
#include "firn/maintain/statistics/partition_totals_internal.h"
#include "firn/maintain/statistics/register_statistics_internal.h"

namespace firn {
namespace {

class PartitionStatistics {
 public:
  PartitionStatistics(const MaintainContext& context, const Table& table, const Snapshot& snapshot)
      : context_(context), table_(table), snapshot_(snapshot) {}

  Result<std::optional<PartitionStatisticsFile>> Compute() {
    std::unique_ptr<PartitionSums> sums;
    std::vector<const Snapshot*> since;
    const PartitionStatisticsFile* base = FindBase(since);
    if (base != nullptr && since.empty()) return std::optional(*base);
    if (base != nullptr) {
      auto sum = SumUpSince(*base, since);
      if (sum.ok()) {
        sums = std::move(*sum);
      } else {
        FIRN_RETURN_IF_ERROR(context_.commit.cancel.Check());
        Log(LogLevel::kWarning, "partition statistics '{}' are not used, all is summed up anew: {}",
            base->path, sum.error().Format());
      }
    }
    if (sums == nullptr) {
      FIRN_ASSIGN(sums, SumUpAll());
    }
    if (sums->empty()) return std::optional<PartitionStatisticsFile>();
    return Register(*sums);
  }

 private:
  // The nearest statistics in the history of the snapshot, and the snapshots that came since; null
  // if there are none.
  const PartitionStatisticsFile* FindBase(std::vector<const Snapshot*>& since) const {
    const TableMetadata& metadata = *table_.metadata;
    for (const Snapshot* ancestor : AncestorsOf(metadata, snapshot_.snapshot_id)) {
      for (const PartitionStatisticsFile& file : metadata.partition_statistics) {
        if (file.snapshot_id == ancestor->snapshot_id) return &file;
      }
      since.push_back(ancestor);
    }
    return nullptr;
  }

  Result<std::unique_ptr<PartitionSums>> SumUpAll() const {
    auto sums = std::make_unique<PartitionSums>(*table_.metadata);
    FIRN_ASSIGN(const auto manifests, ReadManifests(*table_.io, snapshot_));
    FIRN_RETURN_IF_ERROR(AddManifests(manifests, PartitionSums::Count::kLive, *sums));
    return sums;
  }

  Result<std::unique_ptr<PartitionSums>> SumUpSince(
      const PartitionStatisticsFile& base, const std::vector<const Snapshot*>& since) const {
    auto sums = std::make_unique<PartitionSums>(*table_.metadata);
    const ReadContext read{.io = table_.io,
                           .metadata = table_.metadata,
                           .executor = context_.commit.executor,
                           .budget = context_.budget,
                           .cancel = context_.commit.cancel};
    FIRN_RETURN_IF_ERROR(ReadValueFile(read, base.path, base.file_size_in_bytes,
                                       PartitionStatisticsSchema(*table_.metadata),
                                       [&](StructValue&& row) { return sums->AddRow(row); }));
    std::vector<ManifestFile> changed;
    for (const Snapshot* snapshot : since) {
      FIRN_ASSIGN(const auto manifests, ReadManifests(*table_.io, *snapshot));
      std::copy_if(manifests.begin(), manifests.end(), std::back_inserter(changed),
                   [snapshot](const ManifestFile& manifest) {
                     return manifest.added_snapshot_id == snapshot->snapshot_id;
                   });
    }
    FIRN_RETURN_IF_ERROR(AddManifests(changed, PartitionSums::Count::kChanges, *sums));
    return sums;
  }

  Status AddManifests(const std::vector<ManifestFile>& manifests, PartitionSums::Count count,
                      PartitionSums& sums) const {
    const auto add = [&](size_t index) {
      return sums.AddManifest(*table_.io, manifests[index], count);
    };
    return ParallelFor(*context_.commit.executor, manifests.size(), add, context_.commit.cancel);
  }

  Result<std::optional<PartitionStatisticsFile>> Register(const PartitionSums& sums) const {
    const WriteContext write{.io = table_.io,
                             .metadata = table_.metadata,
                             .executor = context_.commit.executor,
                             .budget = context_.budget,
                             .cancel = context_.commit.cancel,
                             .random = context_.commit.random};
    const SnapshotId id = snapshot_.snapshot_id;
    FIRN_ASSIGN(
        WrittenValueFile written,
        WriteValueFile(write, PartitionStatisticsSchema(*table_.metadata),
                       StatisticsLocation(context_, *table_.metadata, "partition-stats-", id, ""),
                       sums.Rows()));
    PartitionStatisticsFile file{
        .snapshot_id = id, .path = std::move(written.path), .file_size_in_bytes = written.bytes};
    FIRN_RETURN_IF_ERROR(
        RegisterStatistics(context_, table_, id, file.path, SetPartitionStatistics{file}));
    return std::optional(std::move(file));
  }

  const MaintainContext& context_;
  const Table& table_;
  const Snapshot& snapshot_;
};

}  // namespace

Result<std::optional<PartitionStatisticsFile>> ComputePartitionStats(
    const MaintainContext& context, const Table& table, std::optional<SnapshotId> snapshot_id) {
  const TableMetadata& metadata = *table.metadata;
  const bool is_partitioned =
      std::any_of(metadata.partition_specs.begin(), metadata.partition_specs.end(),
                  [](const PartitionSpecPtr& spec) { return !spec->is_unpartitioned(); });
  if (!is_partitioned) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the table is not partitioned, expected a table with partitions");
  }
  FIRN_ASSIGN(const Snapshot* snapshot, FindStatisticsSnapshot(metadata, snapshot_id));
  if (snapshot == nullptr) return std::optional<PartitionStatisticsFile>();
  return PartitionStatistics(context, table, *snapshot).Compute();
}

}  // namespace firn
