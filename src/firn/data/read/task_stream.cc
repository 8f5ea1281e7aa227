#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

#include <arrow/record_batch.h>

#include "firn/data/read/resolved_deletes_internal.h"
#include "firn/data/read/task_reader_internal.h"
#include "firn/data/read/task_stream_internal.h"

// Files are opened ahead, each as a job on the executor. Their parts (row groups, stripes) become
// units; an active unit is a job that decodes batches until its queue is full, ends, and is
// submitted again when the consumer has taken from the queue. No job ever waits for the consumer,
// so a shared executor cannot be blocked. A consumer that is itself a worker of the executor runs
// queued jobs when nothing is ready; any other one sleeps, since what it took on would keep it from
// emptying the queues of the others.
//
// Memory: a unit starts when the budget has room for its estimate. The first unit of a stream
// starts in any case, since a consumer that holds budget itself may be waiting for these very rows;
// it streams its columns through small buffers if it is large, and the pool caps it. Nothing is
// read ahead of the consumer while half of the memory is in use, nor where values are large: then
// one batch is made at a time, when it is asked for.

namespace firn {
namespace {

constexpr size_t kQueuedBatchesMax = 2;
constexpr int64_t kPartBytesMax = int64_t{64} << 20;
constexpr int64_t kBatchBytesMax = int64_t{8} << 20;
// Share of the memory that one batch may take: several parts have several batches each.
constexpr int64_t kBatchShare = 32;
constexpr int64_t kReservationMin = int64_t{1} << 20;
// Values above this share of the memory are large.
constexpr int64_t kLargeValueShare = 32;

// A part being read.
struct Unit {
  std::shared_ptr<TaskReader> task;
  size_t part = 0;
  int64_t bytes = 0;                   // Estimate of what reading it takes.
  bool is_alone = false;               // Nothing else can be read at the same time.
  bool is_large = false;               // Its values are: nothing is read ahead.
  std::unique_ptr<PartReader> reader;  // Only its job touches it.
  std::deque<std::shared_ptr<arrow::RecordBatch>> queue;
  bool is_running = false;
  bool has_ended = false;
  MemoryReservation memory;
};

// A file that is being opened or whose parts are not all started.
struct OpenFile {
  std::shared_ptr<TaskReader> task;  // Null: still being opened.
  size_t next_part = 0;
};

class TaskStream final : public BatchStream {
 public:
  TaskStream(const ReadContext& context, std::vector<FileScanTask> tasks,
             const ReadOptions& options)
      : context_(context), tasks_(std::move(tasks)), is_ordered_(options.is_ordered) {
    shared_.context = &context_;
    shared_.verifies_checksums = options.verifies_checksums;
    shared_.verifies_row_counts = options.verifies_row_counts;
    shared_.pool = BudgetPool::Make(context_.budget->total_bytes());
    const auto workers = static_cast<int64_t>(context_.executor->concurrency());
    shared_.part_bytes_max =
        std::min(kPartBytesMax, context_.budget->total_bytes() / (4 * workers));
    shared_.batch_bytes_max =
        std::min(kBatchBytesMax, context_.budget->total_bytes() / kBatchShare);
    units_max_ = context_.executor->concurrency() + 1;
  }

  ~TaskStream() override {
    std::unique_lock lock(mutex_);
    is_closed_ = true;
    while (running_jobs_ > 0)
      WaitForChange(lock);
  }

  Status Prepare(const ReadOptions& options) {
    FIRN_ASSIGN(shared_.layout, MakeReadLayout(*context_.metadata, options));
    FIRN_RETURN_IF_ERROR(resolved_deletes_.Resolve(context_, tasks_, shared_.layout));
    shared_.position_deletes = std::make_unique<PositionDeletes>(context_, shared_.pool, tasks_);
    shared_.equality_deletes = std::make_unique<EqualityDeletes>(context_, shared_.pool, tasks_);
    return {};
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return shared_.layout.schema; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    std::unique_lock lock(mutex_);
    while (true) {
      FIRN_RETURN_IF_ERROR(context_.cancel.Check());
      if (error_) return *error_;
      if (auto batch = TakeReady()) return batch;
      if (IsDone()) return std::shared_ptr<arrow::RecordBatch>();
      if (!Pump(lock)) WaitForChange(lock);
    }
  }

 private:
  using Jobs = std::vector<std::function<void()>>;

  bool IsDone() const { return next_task_ == tasks_.size() && files_.empty() && units_.empty(); }

  // A batch that may be handed out; ended units are dropped on the way.
  std::shared_ptr<arrow::RecordBatch> TakeReady() {
    for (auto unit = units_.begin(); unit != units_.end();) {
      if (!(*unit)->queue.empty()) {
        std::shared_ptr<arrow::RecordBatch> batch = std::move((*unit)->queue.front());
        (*unit)->queue.pop_front();
        return batch;
      }
      if ((*unit)->has_ended && !(*unit)->is_running) {
        units_bytes_ -= (*unit)->bytes;
        unit = units_.erase(unit);
        continue;
      }
      if (is_ordered_) return nullptr;
      ++unit;
    }
    return nullptr;
  }

  // Start what can be started. Returns whether anything was.
  bool Pump(std::unique_lock<std::mutex>& lock) {
    Jobs jobs;
    const size_t files_max = IsShort() ? 1 : units_max_;
    while (next_task_ < tasks_.size() && files_.size() < files_max) {
      files_.emplace_back();
      jobs.push_back(
          [this, file = &files_.back(), task = &tasks_[next_task_]] { RunOpen(*file, *task); });
      ++next_task_;
    }
    StartUnits();
    bool is_first = true;
    for (const std::unique_ptr<Unit>& unit : units_) {
      // The consumer waits for the first one, whatever is short.
      const bool may_run = std::exchange(is_first, false) || !(unit->is_large || IsShort());
      if (unit->is_running || unit->has_ended || !may_run || IsFull(*unit)) continue;
      unit->is_running = true;
      jobs.push_back([this, target = unit.get()] { RunUnit(*target); });
    }
    if (jobs.empty()) return false;
    running_jobs_ += jobs.size();
    lock.unlock();
    for (std::function<void()>& job : jobs)
      context_.executor->Submit(std::move(job));
    lock.lock();
    return true;
  }

  void StartUnits() {
    while (units_.size() < units_max_ && !files_.empty() && files_.front().task != nullptr) {
      OpenFile& file = files_.front();
      if (file.next_part == file.task->parts().size()) {
        files_.pop_front();
        continue;
      }
      const FilePart& part = file.task->parts()[file.next_part];
      const int64_t bytes = part.memory_bytes;
      std::optional<MemoryReservation> memory = Admit(bytes);
      if (!memory) return;
      units_.push_back(std::make_unique<Unit>());
      Unit& unit = *units_.back();
      unit.task = file.task;
      unit.part = file.next_part++;
      unit.bytes = bytes;
      unit.is_large = part.value_bytes > context_.budget->total_bytes() / kLargeValueShare;
      unit.memory = std::move(*memory);
      units_bytes_ += bytes;
      const bool is_last = next_task_ == tasks_.size() && files_.size() == 1 &&
                           file.next_part == file.task->parts().size();
      const bool is_much = bytes > context_.budget->total_bytes() / 2;
      // Columns of large values are not decoded beside each other.
      unit.is_alone = !unit.is_large && units_.size() == 1 && (is_last || is_much);
    }
  }

  // Half of the memory that the pool may have.
  bool IsShort() const {
    return shared_.pool->bytes_allocated() > context_.budget->total_bytes() / 2;
  }

  bool IsFull(const Unit& unit) const {
    const size_t batches_max = unit.is_large || IsShort() ? 1 : kQueuedBatchesMax;
    return unit.queue.size() >= batches_max;
  }

  std::optional<MemoryReservation> Admit(int64_t bytes) {
    const int64_t total = context_.budget->total_bytes();
    if (!units_.empty() && units_bytes_ + bytes > total) return std::nullopt;  // The pool's cap.
    if (!units_.empty() && IsShort()) return std::nullopt;
    bytes = std::min(bytes, total / 2);
    while (true) {
      Result<MemoryReservation> memory = context_.budget->TryReserve(bytes);
      if (memory.ok()) return std::move(*memory);
      if (!units_.empty()) return std::nullopt;
      if (bytes <= kReservationMin) return MemoryReservation();
      bytes /= 2;
    }
  }

  void RunOpen(OpenFile& file, const FileScanTask& task) {
    Result<std::shared_ptr<TaskReader>> reader =
        MakeError(ErrorCode::kCancelled, "the read was abandoned");
    if (!MustStop()) reader = TaskReader::Open(shared_, task);
    const std::lock_guard lock(mutex_);
    if (reader.ok()) {
      file.task = std::move(*reader);
    } else if (!error_) {
      error_ = reader.error();
    }
    EndJob();
  }

  void RunUnit(Unit& unit) {
    while (!MustStop()) {
      Result<std::shared_ptr<arrow::RecordBatch>> batch = NextOf(unit);
      const std::lock_guard lock(mutex_);
      if (!batch.ok()) {
        if (!error_) error_ = batch.error();
        unit.has_ended = true;
      } else if (*batch == nullptr) {
        unit.has_ended = true;
      } else {
        unit.queue.push_back(std::move(*batch));
        Notify();
      }
      if (unit.has_ended || IsFull(unit)) break;
    }
    const std::lock_guard lock(mutex_);
    unit.is_running = false;
    if (unit.has_ended) unit.reader = nullptr;
    EndJob();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> NextOf(Unit& unit) {
    if (unit.reader == nullptr) {
      FIRN_ASSIGN(unit.reader,
                  unit.task->OpenPart(unit.part, unit.is_alone ? context_.executor : nullptr));
    }
    return unit.reader->Next();
  }

  bool MustStop() {
    const std::lock_guard lock(mutex_);
    return is_closed_ || error_;
  }

  void EndJob() {
    --running_jobs_;
    Notify();
  }

  void Notify() {
    ++changes_;
    changed_.notify_all();
  }

  // Run another queued job where that is ours to do, or wait until one of ours has got further.
  void WaitForChange(std::unique_lock<std::mutex>& lock) {
    const uint64_t seen = changes_;
    lock.unlock();
    const bool has_run = context_.executor->IsOnWorker() && context_.executor->RunOne();
    lock.lock();
    if (!has_run) changed_.wait(lock, [&] { return changes_ != seen || running_jobs_ == 0; });
  }

  const ReadContext context_;
  std::vector<FileScanTask> tasks_;
  const bool is_ordered_;
  ResolvedDeletes resolved_deletes_;
  SharedRead shared_;
  size_t units_max_ = 1;

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t changes_ = 0;
  size_t running_jobs_ = 0;  // Submitted and not ended.
  size_t next_task_ = 0;
  std::list<OpenFile> files_;               // In the order of tasks.
  std::list<std::unique_ptr<Unit>> units_;  // In the order of rows.
  int64_t units_bytes_ = 0;                 // Estimates of `units_`.
  std::optional<Error> error_;
  bool is_closed_ = false;
};

}  // namespace

Result<std::unique_ptr<BatchStream>> MakeTaskStream(const ReadContext& context,
                                                    std::vector<FileScanTask> tasks,
                                                    const ReadOptions& options) {
  auto stream = std::make_unique<TaskStream>(context, std::move(tasks), options);
  FIRN_RETURN_IF_ERROR(stream->Prepare(options));
  return stream;
}

}  // namespace firn
