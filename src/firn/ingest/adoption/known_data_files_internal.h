#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "firn/commit/commit.h"

namespace firn {

/// Finds out whether a table has certain data files already, by where their names lead.
class KnownDataFiles {
 public:
  /// Errors: those of RealNames; kInvalidInput: one of them is there twice.
  static Result<std::shared_ptr<KnownDataFiles>> Make(std::shared_ptr<FileIO> io,
                                                      const std::vector<DataFile>& wanted);

  /// Look at all live data files of `branch` in manifests that were not looked at before. Errors:
  /// kInvalidInput, naming files that are there; kCorrupt.
  Status Check(const TableMetadata& metadata, const std::string& branch, Executor& executor,
               const CancelToken& cancel);

 private:
  explicit KnownDataFiles(std::shared_ptr<FileIO> io) : io_(std::move(io)) {}

  std::shared_ptr<FileIO> io_;
  std::map<std::string, std::string, std::less<>> wanted_;  // Names by keys.
  std::set<std::string> seen_;                              // Manifests.
};

}  // namespace firn
