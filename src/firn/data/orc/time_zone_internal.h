#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

namespace firn {

/// One day of each year, at a time of day, as POSIX writes it (`M3.2.0/2`, `J60`, `59`).
struct YearlyDay {
  enum class Form { kWeekday, kDayWithoutLeap, kDay };
  Form form = Form::kDay;
  int64_t month = 0;  ///< kWeekday: 1 to 12.
  int64_t week = 0;   ///< kWeekday: 1 to 5, the last.
  int64_t day = 0;    ///< kWeekday: 0 is Sunday. kDayWithoutLeap: 1 to 365. kDay: 0 to 365.
  int64_t seconds = 7200;
};

/// What clocks are set to where no change is listed any more, as POSIX writes it
/// (`EST5EDT,M3.2.0,M11.1.0`). Offsets are seconds east of UTC.
struct YearlyRule {
  int64_t standard_offset = 0;
  std::optional<int64_t> summer_offset;
  YearlyDay summer_start;
  YearlyDay summer_end;
};

std::optional<YearlyRule> ParseYearlyRule(std::string_view text);

/// The clocks of a time zone. Not thread-safe: it remembers where it looked last.
class TimeZone {
 public:
  /// Load a zone of the system (`/usr/share/zoneinfo`, or where TZDIR says). Errors: kUnsupported:
  /// the system has none of that name.
  static Result<TimeZone> Load(std::string_view name);

  /// From the bytes of a file of the system (RFC 9636). Errors: kUnsupported.
  static Result<TimeZone> Parse(std::span<const std::byte> bytes);

  /// How many seconds east of UTC clocks are at `instant`, in seconds since 1970.
  int64_t OffsetAt(int64_t instant);

 private:
  struct Change {
    int64_t instant = 0;
    int64_t offset = 0;  ///< From then on.
  };

  int64_t FindOffset(int64_t instant);
  int64_t OffsetByRule(int64_t instant);

  std::vector<Change> changes_;  // Ascending.
  int64_t first_offset_ = 0;     // Before all changes.
  std::optional<YearlyRule> rule_;
  // The offset holds from `known_start_` to before `known_end_`.
  int64_t known_start_ = 0;
  int64_t known_end_ = 0;
  int64_t known_offset_ = 0;
};

}  // namespace firn
