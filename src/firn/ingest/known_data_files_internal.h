#pragma once

#include <set>
#include <string>
#include <vector>

#include "firn/commit/commit.h"

namespace firn {

/// Finds out whether a table has certain data files already, by path, whatever its spelling.
class KnownDataFiles {
 public:
  explicit KnownDataFiles(const std::vector<DataFile>& wanted);

  /// Look at all live data files of `branch` in manifests that were not looked at before. Errors:
  /// kInvalidInput, naming files that are there; kCorrupt.
  Status Check(FileIO& io, const TableMetadata& metadata, const std::string& branch,
               Executor& executor, const CancelToken& cancel);

 private:
  std::set<std::string, std::less<>> keys_;
  std::set<std::string> seen_;  // Manifests.
};

}  // namespace firn
