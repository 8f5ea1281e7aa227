#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firn/io/metered_file_io.h"
#include "firn/io/real_names.h"
#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/folder_set_internal.h"
#include "firn/maintain/maintain_context.h"
#include "firn/maintain/orphans/file_difference_internal.h"
#include "firn/scan/path_key.h"

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

/// The files of an expired part that nothing in the table as it is then can reach, neither a
/// snapshot, nor statistics, nor the metadata log, nor another table of the catalog whose folders
/// overlap. Files are compared by where their names lead.
class ExpiredFiles {
 public:
  /// `after` is the table without the part. Errors: those of reading metadata that stays, of this
  /// table and of others in its folders; kCorrupt: a manifest that stays is missing or damaged:
  /// older snapshots may be all that is left. What is expired may be missing or corrupt.
  static Result<std::unique_ptr<ExpiredFiles>> Find(const MaintainContext& context,
                                                    const ExpiredPart& part, const Table& after);

  /// What finding these files and deleting them takes. Reads lists of manifests only, which say how
  /// large the manifests are. Errors: as Find.
  static Result<IoTotals> Estimate(const MaintainContext& context, const ExpiredPart& part,
                                   const Table& after);

  /// The same, of what was found: as it was known before manifests were read.
  const IoTotals& estimate() const { return estimate_; }

  /// Ask for the sizes of lists; leave out those that are gone already.
  Status LookUpListSizes(const MaintainContext& context, FileIO& io);

  /// Content first, then manifests, lists and statistics. In no order otherwise. Content that
  /// others put outside of the table's own folders (`firn.adopted-folders`) is left out.
  Status Visit(const std::function<Status(FileToDelete)>& visit);

  /// How many files the last Visit left where they are, though nothing reaches them.
  int64_t adopted_count() const { return adopted_count_; }

  /// How many files the last Visit left out, since something needs them.
  int64_t kept_count() const { return kept_count_; }

  /// The tables of the catalog that were asked, too.
  const std::vector<TableName>& sharing_tables() const { return sharing_tables_; }

  /// A file that goes besides, unless something needs it.
  Status AddContent(const DataFile& file);

  /// Whether the table has the folder of the file for its own.
  Result<bool> IsOwn(std::string_view path) const;

  /// Whether something that stays needs the metadata file.
  Result<bool> IsKept(std::string_view path) const;

 private:
  ExpiredFiles(const MaintainContext& context, const Table& after);
  Result<std::vector<ManifestFile>> FindManifests(const MaintainContext& context,
                                                  const ExpiredPart& part, const Table& after);
  void EstimateRest(const std::vector<ManifestFile>& remaining, int64_t list_count);
  Status FindFolders(const Table& after);
  Status Keep(std::string_view path);
  Status KeepContent(std::string_view path);
  Status KeepMetadata(const Table& after, const std::vector<ManifestFile>& remaining);
  Status LeaveOutKeptManifests();
  Status FindCandidates(const MaintainContext& context, const ExpiredPart& part);
  void NoteFolder(const std::string& path, const std::string& entry);
  Status KeepWhatOthersNeed(const MaintainContext& context, const Table& after);
  Status FindMetadata(const ExpiredPart& part);
  Result<bool> IsAdopted(std::string_view path) const;

  const std::shared_ptr<FileIO> io_;
  RealNames names_;
  std::vector<std::string> own_folders_;
  std::vector<std::string> own_keys_;
  std::vector<std::string> adopted_keys_;
  FolderSet other_folders_;  ///< Of files that were found elsewhere.
  FileDifference content_;
  PathSet kept_;  ///< Metadata that something needs.
  std::vector<ManifestFile> manifests_;
  std::vector<FileToDelete> others_;  ///< Lists and statistics.
  std::vector<TableName> sharing_tables_;
  IoTotals estimate_;
  int64_t kept_metadata_count_ = 0;
  int64_t kept_count_ = 0;
  int64_t adopted_count_ = 0;
};

}  // namespace firn
