#include <utility>

#include "firn/commit/commit.h"
#include "firn/commit/commit_files_internal.h"
#include "firn/io/discard_files.h"
#include "firn/io/uri.h"

namespace firn {

std::string CommitFiles::NextManifest(const TableMetadata& metadata) {
  std::string uri =
      JoinUri(metadata.MetadataLocation(), fmt::format("{}-m{}.avro", uuid_, manifest_count_++));
  written_.push_back(uri);
  return uri;
}

std::string CommitFiles::ManifestList(const TableMetadata& metadata, SnapshotId snapshot_id,
                                      int attempt) {
  std::string uri = JoinUri(metadata.MetadataLocation(),
                            fmt::format("snap-{}-{}-{}.avro", snapshot_id, attempt, uuid_));
  written_.push_back(uri);
  return uri;
}

void CommitFiles::DeleteUnused(FileIO& io, const std::set<std::string>& used) {
  std::vector<std::string> unused;
  std::vector<std::string> kept;
  for (std::string& uri : written_) {
    (used.contains(uri) ? kept : unused).push_back(std::move(uri));
  }
  written_ = std::move(kept);
  DiscardFiles(io, unused, "an unused file of a commit");
}

void DiscardOutputs(FileIO& io, const std::vector<DataFile>& files) {
  std::vector<std::string> paths;
  for (const DataFile& file : files) {
    paths.push_back(file.file_path);
  }
  DiscardFiles(io, paths, "an output of a failed commit");
}

}  // namespace firn
