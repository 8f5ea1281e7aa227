#pragma once

#include <chrono>

#include "firn/base/cancel.h"
#include "firn/base/result.h"

/// Time is passed in, never read: tests move it, retries wait on it.

namespace firn {

/// Wall time with the resolution of table metadata: milliseconds since the Unix epoch, UTC.
using Timestamp = std::chrono::sys_time<std::chrono::milliseconds>;

/// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual Timestamp Now() const = 0;

  /// Monotone time for measuring durations; its zero means nothing.
  virtual std::chrono::nanoseconds Elapsed() const = 0;

  /// Wait for `duration`. Errors: kCancelled as soon as `cancel` is cancelled.
  virtual Status Sleep(std::chrono::nanoseconds duration, const CancelToken& cancel) = 0;
};

/// The clock of the operating system; one for the process.
Clock& SystemClock();

}  // namespace firn
