#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>

#include "firn/commit/commit.h"

namespace firn {

/// Corrects what entries tell of their files. Called with some live entries of one manifest at a
/// time, from several threads at once; the files themselves stay what they are.
using CorrectEntries = std::function<Status(std::span<ManifestEntry>)>;

struct RewriteEntriesRequest {
  std::set<std::string> manifests;  ///< Data manifests of `main`, by path, to write anew.
  CorrectEntries correct;
  std::map<std::string, std::string> summary_properties;
};

struct RewriteEntriesResult {
  int64_t rewritten_manifests_count = 0;
  CommitResult commit;
};

/// Write manifests anew, one for one, with entries that tell something else of the same files:
/// snapshot ids, sequence numbers and row ids stay; deleted entries are left out. Totals of the
/// summary follow. Manifests that other writers took out meanwhile are passed over.
///
/// Errors  Those of `correct`. kCommitConflict: none of the manifests is left. kCommitUnknown.
Result<RewriteEntriesResult> CommitRewriteEntries(const CommitContext& context,
                                                  const Table& planned,
                                                  const RewriteEntriesRequest& request);

}  // namespace firn
