#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "firn/base/clock.h"

namespace firn {

/// What people see of long work, on standard error: on a terminal one line that is rewritten, else
/// a line every ten seconds. Thread-safe.
class ProgressLine {
 public:
  ProgressLine(Clock& clock, bool is_terminal) : clock_(clock), is_terminal_(is_terminal) {}
  ~ProgressLine() { Clear(); }

  void Show(std::string_view phase, int64_t done, int64_t total, std::string_view unit);

  /// Wipe the live line, so that other text can be printed.
  void Clear();

 private:
  Clock& clock_;
  const bool is_terminal_;
  std::mutex mutex_;
  std::string phase_;
  std::chrono::nanoseconds phase_start_{0};
  std::chrono::nanoseconds last_shown_{-1};
  bool has_line_ = false;
};

/// "rewriting: 1.2 of 3.4 GB, 120 MB/s, 18 s left". `total` 0: unknown.
std::string FormatProgress(std::string_view phase, int64_t done, int64_t total,
                           std::string_view unit, std::chrono::nanoseconds elapsed);

}  // namespace firn
