#pragma once

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "firn/commit/commit.h"
#include "firn/commit/commit_files_internal.h"

namespace firn {

/// Manifests of the files that one commit adds: one or more for each partition spec, rolled at
/// `commit.manifest.target-size-bytes`. They are written by the first attempt and reused by later
/// ones, unless the table's format version changes in between.
class AddedManifests {
 public:
  /// `files` are all of `content` and outlive this. `data_sequence_number`: pinned for all of them;
  /// empty: that of the snapshot.
  AddedManifests(ManifestContent content, const std::vector<DataFile>& files,
                 SnapshotId snapshot_id, std::optional<int64_t> data_sequence_number = {})
      : content_(content),
        files_(files),
        snapshot_id_(snapshot_id),
        data_sequence_number_(data_sequence_number) {}

  /// A data sequence number for each file, in their order.
  void PinSequenceNumbers(std::vector<int64_t> numbers) { sequence_numbers_ = std::move(numbers); }

  /// Errors: kCommitConflict if the table has lost the partition spec of a file; those of writing.
  Result<std::vector<ManifestFile>> Get(const CommitContext& context, const Table& base,
                                        CommitFiles& names);

 private:
  /// Files of one spec that one worker writes.
  struct Run {
    int32_t spec_id = 0;
    std::vector<const DataFile*> files;
    std::vector<ManifestFile> manifests;
  };
  std::vector<Run> SplitIntoRuns(size_t workers_max) const;
  std::optional<int64_t> SequenceNumberOf(const DataFile* file) const;
  Status WriteRun(const Table& base, CommitFiles& names, int64_t target_bytes, Run& run);

  ManifestContent content_;
  const std::vector<DataFile>& files_;
  SnapshotId snapshot_id_;
  std::optional<int64_t> data_sequence_number_;
  std::vector<int64_t> sequence_numbers_;  ///< Empty: all have the one above.
  std::mutex names_mutex_;
  std::optional<std::vector<ManifestFile>> written_;
  int format_version_ = 0;  ///< Of what is written.
};

}  // namespace firn
