#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "firn/base/cancel.h"
#include "firn/base/result.h"

/// Where work runs. Nothing outside `base` starts a thread.

namespace firn {

/// Thread-safe. Tasks may submit tasks. Destruction runs what is still queued.
class Executor {
 public:
  virtual ~Executor() = default;

  /// How many tasks run at the same time, at least 1.
  virtual size_t concurrency() const = 0;

  /// Run `task` at some time. Tasks must not block for ever.
  virtual void Submit(std::function<void()> task) = 0;

  /// Run one queued task on the calling thread. False if none is queued.
  virtual bool RunOne() = 0;

  /// Whether the calling thread is one of those that run tasks. Such a thread must run queued tasks
  /// while it waits for some; any other may sleep, and wakes as soon as a result is there.
  virtual bool IsOnWorker() const = 0;
};

/// `threads` worker threads (0: as many as the machine has cores).
std::unique_ptr<Executor> MakeThreadPool(size_t threads);

/// Runs each task inside `Submit`, on the calling thread: for tests and tiny work.
std::unique_ptr<Executor> MakeInlineExecutor();

/// Call `body(0) .. body(count - 1)` on `executor` and the calling thread, at most `parallel_max`
/// at once (0: the executor's concurrency). May be nested: the caller does its share itself and
/// waits for no free thread.
///
/// Errors  That of the lowest index; after an error or a cancellation no further call starts, and
///         all running ones are waited for. kCancelled only if a call was left out.
Status ParallelFor(Executor& executor, size_t count, const std::function<Status(size_t)>& body,
                   const CancelToken& cancel = {}, size_t parallel_max = 0);

}  // namespace firn
