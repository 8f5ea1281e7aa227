#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "firn/base/executor.h"
#include "firn/base/result.h"

namespace firn {

/// Jobs that run on an executor and whose results are taken in the order in which they were
/// started. A taker that is itself a worker of the executor runs queued jobs while the oldest is
/// not ready, so that a busy executor cannot block it. Single consumer.
template <typename T>
class OrderedJobs {
 public:
  explicit OrderedJobs(Executor& executor) : executor_(executor) {}
  OrderedJobs(const OrderedJobs&) = delete;
  OrderedJobs& operator=(const OrderedJobs&) = delete;

  /// Waits for what still runs.
  ~OrderedJobs() {
    while (!jobs_.empty()) {
      (void)Take();
    }
  }

  size_t size() const { return jobs_.size(); }

  void Start(std::function<Result<T>()> work) {
    auto job = std::make_shared<Job>();
    jobs_.push_back(job);
    executor_.Submit([job, work = std::move(work)] {
      Result<T> result = work();
      const std::lock_guard lock(job->mutex);
      job->result.emplace(std::move(result));
      job->is_done.notify_all();
    });
  }

  /// The result of the oldest job. Requires size() > 0.
  Result<T> Take() {
    const std::shared_ptr<Job> job = jobs_.front();
    jobs_.pop_front();
    while (true) {
      {
        const std::lock_guard lock(job->mutex);
        if (job->result) return std::move(*job->result);
      }
      if (!executor_.IsOnWorker() || !executor_.RunOne()) break;
    }
    std::unique_lock lock(job->mutex);
    job->is_done.wait(lock, [&] { return job->result.has_value(); });
    return std::move(*job->result);
  }

 private:
  struct Job {
    std::mutex mutex;
    std::condition_variable is_done;
    std::optional<Result<T>> result;
  };

  Executor& executor_;
  std::deque<std::shared_ptr<Job>> jobs_;
};

}  // namespace firn
