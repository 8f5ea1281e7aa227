#include "firn/base/clock.h"

#include <algorithm>
#include <thread>

namespace firn {
namespace {

// How long a cancelled sleeper sleeps on. A token is a bare flag (so that signal handlers may set
// it) and cannot wake anyone.
constexpr std::chrono::milliseconds kCancelLatency{20};

class OperatingSystemClock final : public Clock {
 public:
  Timestamp Now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }

  std::chrono::nanoseconds Elapsed() const override {
    return std::chrono::steady_clock::now().time_since_epoch();
  }

  Status Sleep(std::chrono::nanoseconds duration, const CancelToken& cancel) override {
    const std::chrono::nanoseconds start = Elapsed();
    while (true) {
      FIRN_RETURN_IF_ERROR(cancel.Check());
      const std::chrono::nanoseconds left = duration - (Elapsed() - start);
      if (left <= std::chrono::nanoseconds::zero()) return {};
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, kCancelLatency));
    }
  }
};

}  // namespace

Clock& SystemClock() {
  static OperatingSystemClock clock;
  return clock;
}

}  // namespace firn
