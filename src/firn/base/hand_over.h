#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "firn/base/result.h"

namespace firn {

/// Turns a loop that pushes items into a source from which they are pulled: the loop runs on a
/// thread of its own, a few items ahead of the one consumer.
template <typename T>
class HandOver {
 public:
  /// Hands one item over; waits while too many are held. kCancelled: nobody wants more, so stop.
  using Emit = std::function<Status(T)>;

  /// Start `produce`. What it refers to outlives this object.
  HandOver(std::function<Status(const Emit&)> produce, size_t items_ahead_max)
      : items_max_(items_ahead_max), worker_([this, produce = std::move(produce)] {
          Status status = produce([this](T item) { return Put(std::move(item)); });
          const std::lock_guard lock(mutex_);
          status_ = std::move(status);
          changed_.notify_all();
        }) {}

  ~HandOver() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
      changed_.notify_all();
    }
    worker_.join();
  }

  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;

  /// Nullopt at the end. Errors: that of `produce`, behind the items that came before it.
  Result<std::optional<T>> Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return status_ || !items_.empty(); });
    if (!items_.empty()) {
      std::optional<T> item(std::move(items_.front()));
      items_.pop_front();
      changed_.notify_all();
      return item;
    }
    if (!status_->ok()) return status_->error();
    return std::optional<T>();
  }

 private:
  Status Put(T item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_stopped_ || items_.size() < items_max_; });
    if (is_stopped_) return MakeError(ErrorCode::kCancelled, "the reader wants no more");
    items_.push_back(std::move(item));
    changed_.notify_all();
    return {};
  }

  const size_t items_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
  std::optional<Status> status_;  ///< Of `produce`, once it has ended.
  bool is_stopped_ = false;
  std::thread worker_;  ///< Last: it uses all of the above.
};

}  // namespace firn
