#include <unordered_set>
#include <utility>

#include "firn/data/read/equality_positions.h"
#include "firn/data/read/resolved_deletes_internal.h"

namespace firn {
namespace {

// Deleted keys may take this share of the memory while rows are read.
constexpr int64_t kBudgetShare = 4;

// What a key takes in memory, without its bytes.
constexpr int64_t kBytesOfKey = 80;

bool HasManyEqualityDeletes(const MemoryBudget& budget, const std::vector<FileScanTask>& tasks) {
  std::unordered_set<const DeleteFile*> known;
  int64_t bytes = 0;
  for (const FileScanTask& task : tasks) {
    for (const DeleteFilePtr& deletes : task.deletes) {
      if (deletes->file.content != FileContent::kEqualityDeletes) continue;
      if (!known.insert(deletes.get()).second) continue;
      bytes += deletes->file.record_count * kBytesOfKey + deletes->file.file_size_in_bytes;
      if (bytes > budget.total_bytes() / kBudgetShare) return true;
    }
  }
  return false;
}

}  // namespace

Status ResolvedDeletes::Resolve(const ReadContext& context, std::vector<FileScanTask>& tasks,
                                ReadLayout& layout) {
  if (!layout.with_deletes_applied || !HasManyEqualityDeletes(*context.budget, tasks)) return {};
  FIRN_ASSIGN(positions_, FindEqualityDeletedRows(context, tasks));
  tasks = WithoutEqualityDeletes(std::move(tasks));
  if (layout.dropped_positions != nullptr) {
    for (const auto& [path, positions] : *layout.dropped_positions)
      positions_[path].Union(positions);
  }
  layout.dropped_positions = &positions_;
  return {};
}

}  // namespace firn
