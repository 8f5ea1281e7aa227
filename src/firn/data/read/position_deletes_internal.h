#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "firn/data/arrow/budget_pool.h"
#include "firn/data/read/reader.h"
#include "firn/format/puffin/deletion_vector.h"

/// Deleted positions of data files: deletion vectors and position delete files.

namespace firn {

/// The positions of a deletion vector. Errors: kCorrupt: no such vector at the place that the
/// manifest tells, or of another cardinality; kResourceExhausted.
Result<PositionSet> ReadDeletionVector(const ReadContext& context, const DataFile& file);

/// Loads each position delete file of a scan once, keeps the positions of the scan's data files
/// only, and forgets them when the last of these has asked. Thread-safe.
class PositionDeletes {
 public:
  /// `tasks` outlive this.
  PositionDeletes(const ReadContext& context, std::shared_ptr<BudgetPool> pool,
                  const std::vector<FileScanTask>& tasks);

  /// The deleted positions of the task's data file; null if nothing deletes by position. To be
  /// called once for each task. Errors: kCorrupt, naming the delete file; kResourceExhausted.
  Result<std::shared_ptr<const PositionSet>> Load(const FileScanTask& task);

 private:
  struct LoadedFile {
    std::mutex mutex;
    int64_t waiting_tasks = 0;
    bool is_loaded = false;
    std::unordered_map<std::string_view, PositionSet> positions;  // By data file path.
    MemoryReservation memory;
  };

  Result<PositionSet> LoadDeletionVector(const DeleteFile& deletes, const FileScanTask& task);
  Status LoadFile(const DeleteFile& deletes, LoadedFile& file);
  Status ReserveFor(LoadedFile& file) const;
  Status AddFrom(const DeleteFile& deletes, const std::string& data_path, PositionSet& positions);

  const ReadContext& context_;
  std::shared_ptr<BudgetPool> pool_;
  std::unordered_set<std::string_view> data_paths_;
  std::unordered_map<std::string_view, std::unique_ptr<LoadedFile>> files_;  // By delete file path.
};

}  // namespace firn
