#include "firn/testing/fake_clock.h"

namespace firn {

Timestamp FakeClock::Now() const {
  return start_ + std::chrono::floor<std::chrono::milliseconds>(Elapsed());
}

std::chrono::nanoseconds FakeClock::Elapsed() const {
  const std::lock_guard lock(mutex_);
  return elapsed_;
}

Status FakeClock::Sleep(std::chrono::nanoseconds duration, const CancelToken& cancel) {
  FIRN_RETURN_IF_ERROR(cancel.Check());
  const std::lock_guard lock(mutex_);
  elapsed_ += duration;
  slept_ += duration;
  return {};
}

void FakeClock::Advance(std::chrono::nanoseconds duration) {
  const std::lock_guard lock(mutex_);
  elapsed_ += duration;
}

std::chrono::nanoseconds FakeClock::slept() const {
  const std::lock_guard lock(mutex_);
  return slept_;
}

}  // namespace firn
