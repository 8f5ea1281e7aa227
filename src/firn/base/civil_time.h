#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "firn/base/clock.h"

/// Dates and times of the proleptic Gregorian calendar as text (ISO-8601) and as counts since the
/// Unix epoch. Nothing here knows a time zone but UTC offsets that a text spells out.

namespace firn {

struct CivilDate {
  int64_t year = 1970;  ///< Astronomical: year 0 is 1 BC.
  int month = 1;        ///< 1 to 12.
  int day = 1;          ///< 1 to 31.
};

/// Days since 1970-01-01, which may be before it. `date` must be valid and its year within
/// +-10^15.
int64_t DaysFromCivil(const CivilDate& date);

/// The date of a day within +-10^17 of the epoch.
CivilDate CivilFromDays(int64_t days);

bool IsValidDate(const CivilDate& date);

/// What one step of a time or timestamp is.
enum class TimeUnit { kMicros, kNanos };

/// Steps of `unit` in one second: 1,000,000 or 1,000,000,000.
int64_t StepsPerSecond(TimeUnit unit);

/// "2026-01-31"; years above 9999 start with '+', negative ones with '-' and have four digits at
/// least.
std::string FormatDate(int64_t days);

/// "hh:mm:ss.ffffff" (kMicros) or with nine digits (kNanos). Negative values start with '-', hours
/// may exceed 23: no input crashes.
std::string FormatTime(int64_t value, TimeUnit unit);

/// "2026-01-31T10:00:00.123456" (or nine digits), without zone.
std::string FormatTimestamp(int64_t value, TimeUnit unit);

/// "2026-01-31T10:00:00.123Z".
std::string FormatInstant(Timestamp time);

/// Days of "2026-01-31", with the year as FormatDate writes it; nullopt if it is not a date or does
/// not fit.
std::optional<int32_t> ParseDate(std::string_view text);

/// Steps since midnight of "hh:mm[:ss[.f...]]", up to nine digits of fraction; digits finer than
/// `unit` must be 0.
std::optional<int64_t> ParseTime(std::string_view text, TimeUnit unit);

struct ParsedTimestamp {
  int64_t value = 0;      ///< Steps since the epoch; UTC if `has_zone`, else as written.
  bool has_zone = false;  ///< The text ended with 'Z' or an offset.
};

/// "date", "dateTtime" or "date time", each but the first with an optional zone: "Z", "+hh",
/// "+hh:mm", "+hhmm" or '-'. Nullopt if it is anything else or does not fit.
std::optional<ParsedTimestamp> ParseTimestamp(std::string_view text, TimeUnit unit);

}  // namespace firn
