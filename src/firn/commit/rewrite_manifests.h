#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firn/commit/commit.h"

namespace firn {

struct RewriteManifestsRequest {
  std::optional<int32_t> spec_id;  ///< Manifests of this spec only; empty: the table's default.
  /// Partition fields by name after which entries are put together; empty: all, in their order.
  std::optional<std::vector<std::string>> sort_by;
  /// Only manifests smaller than this; 0: all.
  int64_t smaller_than_bytes = 0;
  std::map<std::string, std::string> summary_properties;
};

struct RewriteManifestsResult {
  int64_t rewritten_manifests_count = 0;
  int64_t added_manifests_count = 0;
  std::optional<SnapshotId> snapshot_id;  ///< Empty: there was nothing to do.
  std::string reason;  ///< See ManifestsToRewrite; empty: there was something to do.
};

struct ManifestsToRewrite {
  std::vector<ManifestFile> manifests;
  std::string reason;  ///< Why there are none, and which argument would change that; for people.
};

/// The manifests of `planned` that would be rewritten. Errors: as CommitRewriteManifests.
Result<ManifestsToRewrite> ChooseManifestsToRewrite(const Table& planned,
                                                    const RewriteManifestsRequest& request);

/// Put the live entries of many manifests of `main` into few, of about
/// `commit.manifest.target-size-bytes` each and each with a range of partitions, data and delete
/// manifests apart. Entries keep their snapshot ids, sequence numbers and first row ids; deleted
/// ones are left out. Manifests that other writers add meanwhile stay; if one that was to be
/// rewritten is gone, all is done again.
///
/// Shape   Nothing is done for a kind of manifests that are as they should be: one that has files
///         only, or as few as there must be that do not overlap and hold live entries only.
/// Errors  kInvalidInput: no such spec, or not one of its fields. kCommitConflict, kCommitUnknown.
Result<RewriteManifestsResult> CommitRewriteManifests(const CommitContext& context,
                                                      const Table& planned,
                                                      const RewriteManifestsRequest& request);

}  // namespace firn
