#include "firn/base/executor.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace firn {
namespace {

class ThreadPool;

// The pool whose worker this thread is.
thread_local const ThreadPool* pool_of_thread = nullptr;

class ThreadPool final : public Executor {
 public:
  explicit ThreadPool(size_t threads) {
    workers_.reserve(threads);
    for (size_t i = 0; i < threads; ++i) {
      workers_.emplace_back([this] {
        pool_of_thread = this;
        Work();
      });
    }
  }

  ~ThreadPool() override {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_)
      worker.join();
  }

  size_t concurrency() const override { return workers_.size(); }

  bool IsOnWorker() const override { return pool_of_thread == this; }

  void Submit(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

  bool RunOne() override {
    std::function<void()> task;
    {
      const std::lock_guard lock(mutex_);
      if (tasks_.empty()) return false;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
    return true;
  }

 private:
  void Work() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_stopping_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool is_stopping_ = false;
  std::vector<std::thread> workers_;
};

class InlineExecutor final : public Executor {
 public:
  size_t concurrency() const override { return 1; }
  void Submit(std::function<void()> task) override { task(); }
  bool RunOne() override { return false; }
  bool IsOnWorker() const override { return true; }
};

// The shared state of one ParallelFor. Indices are handed out in order, so when index j failed
// every lower one was started: the lowest error does not depend on timing.
class IndexedLoop {
 public:
  IndexedLoop(size_t count, const std::function<Status(size_t)>& body, const CancelToken& cancel)
      : count_(count), body_(&body), cancel_(cancel) {}

  // Call bodies until none is left. A helper that starts after the loop has ended claims nothing
  // and so never touches `body`, whose lifetime is that of the loop.
  void Help() {
    while (const std::optional<size_t> index = Claim()) {
      Finish(*index, (*body_)(*index));
    }
  }

  Status Wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
    if (error_) return *error_;
    if (next_ < count_) return cancel_.Check();
    return {};
  }

 private:
  std::optional<size_t> Claim() {
    const std::lock_guard lock(mutex_);
    if (is_stopped_ || next_ == count_) return std::nullopt;
    if (cancel_.is_cancelled()) {
      is_stopped_ = true;
      return std::nullopt;
    }
    ++running_;
    return next_++;
  }

  void Finish(size_t index, const Status& status) {
    const std::lock_guard lock(mutex_);
    if (!status.ok()) {
      is_stopped_ = true;
      if (!error_ || index < error_index_) {
        error_ = status.error();
        error_index_ = index;
      }
    }
    if (--running_ == 0) idle_.notify_all();
  }

  const size_t count_;
  const std::function<Status(size_t)>* body_;
  const CancelToken cancel_;
  std::mutex mutex_;
  std::condition_variable idle_;
  size_t next_ = 0;
  size_t running_ = 0;
  bool is_stopped_ = false;
  std::optional<Error> error_;
  size_t error_index_ = 0;
};

}  // namespace

std::unique_ptr<Executor> MakeThreadPool(size_t threads) {
  if (threads == 0) threads = std::max<size_t>(1, std::thread::hardware_concurrency());
  return std::make_unique<ThreadPool>(threads);
}

std::unique_ptr<Executor> MakeInlineExecutor() { return std::make_unique<InlineExecutor>(); }

Status ParallelFor(Executor& executor, size_t count, const std::function<Status(size_t)>& body,
                   const CancelToken& cancel, size_t parallel_max) {
  if (parallel_max == 0) parallel_max = executor.concurrency();
  const auto loop = std::make_shared<IndexedLoop>(count, body, cancel);
  for (size_t helper = 1; helper < std::min(parallel_max, count); ++helper) {
    executor.Submit([loop] { loop->Help(); });
  }
  // The caller works until all indices are taken; what then still runs has a thread of its own. It
  // does not run other queued tasks while it waits: one of them could want memory that the caller
  // holds.
  loop->Help();
  return loop->Wait();
}

}  // namespace firn
