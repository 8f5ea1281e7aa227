#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "firn/maintain/cycle/conversion_cost_internal.h"
#include "firn/maintain/deletes/delete_rewrite_internal.h"
#include "firn/scan/scan.h"

namespace firn {
namespace {

constexpr int64_t kFooterBytes = 64 << 10;         // Read from the end to find the footer.
constexpr int64_t kPieceBytes = int64_t{8} << 20;  // Of one read.
constexpr int64_t kGapBytes = int64_t{64} << 10;   // What is so near is read along.
constexpr int64_t kKeyMemoryBytes = 100;           // Of a key and its place in the set.
constexpr int64_t kKeyMemoryShare = 4;             // Of the budget, see decision 0026.
constexpr int64_t kDeleteFileBytes = 1500;         // Of version 2, without its positions.
constexpr int64_t kVectorBytes = 150;              // With what the footer says of it.
constexpr int64_t kPositionBytes = 2;

using KeyIds = std::vector<int32_t>;

KeyIds KeysOf(const DataFile& deletes) {
  KeyIds ids = deletes.equality_ids;
  std::sort(ids.begin(), ids.end());
  return ids;
}

bool IsEquality(const DeleteFilePtr& file) {
  return file->file.content == FileContent::kEqualityDeletes;
}

int64_t Pieces(int64_t bytes) { return (bytes + kPieceBytes - 1) / kPieceBytes; }

/// Sizes of the columns that are keys, by path of the data file.
using ColumnSizes = std::unordered_map<std::string, std::map<int32_t, int64_t>>;

Result<ColumnSizes> ReadColumnSizes(const MaintainContext& context, const Table& table,
                                    const DeleteRewritePlan& plan) {
  ColumnSizes sizes;
  std::set<int32_t> keys;
  for (const DeleteGroup& group : plan.groups) {
    for (const FileScanTask& task : group.tasks)
      sizes.try_emplace(task.file.file_path);
    for (const DeleteFilePtr& file : group.inputs)
      keys.insert(file->file.equality_ids.begin(), file->file.equality_ids.end());
  }
  ScanOptions scan;
  scan.snapshot_id = plan.starting_snapshot_id;
  scan.with_metrics = true;
  scan.with_residuals = false;
  const auto visit = [&](FileScanTask&& task) -> Status {
    const auto found = sizes.find(task.file.file_path);
    if (found == sizes.end()) return {};
    for (const auto& [id, bytes] : task.file.metrics.column_sizes) {
      if (keys.contains(id)) found->second.emplace(id, bytes);
    }
    return {};
  };
  FIRN_ASSIGN([[maybe_unused]] const ScanStatistics statistics,
              PlanFiles(*table.io, *table.metadata, scan, *context.commit.executor,
                        context.commit.cancel, visit));
  return sizes;
}

class ConversionCost {
 public:
  ConversionCost(const MaintainContext& context, const Table& table, const ColumnSizes& sizes)
      : context_(context), table_(table), sizes_(sizes) {
    for (const SchemaPtr& schema : table.metadata->schemas)
      column_count_ = std::max<int64_t>(column_count_, std::ssize(schema->fields()));
  }

  void Add(const DeleteGroup& group) {
    // Files of positions are found for so many data files at a time; deletes are read for each.
    const auto runs = static_cast<int64_t>(SplitByMemory(context_, group.tasks, 1).size());
    std::map<KeyIds, int64_t> key_counts;
    int64_t keys = 0;
    for (const DeleteFilePtr& file : group.inputs) {
      AddRead(runs, file->file.file_size_in_bytes);
      key_counts[KeysOf(file->file)] += file->file.record_count;
      keys += file->file.record_count;
    }
    for (const FileScanTask& task : group.tasks)
      AddTask(task, key_counts);
    AddOutputs(std::min(keys, std::ssize(group.tasks)), keys);
  }

  const IoTotals& totals() const { return totals_; }

 private:
  // The footer, and what is asked for.
  void AddRead(int64_t times, int64_t bytes) {
    totals_.requests += times * (1 + Pieces(bytes));
    totals_.bytes_read += times * bytes;
  }

  void AddTask(const FileScanTask& task, const std::map<KeyIds, int64_t>& key_counts) {
    std::set<KeyIds> scopes;
    for (const DeleteFilePtr& file : task.deletes) {
      if (IsEquality(file)) {
        scopes.insert(KeysOf(file->file));
      } else if (table_.metadata->format_version >= 3) {
        AddRead(1, OwnBytes(file->file));  // Goes into the new vector.
      }
    }
    const int64_t key_bytes_max =
        std::max<int64_t>(context_.budget->total_bytes() / kKeyMemoryShare, 1);
    for (const KeyIds& ids : scopes) {
      const auto keys = key_counts.find(ids);
      if (keys == key_counts.end()) continue;
      const int64_t passes = 1 + keys->second * kKeyMemoryBytes / key_bytes_max;
      AddRead(passes, KeyBytes(task.file, ids));
    }
  }

  int64_t KeyBytes(const DataFile& file, const KeyIds& ids) const {
    const int64_t all = file.file_size_in_bytes;
    const bool has_columns = file.file_format != FileFormat::kAvro;
    // A small file is read whole, as what lies between is less than another request costs.
    if (!has_columns || all <= kGapBytes) return all;
    const auto& sizes = sizes_.at(file.file_path);
    int64_t bytes = std::min(kFooterBytes, all);
    for (const int32_t id : ids) {
      const auto size = sizes.find(id);
      bytes += size != sizes.end() ? size->second : all / column_count_;
    }
    return std::min(bytes, all);
  }

  // Deletes by key hit about one row each, wherever it is.
  void AddOutputs(int64_t files, int64_t positions) {
    const bool has_vectors = table_.metadata->format_version >= 3;
    totals_.requests += has_vectors ? 1 : files;
    totals_.bytes_written +=
        files * (has_vectors ? kVectorBytes : kDeleteFileBytes) + positions * kPositionBytes;
  }

  const MaintainContext& context_;
  const Table& table_;
  const ColumnSizes& sizes_;
  int64_t column_count_ = 1;
  IoTotals totals_;
};

}  // namespace

Result<IoTotals> EstimateConversion(const MaintainContext& context, const Table& table,
                                    const DeleteRewritePlan& plan) {
  FIRN_ASSIGN(const ColumnSizes sizes, ReadColumnSizes(context, table, plan));
  ConversionCost cost(context, table, sizes);
  for (const DeleteGroup& group : plan.groups)
    cost.Add(group);
  return cost.totals();
}

}  // namespace firn
