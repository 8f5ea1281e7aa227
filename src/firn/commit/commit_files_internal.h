#pragma once

#include <set>
#include <string>
#include <vector>

#include "firn/format/metadata/table_metadata.h"
#include "firn/io/io.h"

namespace firn {

/// Names and keeps book of the metadata files that one commit writes over all its attempts, so
/// that exactly the unused ones are deleted, and only when it is certain that they are unused.
class CommitFiles {
 public:
  /// `uuid` tells this commit's files from those of others.
  explicit CommitFiles(std::string uuid) : uuid_(std::move(uuid)) {}

  /// A new name for a manifest; recorded as written.
  std::string NextManifest(const TableMetadata& metadata);

  /// The name of the manifest list of a snapshot in `attempt` (1 is the first); recorded as
  /// written.
  std::string ManifestList(const TableMetadata& metadata, SnapshotId snapshot_id, int attempt);

  /// Delete what was written but is not in `used`; failures are logged only, since the files are
  /// unreachable and orphan removal finds them.
  void DeleteUnused(FileIO& io, const std::set<std::string>& used);

 private:
  std::string uuid_;
  int manifest_count_ = 0;
  std::vector<std::string> written_;
};

}  // namespace firn
