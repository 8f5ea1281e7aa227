#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "firn/commit/commit.h"
#include "firn/commit/commit_files_internal.h"
#include "firn/format/puffin/delete_reference.h"

namespace firn {

/// The files themselves, for a filter of delete files.
std::vector<DataFile> FilesOf(const std::vector<DeleteFilePtr>& deletes);

/// Takes a set of files out of manifests. A manifest that names one of them is replaced by a copy
/// in which they are DELETED entries of this snapshot and all other live entries are EXISTING;
/// manifests that name none stay as they are. Copies are written once and reused by later attempts,
/// unless the table's format version changes in between.
class ManifestFilter {
 public:
  /// `files` are all data files or all delete files.
  ManifestFilter(ManifestContent content, const std::vector<DataFile>& files,
                 SnapshotId snapshot_id);

  /// Take out all files of these partitions, too, whoever added them and when.
  void DropPartitions(const std::vector<PartitionKey>& partitions);
  /// Take out every file.
  void DropAll() { drops_all_ = true; }

  struct Outcome {
    std::vector<ManifestFile> manifests;  ///< In the order given; without those left empty.
    std::vector<DataFile> removed;        ///< The files found, as the manifests describe them.
    std::vector<std::string> missing;     ///< Paths of files that no manifest names as live.
  };

  /// `manifests` are those of the branch's head with this filter's content.
  Result<Outcome> Apply(const CommitContext& context, const Table& base, CommitFiles& files,
                        const std::vector<ManifestFile>& manifests);

 private:
  struct Filtered {
    std::optional<ManifestFile> copy;  ///< Empty: the manifest names none of the files.
    std::vector<DataFile> removed;
  };
  using PartitionSet = std::unordered_map<uint64_t, std::vector<StructValue>>;  ///< By hash.
  bool IsTakenOut(const DataFile& file) const;
  void AddPartition(int32_t spec_id, const StructValue& partition);
  bool MayName(const TableMetadata& metadata, const ManifestFile& manifest) const;
  Result<bool> Names(FileIO& io, const ManifestFile& manifest, const Type& partition_type) const;
  Result<Filtered> FilterOne(const Table& base, const ManifestFile& manifest,
                             const std::string& copy_uri) const;

  ManifestContent content_;
  SnapshotId snapshot_id_;
  std::unordered_map<std::string, std::string> keys_;       ///< Key to path.
  std::map<int32_t, std::vector<StructValue>> partitions_;  ///< Distinct, by spec id.
  std::map<int32_t, PartitionSet> dropped_;                 ///< By spec id.
  bool drops_all_ = false;
  std::unordered_map<std::string, Filtered> done_;  ///< By CopyKey.
  int format_version_ = 0;                          ///< Of what is done.
};

}  // namespace firn
