#pragma once

#include <functional>
#include <vector>

#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/maintain_context.h"
#include "firn/maintain/orphans/file_difference_internal.h"

namespace firn {

/// What leaves a table's metadata: snapshots and statistics, and the specs and schemas with which
/// their manifests are read.
struct ExpiredPart {
  std::vector<Snapshot> snapshots;
  std::vector<StatisticsFile> statistics;
  std::vector<PartitionStatisticsFile> partition_statistics;
  std::vector<SchemaPtr> schemas;
  int32_t current_schema_id = 0;
  std::vector<PartitionSpecPtr> partition_specs;
};

/// The part of `metadata` that `history` says. Statistics of snapshots that stay are not in it.
ExpiredPart TakeExpiredPart(const TableMetadata& metadata,
                            const std::vector<SnapshotId>& snapshot_ids);

/// The files of an expired part that nothing in the table as it is then can reach: neither a
/// snapshot, nor statistics, nor the metadata log.
class ExpiredFiles {
 public:
  /// `after` is the table without the part. Errors: those of reading metadata that stays; what is
  /// expired may be missing or corrupt.
  static Result<std::unique_ptr<ExpiredFiles>> Find(const MaintainContext& context,
                                                    const ExpiredPart& part, const Table& after);

  /// Ask for the sizes of lists; leave out those that are gone already.
  Status LookUpListSizes(const MaintainContext& context, FileIO& io);

  /// Content first, then manifests, lists and statistics. In no order otherwise.
  Status Visit(const std::function<Status(FileToDelete)>& visit);

 private:
  explicit ExpiredFiles(const MaintainContext& context);
  Status FindContent(const MaintainContext& context, const ExpiredPart& part, const Table& after,
                     const std::vector<ManifestFile>& remaining);
  void FindMetadata(const ExpiredPart& part, const Table& after);

  FileDifference content_;
  std::vector<ManifestFile> manifests_;
  std::vector<FileToDelete> others_;  ///< Lists and statistics.
};

}  // namespace firn
