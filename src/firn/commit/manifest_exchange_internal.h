#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "firn/commit/added_manifests_internal.h"
#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/manifest_filter_internal.h"
#include "firn/commit/manifest_merge_internal.h"

namespace firn {

/// Exchanges files of one content: takes some out of the manifests of the base, puts the manifests
/// of added ones in front, and merges small ones. What is written is reused by later attempts.
class ManifestExchange {
 public:
  /// `added` outlives this; `data_sequence_number` is pinned for all of them, empty: that of the
  /// snapshot.
  ManifestExchange(ManifestContent content, const std::vector<DataFile>& removed,
                   const std::vector<DataFile>& added, SnapshotId snapshot_id,
                   std::optional<int64_t> data_sequence_number = {});

  /// A data sequence number for each added file, in their order.
  void PinSequenceNumbers(std::vector<int64_t> numbers) {
    added_.PinSequenceNumbers(std::move(numbers));
  }
  /// A delete file to be removed that is gone is a conflict, as a data file is.
  void RequireDeletes() { requires_deletes_ = true; }

  /// For taking out more than the files that are named.
  ManifestFilter& filter() { return filter_; }

  /// The manifests of this content for the new snapshot; what is added and removed is counted in
  /// `summary`. Errors: kCommitConflict: a data file to be removed is not live. A delete file that
  /// is gone already needs no removal where the operation's checks have ruled new ones out; see
  /// `RequireDeletes`.
  Result<std::vector<ManifestFile>> Stage(const CommitContext& context, const CommitBase& base,
                                          CommitFiles& files, SnapshotSummary& summary);

 private:
  ManifestContent content_;
  const std::vector<DataFile>& added_files_;
  bool requires_deletes_ = false;
  AddedManifests added_;
  ManifestFilter filter_;
  ManifestMerger merger_;
};

}  // namespace firn
