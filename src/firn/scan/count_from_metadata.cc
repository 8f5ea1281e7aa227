#include <atomic>
#include <utility>

#include "firn/scan/entry_planner_internal.h"

namespace firn {
namespace {

// Rows that are left of a file, or nullopt if only its rows can tell.
std::optional<int64_t> CountRows(const MatchedFile& matched, const Schema& schema) {
  const DataFile& file = matched.entry->file;
  const ColumnMetrics metrics{.metrics = &file.metrics, .record_count = file.record_count};
  const bool is_whole = matched.residual->kind() == ExpressionKind::kTrue ||
                        AllMatchMetrics(*matched.residual, schema, metrics);
  if (!is_whole || file.record_count < 0) return std::nullopt;
  if (matched.deletes.empty()) return file.record_count;
  // A file has one deletion vector at most; the record count of a vector is its cardinality.
  const DataFile& first = matched.deletes.front()->file;
  if (matched.deletes.size() > 1 || !first.is_deletion_vector()) return std::nullopt;
  if (first.record_count < 0 || first.record_count > file.record_count) return std::nullopt;
  return file.record_count - first.record_count;
}

}  // namespace

Result<std::optional<int64_t>> CountFromMetadata(FileIO& io, const TableMetadata& metadata,
                                                 const ScanOptions& options, Executor& executor,
                                                 const CancelToken& cancel) {
  ScanOptions counting = options;
  counting.with_metrics = false;
  FIRN_ASSIGN(const EntryPlanner planner,
              EntryPlanner::Make(io, metadata, counting, executor, cancel));
  DuplicateCheck duplicates(planner.expected_files());
  std::atomic<int64_t> total = 0;
  std::atomic<bool> is_decided = true;
  const auto count_manifest = [&](size_t index) -> Status {
    if (!is_decided) return {};
    int64_t rows = 0;
    std::vector<PathKey> keys;
    const auto count_file = [&](MatchedFile& matched) -> Status {
      const auto count = CountRows(matched, *planner.schema());
      if (!count) is_decided = false;
      rows += count.value_or(0);
      keys.push_back(MakePathKey(matched.entry->file.file_path));
      return {};
    };
    FIRN_RETURN_IF_ERROR(planner.ReadDataManifest(index, count_file));
    total += rows;
    return duplicates.Add(keys, [&](size_t i) {
      return fmt::format("data file {} of manifest '{}'", i + 1,
                         planner.manifests()[index].manifest_path);
    });
  };
  FIRN_RETURN_IF_ERROR(ParallelFor(executor, planner.manifests().size(), count_manifest, cancel,
                                   options.parallel_max));
  if (!is_decided) return std::optional<int64_t>();
  return std::optional<int64_t>(total.load());
}

}  // namespace firn
