#pragma once

#include <atomic>
#include <memory>

#include "firn/base/result.h"

/// Cancellation: one source (Ctrl-C, a deadline, a server request), any number of tokens.

namespace firn {

/// A cheap copy that long work asks between steps. A default token is never cancelled.
class CancelToken {
 public:
  CancelToken() = default;

  bool is_cancelled() const { return flag_ && flag_->load(std::memory_order_relaxed); }

  /// OK, or kCancelled.
  Status Check() const;

 private:
  friend class CancelSource;
  explicit CancelToken(std::shared_ptr<std::atomic<bool>> flag) : flag_(std::move(flag)) {}
  std::shared_ptr<std::atomic<bool>> flag_;
};

/// Thread-safe. `Cancel` is also safe inside a signal handler.
class CancelSource {
 public:
  CancelSource() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void Cancel() { flag_->store(true, std::memory_order_relaxed); }
  CancelToken token() const { return CancelToken(flag_); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace firn
