#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "firn/commit/commit.h"
#include "firn/commit/commit_files_internal.h"

namespace firn {

/// Keeps the number of manifests low: small ones of one partition spec are merged into manifests of
/// `commit.manifest.target-size-bytes`. Merged manifests are written once and reused by later
/// attempts, unless the table's format version changes in between. Reference, iceberg-operations
/// 2.4.
class ManifestMerger {
 public:
  explicit ManifestMerger(SnapshotId snapshot_id) : snapshot_id_(snapshot_id) {}

  /// `manifests` are all of one content, the newest first. Returns them with bins merged; live
  /// entries and their sequence numbers, row ids and snapshot ids stay the same.
  Result<std::vector<ManifestFile>> Merge(const CommitContext& context, const Table& base,
                                          CommitFiles& files,
                                          const std::vector<ManifestFile>& manifests);

 private:
  Result<ManifestFile> MergeBin(const Table& base, const std::string& uri,
                                const std::vector<ManifestFile>& bin) const;

  SnapshotId snapshot_id_;
  std::unordered_map<std::string, ManifestFile> done_;  ///< By the CopyKeys of the bin.
  int format_version_ = 0;                              ///< Of what is done.
};

}  // namespace firn
