#include "firn/base/civil_time.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "firn/base/int128.h"
#include "firn/base/number.h"

namespace firn {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;

// The calendar repeats after 400 years. Its years are counted from 1 March, so that the leap day is
// the last one of a year.
constexpr int64_t kYearsPerCycle = 400;
constexpr int64_t kDaysPerCycle = 146'097;
constexpr int64_t kEpochFromYearZero = 719'468;  // Days from 0000-03-01 to 1970-01-01.

struct Quotient {
  int64_t value = 0;
  int64_t rest = 0;  // Never negative.
};

Quotient DivideFloor(int64_t value, int64_t divisor) {
  const int64_t rest = (value % divisor + divisor) % divisor;
  return {.value = value / divisor - (value % divisor < 0 ? 1 : 0), .rest = rest};
}

constexpr bool IsLeapYear(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr int DaysOfMonth(int64_t year, int month) {
  if (month == 2) return IsLeapYear(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

std::string FormatYear(int64_t year) {
  if (year < 0) return fmt::format("-{:04}", -year);
  return fmt::format("{}{:04}", year > 9999 ? "+" : "", year);
}

std::string FormatDay(int64_t days) {
  const CivilDate date = CivilFromDays(days);
  return fmt::format("{}-{:02}-{:02}", FormatYear(date.year), date.month, date.day);
}

// Take `count` digits off the front of `text`.
std::optional<int> TakeDigits(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool TakeChar(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int64_t> TakeYear(std::string_view& text) {
  const bool is_negative = TakeChar(text, '-');
  const bool is_signed = is_negative || TakeChar(text, '+');
  const size_t digits = text.find_first_not_of("0123456789");
  if (digits == std::string_view::npos || digits < 4 || digits > (is_signed ? 9 : 4)) {
    return std::nullopt;
  }
  const auto year = TakeDigits(text, digits);
  if (!year) return std::nullopt;
  return is_negative ? -int64_t{*year} : int64_t{*year};
}

// The days on which the months of some centuries begin, counted from the epoch.
constexpr int kTableYears[] = {1700, 2300};  // From, up to.
constexpr size_t kTableMonths = static_cast<size_t>(kTableYears[1] - kTableYears[0]) * 12;
constexpr std::array<int32_t, kTableMonths + 1> kMonthStarts = [] {
  std::array<int32_t, kTableMonths + 1> starts{};
  int32_t day = -98615;  // 1700-01-01.
  for (size_t i = 0; i < kTableMonths; ++i) {
    starts[i] = day;
    const auto month = static_cast<int>(i % 12) + 1;
    day += DaysOfMonth(kTableYears[0] + static_cast<int64_t>(i / 12), month);
  }
  starts[kTableMonths] = day;
  return starts;
}();
static_assert(kMonthStarts[(1970 - kTableYears[0]) * 12] == 0);

// Days of "2026-01-31", the form that all but old or far dates have; read eight characters at a
// time.
std::optional<int64_t> ReadPlainDate(std::string_view text) {
  static_assert(std::endian::native == std::endian::little);
  constexpr uint64_t kZeros = 0x3030303030303030ULL;
  constexpr uint64_t kHighs = 0xF0F0F0F0F0F0F0F0ULL;
  constexpr uint64_t kDashes = 0xFF0000FF00000000ULL;  // Where they stand.
  if (text.size() < 10) return std::nullopt;
  uint64_t digits = 0;
  std::memcpy(&digits, text.data(), sizeof(digits));
  const bool has_dashes = (digits & kDashes) == (0x2D2D2D2D2D2D2D2DULL & kDashes);
  digits = (digits & ~kDashes) | (kZeros & kDashes);
  const bool has_digits =
      (digits & kHighs) == kZeros && ((digits + 0x0606060606060606ULL) & kHighs) == kZeros;
  const int ten = text[8] - '0';
  const int one = text[9] - '0';
  if (!has_dashes || !has_digits || ten < 0 || ten > 9 || one < 0 || one > 9) return std::nullopt;
  digits -= kZeros;
  digits = digits * 10 + (digits >> 8);
  const int year = static_cast<int>((digits & 0xFF) * 100 + (digits >> 16 & 0xFF));
  const int month = static_cast<int>(digits >> 40 & 0xFF);
  const int day = ten * 10 + one;
  if (year < kTableYears[0] || year >= kTableYears[1] || month < 1 || month > 12) {
    return std::nullopt;
  }
  const auto at = static_cast<size_t>((year - kTableYears[0]) * 12 + month - 1);
  if (day < 1 || day > kMonthStarts[at + 1] - kMonthStarts[at]) return std::nullopt;
  return kMonthStarts[at] + day - 1;
}

std::optional<int64_t> TakeDate(std::string_view& text) {
  if (const auto days = ReadPlainDate(text)) {
    text.remove_prefix(10);
    return days;
  }
  const auto year = TakeYear(text);
  if (!year || !TakeChar(text, '-')) return std::nullopt;
  const auto month = TakeDigits(text, 2);
  if (!month || !TakeChar(text, '-')) return std::nullopt;
  const auto day = TakeDigits(text, 2);
  if (!day) return std::nullopt;
  const CivilDate date{.year = *year, .month = *month, .day = *day};
  if (!IsValidDate(date)) return std::nullopt;
  return DaysFromCivil(date);
}

// ".123" of a second; 0 if there is none.
std::optional<int64_t> TakeFraction(std::string_view& text, TimeUnit unit) {
  if (!TakeChar(text, '.')) return 0;
  int64_t nanos = 0;
  size_t digits = 0;
  for (; digits < 9; ++digits) {
    const auto digit = TakeDigits(text, 1);
    if (!digit) break;
    nanos = nanos * 10 + *digit;
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 9; ++digits)
    nanos *= 10;
  const int64_t step_nanos = 1'000'000'000 / StepsPerSecond(unit);
  if (nanos % step_nanos != 0) return std::nullopt;
  return nanos / step_nanos;
}

std::optional<int64_t> TakeTime(std::string_view& text, TimeUnit unit) {
  const auto hour = TakeDigits(text, 2);
  if (!hour || *hour > 23 || !TakeChar(text, ':')) return std::nullopt;
  const auto minute = TakeDigits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  const int64_t minutes = *hour * 60 + *minute;
  if (!TakeChar(text, ':')) return minutes * 60 * StepsPerSecond(unit);
  const auto second = TakeDigits(text, 2);
  if (!second || *second > 59) return std::nullopt;
  const auto fraction = TakeFraction(text, unit);
  if (!fraction) return std::nullopt;
  return (minutes * 60 + *second) * StepsPerSecond(unit) + *fraction;
}

// Seconds east of UTC of a zone that is the whole text.
std::optional<int64_t> ParseZone(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  const bool is_west = TakeChar(text, '-');
  if (!is_west && !TakeChar(text, '+')) return std::nullopt;
  const auto hour = TakeDigits(text, 2);
  if (!hour || *hour > 18) return std::nullopt;
  int minute = 0;
  if (!text.empty()) {
    TakeChar(text, ':');
    const auto digits = TakeDigits(text, 2);
    if (!digits || *digits > 59 || !text.empty()) return std::nullopt;
    minute = *digits;
  }
  const int64_t seconds = *hour * 3600 + minute * 60;
  return is_west ? -seconds : seconds;
}

}  // namespace

int64_t DaysFromCivil(const CivilDate& date) {
  const bool is_before_march = date.month < 3;
  const Quotient cycle = DivideFloor(date.year - (is_before_march ? 1 : 0), kYearsPerCycle);
  const int month = is_before_march ? date.month + 9 : date.month - 3;  // 0 is March.
  const int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
  const int64_t day_of_cycle = cycle.rest * 365 + cycle.rest / 4 - cycle.rest / 100 + day_of_year;
  return cycle.value * kDaysPerCycle + day_of_cycle - kEpochFromYearZero;
}

CivilDate CivilFromDays(int64_t days) {
  const Quotient cycle = DivideFloor(days + kEpochFromYearZero, kDaysPerCycle);
  // Leap days before this day of the cycle: after 4 years, less after 100, again after 400.
  const int64_t year =
      (cycle.rest - cycle.rest / 1460 + cycle.rest / 36'524 - cycle.rest / 146'096) / 365;
  const int64_t day_of_year = cycle.rest - (365 * year + year / 4 - year / 100);
  const int64_t month = (5 * day_of_year + 2) / 153;  // 0 is March.
  const bool is_next_year = month >= 10;
  return {.year = cycle.value * kYearsPerCycle + year + (is_next_year ? 1 : 0),
          .month = static_cast<int>(is_next_year ? month - 9 : month + 3),
          .day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1)};
}

bool IsValidDate(const CivilDate& date) {
  return date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= DaysOfMonth(date.year, date.month);
}

int64_t StepsPerSecond(TimeUnit unit) {
  return unit == TimeUnit::kMicros ? 1'000'000 : 1'000'000'000;
}

std::string FormatDate(int64_t days) { return FormatDay(days); }

std::string FormatTime(int64_t value, TimeUnit unit) {
  const bool is_negative = value < 0;
  const auto bits = static_cast<uint64_t>(value);
  const uint64_t magnitude = is_negative ? ~bits + 1 : bits;
  const auto steps = static_cast<uint64_t>(StepsPerSecond(unit));
  const uint64_t seconds = magnitude / steps;
  return fmt::format("{}{:02}:{:02}:{:02}.{:0{}}", is_negative ? "-" : "", seconds / 3600,
                     seconds / 60 % 60, seconds % 60, magnitude % steps,
                     unit == TimeUnit::kMicros ? 6 : 9);
}

std::string FormatTimestamp(int64_t value, TimeUnit unit) {
  const Quotient day = DivideFloor(value, kSecondsPerDay * StepsPerSecond(unit));
  return FormatDay(day.value) + "T" + FormatTime(day.rest, unit);
}

std::string FormatInstant(Timestamp time) {
  const Quotient day = DivideFloor(time.time_since_epoch().count(), kSecondsPerDay * 1000);
  const std::string clock = FormatTime(day.rest * 1000, TimeUnit::kMicros);
  return FormatDay(day.value) + "T" + clock.substr(0, clock.size() - 3) + "Z";
}

std::optional<int32_t> ParseDate(std::string_view text) {
  const auto days = TakeDate(text);
  if (!days || !text.empty()) return std::nullopt;
  if (*days < std::numeric_limits<int32_t>::min() || *days > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int32_t>(*days);
}

std::optional<int64_t> ParseTime(std::string_view text, TimeUnit unit) {
  const auto time = TakeTime(text, unit);
  if (!time || !text.empty()) return std::nullopt;
  return time;
}

std::optional<ParsedTimestamp> ParseTimestamp(std::string_view text, TimeUnit unit) {
  const auto days = TakeDate(text);
  if (!days) return std::nullopt;
  ParsedTimestamp parsed;
  Int128 steps = Int128{*days} * kSecondsPerDay * StepsPerSecond(unit);
  if (TakeChar(text, 'T') || TakeChar(text, 't') || TakeChar(text, ' ')) {
    const auto time = TakeTime(text, unit);
    if (!time) return std::nullopt;
    steps += *time;
    if (!text.empty()) {
      const auto zone = ParseZone(text);
      if (!zone) return std::nullopt;
      steps -= Int128{*zone} * StepsPerSecond(unit);
      parsed.has_zone = true;
      text = {};
    }
  }
  if (!text.empty() || steps < std::numeric_limits<int64_t>::min() ||
      steps > std::numeric_limits<int64_t>::max()) {
    return std::nullopt;
  }
  parsed.value = static_cast<int64_t>(steps);
  return parsed;
}

}  // namespace firn
