#include <deque>
#include <mutex>
#include <utility>

#include <arrow/record_batch.h>

#include "firn/base/task_group.h"
#include "firn/data/arrow/read_ahead_internal.h"

namespace firn {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

class AheadRows final : public BatchStream {
 public:
  AheadRows(Executor& executor, std::unique_ptr<BatchStream> rows, size_t batches_max)
      : schema_(rows->schema()),
        rows_(std::move(rows)),
        batches_max_(batches_max),
        tasks_(executor) {}

  ~AheadRows() override {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;  // A task that runs makes one more batch at most.
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<BatchPtr> Next() override {
    SubmitIfIdle();
    if (!IsReady()) (void)tasks_.RunOne();
    tasks_.WaitFor([this] { return IsReady(); });
    const std::lock_guard lock(mutex_);
    if (ready_.empty()) return BatchPtr();
    Result<BatchPtr> batch = std::move(ready_.front());
    ready_.pop_front();
    return batch;
  }

 private:
  bool IsReady() {
    const std::lock_guard lock(mutex_);
    return !ready_.empty() || is_ended_;
  }

  void SubmitIfIdle() {
    {
      const std::lock_guard lock(mutex_);
      if (is_working_ || is_ended_ || ready_.size() >= batches_max_) return;
      is_working_ = true;
    }
    tasks_.Submit([this] { Work(); });
  }

  // One batch a task: whoever waits for one wakes up when a task ends.
  void Work() {
    Result<BatchPtr> batch = rows_->Next();
    {
      const std::lock_guard lock(mutex_);
      const bool is_last = !batch.ok() || *batch == nullptr;
      if (!batch.ok() || *batch != nullptr) ready_.push_back(std::move(batch));
      is_ended_ = is_ended_ || is_last;
      is_working_ = false;
    }
    SubmitIfIdle();
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<BatchStream> rows_;
  const size_t batches_max_;
  std::mutex mutex_;
  std::deque<Result<BatchPtr>> ready_;
  bool is_working_ = false;
  bool is_ended_ = false;  // After what is ready.
  TaskGroup tasks_;        // The last member: it waits for what uses the others.
};

}  // namespace

std::unique_ptr<BatchStream> ReadAhead(Executor& executor, std::unique_ptr<BatchStream> rows,
                                       size_t batches_max) {
  return std::make_unique<AheadRows>(executor, std::move(rows), batches_max);
}

}  // namespace firn
