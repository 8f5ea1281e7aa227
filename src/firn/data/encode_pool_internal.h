#pragma once

#include <memory>

#include <arrow/util/thread_pool.h>

#include "firn/base/executor.h"

namespace firn {

/// Threads on which Arrow's Parquet writer encodes the columns of a batch at the same time, while
/// the caller waits. They run nothing else: a task that waited for another one of a shared pool
/// could block it for ever.
class EncodePool final : public arrow::internal::Executor {
 public:
  explicit EncodePool(size_t threads) : threads_(MakeThreadPool(threads)) {}

  int GetCapacity() override { return static_cast<int>(threads_->concurrency()); }

 private:
  arrow::Status SpawnReal(arrow::internal::TaskHints hints, arrow::internal::FnOnce<void()> task,
                          arrow::StopToken stop, StopCallback&& stopped) override;

  std::unique_ptr<firn::Executor> threads_;
};

}  // namespace firn
