#include <mutex>
#include <utility>

#include "firn/scan/entry_planner_internal.h"

namespace firn {
namespace {

// Enough to make a lock cheap, few enough to keep memory small.
constexpr size_t kBatchMax = 256;

FileScanTask MakeTask(MatchedFile& matched, const ScanOptions& options) {
  FileScanTask task{
      .file = std::move(matched.entry->file),
      .sequence_number = *matched.entry->sequence_number,
      .added_snapshot_id = matched.entry->snapshot_id,
      .deletes = std::move(matched.deletes),
      .residual = options.with_residuals ? std::move(matched.residual) : Expression::True()};
  if (!options.with_metrics) task.file.metrics = FileMetrics();
  return task;
}

Status CheckDuplicates(DuplicateCheck& duplicates, const std::vector<FileScanTask>& tasks) {
  std::vector<PathKey> keys;
  keys.reserve(tasks.size());
  for (const FileScanTask& task : tasks)
    keys.push_back(MakePathKey(task.file.file_path));
  return duplicates.Add(
      keys, [&](size_t i) { return fmt::format("data file '{}'", tasks[i].file.file_path); });
}

// Hands tasks of many workers to one visitor.
class TaskSink {
 public:
  TaskSink(const std::function<Status(FileScanTask&&)>& visit, int64_t expected_files)
      : visit_(visit), duplicates_(expected_files) {}

  Status Deliver(std::vector<FileScanTask>& tasks) {
    FIRN_RETURN_IF_ERROR(CheckDuplicates(duplicates_, tasks));
    const std::lock_guard lock(mutex_);
    if (error_) return *error_;
    for (FileScanTask& task : tasks) {
      if (Status status = visit_(std::move(task)); !status.ok()) {
        error_ = status.error();
        return status;
      }
    }
    tasks.clear();
    return {};
  }

  void Count(const ScanStatistics& statistics) {
    const std::lock_guard lock(mutex_);
    matched_ += statistics.files_matched;
    skipped_ += statistics.files_skipped;
  }
  int64_t matched() const { return matched_; }
  int64_t skipped() const { return skipped_; }

 private:
  const std::function<Status(FileScanTask&&)>& visit_;
  DuplicateCheck duplicates_;
  std::mutex mutex_;
  std::optional<Error> error_;  // The visitor's; it is not called again.
  int64_t matched_ = 0;
  int64_t skipped_ = 0;
};

}  // namespace

Result<ScanStatistics> PlanFiles(FileIO& io, const TableMetadata& metadata,
                                 const ScanOptions& options, Executor& executor,
                                 const CancelToken& cancel,
                                 const std::function<Status(FileScanTask&&)>& visit) {
  FIRN_ASSIGN(const EntryPlanner planner,
              EntryPlanner::Make(io, metadata, options, executor, cancel));
  TaskSink sink(visit, planner.expected_files());
  const auto plan_manifest = [&](size_t index) -> Status {
    std::vector<FileScanTask> batch;
    FIRN_ASSIGN(const ScanStatistics counts,
                planner.ReadDataManifest(index, [&](MatchedFile& matched) -> Status {
                  batch.push_back(MakeTask(matched, options));
                  return batch.size() < kBatchMax ? Status() : sink.Deliver(batch);
                }));
    sink.Count(counts);
    return sink.Deliver(batch);
  };
  FIRN_RETURN_IF_ERROR(ParallelFor(executor, planner.manifests().size(), plan_manifest, cancel,
                                   options.parallel_max));
  ScanStatistics statistics = planner.statistics();
  statistics.files_matched = sink.matched();
  statistics.files_skipped = sink.skipped();
  return statistics;
}

Result<std::vector<FileScanTask>> PlanAllFiles(FileIO& io, const TableMetadata& metadata,
                                               const ScanOptions& options, Executor& executor,
                                               const CancelToken& cancel) {
  FIRN_ASSIGN(const EntryPlanner planner,
              EntryPlanner::Make(io, metadata, options, executor, cancel));
  std::vector<std::vector<FileScanTask>> by_manifest(planner.manifests().size());
  DuplicateCheck duplicates(planner.expected_files());
  const auto plan_manifest = [&](size_t index) -> Status {
    std::vector<FileScanTask>& tasks = by_manifest[index];
    FIRN_ASSIGN(const ScanStatistics counts,
                planner.ReadDataManifest(index, [&](MatchedFile& matched) -> Status {
                  tasks.push_back(MakeTask(matched, options));
                  return {};
                }));
    FIRN_CHECK(counts.files_matched == std::ssize(tasks));
    return CheckDuplicates(duplicates, tasks);
  };
  FIRN_RETURN_IF_ERROR(
      ParallelFor(executor, by_manifest.size(), plan_manifest, cancel, options.parallel_max));
  std::vector<FileScanTask> all;
  for (std::vector<FileScanTask>& tasks : by_manifest) {
    std::move(tasks.begin(), tasks.end(), std::back_inserter(all));
    tasks = {};
  }
  return all;
}

}  // namespace firn
