#pragma once

#include <chrono>
#include <mutex>

#include "firn/base/clock.h"

namespace firn {

/// A clock that stands still until it is moved. Thread-safe.
class FakeClock final : public Clock {
 public:
  /// Starts at 2026-01-01T00:00:00Z.
  FakeClock() = default;
  explicit FakeClock(Timestamp start) : start_(start) {}

  Timestamp Now() const override;
  std::chrono::nanoseconds Elapsed() const override;

  /// Advances the clock instead of waiting. Errors: kCancelled, and then time stands still.
  Status Sleep(std::chrono::nanoseconds duration, const CancelToken& cancel) override;

  void Advance(std::chrono::nanoseconds duration);

  /// How long all sleepers slept.
  std::chrono::nanoseconds slept() const;

 private:
  Timestamp start_{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
  mutable std::mutex mutex_;
  std::chrono::nanoseconds elapsed_{0};
  std::chrono::nanoseconds slept_{0};
};

}  // namespace firn
