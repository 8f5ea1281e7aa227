#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "firn/maintain/compaction/rewrite_data_files.h"

/// Which delete files a rewrite makes obsolete (docs/decisions/0007). For this module only.

namespace firn {

/// How many data files each delete file applies to.
class DeleteUses {
 public:
  void Add(const FileScanTask& task);
  void Add(const std::vector<FileScanTask>& tasks);
  void Remove(const std::vector<FileScanTask>& tasks);
  bool IsUsed(const DataFile& file) const;
  /// Delete files that were added.
  int64_t file_count() const { return static_cast<int64_t>(uses_.size()); }
  /// Of those removed, the ones that nothing uses any more, by path.
  std::vector<DeleteFilePtr> Unused() const;

 private:
  struct Use {
    DeleteFilePtr file;
    int64_t count = 0;
  };
  std::unordered_map<std::string, Use> uses_;
};

/// Live delete files of the snapshot that are not in use, by path. Errors: those of reading.
Result<std::vector<DeleteFilePtr>> FindUnusedDeletes(const MaintainContext& context,
                                                     const Table& table, const Snapshot& snapshot,
                                                     const DeleteUses& uses);

/// The delete files that apply to no data file of the snapshot once `groups` are rewritten. `scan`
/// is the scan that the groups come from and `task_uses` the uses by its tasks. With a filter, only
/// delete files that apply to inputs; else also those that applied to nothing before.
/// Errors: those of reading manifests.
Result<std::vector<DeleteFilePtr>> FindObsoleteDeletes(const MaintainContext& context,
                                                       const Table& table, const ScanOptions& scan,
                                                       const std::vector<FileGroup>& groups,
                                                       DeleteUses task_uses);

}  // namespace firn
