#include "firn/base/civil_time.h"

#include <limits>

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(CivilTimeTest, KnowsTheDaysOfHistory) {
  // From the standard library, which has a calendar of its own.
  for (int year = -32'000; year <= 32'000; year += 97) {
    for (const unsigned month : {1U, 2U, 3U, 12U}) {
      for (const unsigned day : {1U, 28U, 29U, 31U}) {
        const std::chrono::year_month_day expected{
            std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
        const CivilDate date{
            .year = year, .month = static_cast<int>(month), .day = static_cast<int>(day)};
        ASSERT_EQ(IsValidDate(date), expected.ok());
        if (!expected.ok()) continue;
        const int64_t days = std::chrono::sys_days(expected).time_since_epoch().count();
        ASSERT_EQ(DaysFromCivil(date), days);
        const CivilDate back = CivilFromDays(days);
        ASSERT_EQ(back.year, date.year);
        ASSERT_EQ(back.month, date.month);
        ASSERT_EQ(back.day, date.day);
      }
    }
  }
}

TEST(CivilTimeTest, EveryDayOfACycleComesBack) {
  for (int64_t days = -146'097; days <= 146'097; ++days) {
    const CivilDate date = CivilFromDays(days);
    ASSERT_TRUE(IsValidDate(date)) << days;
    ASSERT_EQ(DaysFromCivil(date), days);
  }
}

TEST(CivilTimeTest, FormatsDates) {
  EXPECT_EQ(FormatDate(0), "1970-01-01");
  EXPECT_EQ(FormatDate(-1), "1969-12-31");
  EXPECT_EQ(FormatDate(20'484), "2026-01-31");
  EXPECT_EQ(FormatDate(-719'528), "0000-01-01");
}

TEST(CivilTimeTest, FormatsYearsBeyondFourDigitsAndBelowZero) {
  EXPECT_EQ(FormatDate(2'932'897), "+10000-01-01");
  EXPECT_EQ(FormatDate(-719'529), "-0001-12-31");
  EXPECT_EQ(FormatDate(std::numeric_limits<int32_t>::max()), "+5881580-07-11");
  EXPECT_EQ(FormatDate(std::numeric_limits<int32_t>::min()), "-5877641-06-23");
}

TEST(CivilTimeTest, FormatsTimesWithAllDigits) {
  EXPECT_EQ(FormatTime(0, TimeUnit::kMicros), "00:00:00.000000");
  EXPECT_EQ(FormatTime(36'000'123'456, TimeUnit::kMicros), "10:00:00.123456");
  EXPECT_EQ(FormatTime(36'000'123'456'789, TimeUnit::kNanos), "10:00:00.123456789");
}

TEST(CivilTimeTest, FormatsTimesThatAreNoneWithoutCrashing) {
  EXPECT_EQ(FormatTime(-1, TimeUnit::kMicros), "-00:00:00.000001");
  EXPECT_EQ(FormatTime(std::numeric_limits<int64_t>::min(), TimeUnit::kNanos),
            "-2562047:47:16.854775808");
}

TEST(CivilTimeTest, FormatsTimestamps) {
  EXPECT_EQ(FormatTimestamp(1'769'853'600'123'456, TimeUnit::kMicros),
            "2026-01-31T10:00:00.123456");
  EXPECT_EQ(FormatTimestamp(-1, TimeUnit::kNanos), "1969-12-31T23:59:59.999999999");
  EXPECT_EQ(FormatTimestamp(std::numeric_limits<int64_t>::min(), TimeUnit::kMicros),
            "-290308-12-21T19:59:05.224192");
  EXPECT_EQ(FormatTimestamp(std::numeric_limits<int64_t>::max(), TimeUnit::kMicros),
            "+294247-01-10T04:00:54.775807");
}

TEST(CivilTimeTest, FormatsInstants) {
  EXPECT_EQ(FormatInstant(Timestamp(std::chrono::milliseconds(1'769'853'600'123))),
            "2026-01-31T10:00:00.123Z");
}

TEST(CivilTimeTest, ParsesWhatItFormats) {
  for (const int64_t value :
       {int64_t{0}, int64_t{-1}, int64_t{1'769'853'600'123'456}, int64_t{-62'167'219'200'000'001},
        std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    for (const TimeUnit unit : {TimeUnit::kMicros, TimeUnit::kNanos}) {
      const std::string text = FormatTimestamp(value, unit);
      const auto parsed = ParseTimestamp(text, unit);
      ASSERT_TRUE(parsed) << text;
      EXPECT_EQ(parsed->value, value);
      EXPECT_FALSE(parsed->has_zone);
    }
  }
  for (const int32_t days :
       {0, -1, 20'484, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
    EXPECT_EQ(ParseDate(FormatDate(days)), days);
  }
}

// Those of some centuries are looked up.
TEST(CivilTimeTest, ReadsEachDayOfManyYears) {
  for (int32_t days = -110'000; days < 130'000; ++days)
    ASSERT_EQ(ParseDate(FormatDate(days)), days);
}

TEST(CivilTimeTest, RefusesTextsThatAreNoDates) {
  for (const char* text :
       {"", "2026", "2026-1-1", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-32", "26-01-01",
        "12026-01-01", "2026-01-01 ", " 2026-01-01", "2026/01/01", "2026-01-01T", "+2026",
        "+9999999999-01-01", "-99999999-01-01", "2026-01-0a"}) {
    EXPECT_FALSE(ParseDate(text)) << text;
  }
}

TEST(CivilTimeTest, ParsesTimes) {
  EXPECT_EQ(ParseTime("22:31:08.123456", TimeUnit::kMicros), 81'068'123'456);
  EXPECT_EQ(ParseTime("22:31:08.1", TimeUnit::kMicros), 81'068'100'000);
  EXPECT_EQ(ParseTime("22:31", TimeUnit::kMicros), 81'060'000'000);
  EXPECT_EQ(ParseTime("00:00:00.123456789", TimeUnit::kNanos), 123'456'789);
  EXPECT_EQ(ParseTime("00:00:00.123456000", TimeUnit::kMicros), 123'456);
  for (const char* text : {"", "24:00:00", "10:60:00", "10:00:60", "10:00:00.", "1:00:00", "10",
                           "10:00:00.1234567", "10:00:00.1234567890", "10:00:00Z", "10:00:00,1"}) {
    EXPECT_FALSE(ParseTime(text, TimeUnit::kMicros)) << text;
  }
}

TEST(CivilTimeTest, ParsesZonesAsOffsetsFromUtc) {
  const int64_t noon_utc = 1'769'860'800'000'000;
  for (const char* text :
       {"2026-01-31T12:00:00Z", "2026-01-31 12:00z", "2026-01-31T12:00:00.0+00:00",
        "2026-01-31T14:00:00+02:00", "2026-01-31T14:00:00+02", "2026-01-31T06:30:00-0530",
        "2026-02-01T06:00:00+18:00"}) {
    const auto parsed = ParseTimestamp(text, TimeUnit::kMicros);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->value, noon_utc) << text;
    EXPECT_TRUE(parsed->has_zone);
  }
}

TEST(CivilTimeTest, ParsesADateAsItsMidnight) {
  const auto parsed = ParseTimestamp("2026-01-31", TimeUnit::kMicros);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->value, 1'769'817'600'000'000);
  EXPECT_FALSE(parsed->has_zone);
}

TEST(CivilTimeTest, RefusesTextsThatAreNoTimestamps) {
  for (const char* text :
       {"", "2026-01-31T", "2026-01-31Z", "2026-01-31T10", "2026-01-31T10:00:00+",
        "2026-01-31T10:00:00+19:00", "2026-01-31T10:00:00+01:60", "2026-01-31T10:00:00+1",
        "2026-01-31T10:00:00 Z", "2026-01-31T10:00:00ZZ", "2026-01-31x10:00:00",
        "+294248-01-01T00:00:00"}) {
    EXPECT_FALSE(ParseTimestamp(text, TimeUnit::kMicros)) << text;
  }
  EXPECT_FALSE(ParseTimestamp("2263-01-01T00:00:00", TimeUnit::kNanos));
}

}  // namespace
}  // namespace firn
