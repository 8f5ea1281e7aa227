#include <cstdio>

#include <fmt/format.h>

#include "firn/base/format_bytes.h"
#include "firn/base/process_memory.h"
#include "firn/cli/progress_internal.h"

namespace firn {
namespace {

constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::seconds kLogPeriod{10};

// "1.2 GB" or "1234 files".
std::string FormatAmount(double amount, std::string_view unit) {
  if (unit == "bytes") return FormatBytes(amount);
  return fmt::format("{:.0f} {}", amount, unit);
}

}  // namespace

std::string FormatProgress(std::string_view phase, int64_t done, int64_t total,
                           std::string_view unit, std::chrono::nanoseconds elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const double amount = static_cast<double>(done);
  std::string line = fmt::format("{}: {}", phase, FormatAmount(amount, unit));
  if (total > 0) line += " of " + FormatAmount(static_cast<double>(total), unit);
  if (done <= 0 || seconds < 0.5) return line;
  const double rate = amount / seconds;
  line += fmt::format(", {}/s", FormatAmount(rate, unit));
  if (total > done) {
    line += fmt::format(", {:.0f} s left", static_cast<double>(total - done) / rate);
  }
  return line;
}

void ProgressLine::Show(std::string_view phase, int64_t done, int64_t total,
                        std::string_view unit) {
  const std::lock_guard lock(mutex_);
  const auto now = clock_.Elapsed();
  if (phase != phase_ || phase_start_.count() == 0) {
    phase_ = phase;
    phase_start_ = now;
    // Without a terminal, short work shows nothing.
    last_shown_ = is_terminal_ ? std::chrono::nanoseconds(-1) : now;
  }
  const std::chrono::nanoseconds period = is_terminal_ ? std::chrono::nanoseconds(kTerminalPeriod)
                                                       : std::chrono::nanoseconds(kLogPeriod);
  if (last_shown_.count() >= 0 && now - last_shown_ < period) return;
  last_shown_ = now;
  std::string line = FormatProgress(phase, done, total, unit, now - phase_start_);
  if (const auto memory = ResidentBytes()) {
    line += fmt::format(", {} in memory", FormatBytes(static_cast<double>(*memory)));
  }
  if (is_terminal_) {
    // Carriage return, text, erase to the end of the line.
    fmt::print(stderr, "\r{}\x1b[K", line);
    std::fflush(stderr);
    has_line_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

void ProgressLine::Clear() {
  const std::lock_guard lock(mutex_);
  if (!has_line_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  has_line_ = false;
}

}  // namespace firn
