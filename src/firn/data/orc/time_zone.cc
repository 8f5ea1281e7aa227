#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "firn/base/bytes.h"
#include "firn/base/civil_time.h"
#include "firn/data/orc/time_zone_internal.h"
#include "firn/io/io.h"

namespace firn {
namespace {

constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86400;
constexpr size_t kHeaderBytes = 44;
constexpr int64_t kHoursMax = 167;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Walks through the text of a rule.
class RuleText {
 public:
  explicit RuleText(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool ok() const { return ok_; }
  char peek() const { return text_.empty() ? '\0' : text_.front(); }

  bool Skip(char c) {
    if (peek() != c || text_.empty()) return false;
    text_.remove_prefix(1);
    return true;
  }
  void Expect(char c) { ok_ = Skip(c) && ok_; }

  // `EST`, or `<-03>`.
  void Name() {
    size_t size = 0;
    if (Skip('<')) {
      size = text_.find('>');
      ok_ = ok_ && size != std::string_view::npos;
      text_.remove_prefix(ok_ ? size + 1 : text_.size());
      return;
    }
    while (size < text_.size() && std::isalpha(static_cast<unsigned char>(text_[size])) != 0) {
      ++size;
    }
    ok_ = ok_ && size >= 3;
    text_.remove_prefix(size);
  }

  int64_t Number(int64_t low, int64_t high) {
    ok_ = ok_ && IsDigit(peek());
    int64_t value = 0;
    while (IsDigit(peek()) && value <= high) {
      value = value * 10 + (peek() - '0');
      text_.remove_prefix(1);
    }
    ok_ = ok_ && value >= low && value <= high;
    return value;
  }

  // `[+-]hh[:mm[:ss]]` in seconds.
  int64_t Seconds() {
    const bool is_negative = Skip('-');
    if (!is_negative) Skip('+');
    int64_t seconds = Number(0, kHoursMax) * kHour;
    if (Skip(':')) seconds += Number(0, 59) * 60;
    if (Skip(':')) seconds += Number(0, 59);
    return is_negative ? -seconds : seconds;
  }

  YearlyDay Day() {
    YearlyDay day;
    if (Skip('M')) {
      day.form = YearlyDay::Form::kWeekday;
      day.month = Number(1, 12);
      Expect('.');
      day.week = Number(1, 5);
      Expect('.');
      day.day = Number(0, 6);
    } else if (Skip('J')) {
      day.form = YearlyDay::Form::kDayWithoutLeap;
      day.day = Number(1, 365);
    } else {
      day.day = Number(0, 365);
    }
    if (Skip('/')) day.seconds = Seconds();
    return day;
  }

 private:
  std::string_view text_;
  bool ok_ = true;
};

// Seconds since 1970 where clocks are at UTC.
int64_t SecondsOf(const YearlyDay& day, int64_t year) {
  if (day.form != YearlyDay::Form::kWeekday) {
    const int64_t first = DaysFromCivil({.year = year});
    const bool is_leap = DaysFromCivil({.year = year + 1}) - first == 366;
    int64_t days = day.day;
    if (day.form == YearlyDay::Form::kDayWithoutLeap) days -= is_leap && days >= 60 ? 0 : 1;
    return (first + days) * kDay + day.seconds;
  }
  const auto month = static_cast<int>(day.month);
  const int64_t first = DaysFromCivil({.year = year, .month = month});
  const int64_t next = month == 12 ? DaysFromCivil({.year = year + 1})
                                   : DaysFromCivil({.year = year, .month = month + 1});
  const int64_t weekday = ((first + 4) % 7 + 7) % 7;  // 1970 began on a Thursday.
  int64_t days = first + (day.day - weekday + 7) % 7 + (day.week - 1) * 7;
  if (days >= next) days -= 7;
  return days * kDay + day.seconds;
}

uint64_t BigEndian(std::span<const std::byte> bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value = value << 8 | std::to_integer<uint64_t>(bytes[at + i]);
  }
  return value;
}

// Counts of one of the two parts of a file, and where its data are.
struct ZoneBlock {
  size_t changes = 0;
  size_t types = 0;
  size_t data = 0;
  size_t end = 0;
};

std::optional<ZoneBlock> ReadBlock(std::span<const std::byte> bytes, size_t at, size_t time_bytes) {
  if (bytes.size() < at + kHeaderBytes || AsText(bytes.subspan(at, 4)) != "TZif") return {};
  const auto count = [&](size_t place) {
    return static_cast<size_t>(BigEndian(bytes, at + 20 + place * 4, 4));
  };
  ZoneBlock block{.changes = count(3), .types = count(4), .data = at + kHeaderBytes};
  block.end = block.data + block.changes * (time_bytes + 1) + block.types * 6 + count(5) +
              count(2) * (time_bytes + 4) + count(1) + count(0);
  if (block.types == 0 || block.end > bytes.size()) return {};
  return block;
}

bool IsZoneName(std::string_view name) {
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '_' || c == '-' ||
           c == '+';
  });
  return is_plain && !name.empty() && name.front() != '/';
}

}  // namespace

std::optional<YearlyRule> ParseYearlyRule(std::string_view text) {
  RuleText walk(text);
  YearlyRule rule;
  walk.Name();
  rule.standard_offset = -walk.Seconds();
  if (!walk.at_end()) {
    walk.Name();
    rule.summer_offset = rule.standard_offset + kHour;
    if (walk.peek() != ',') rule.summer_offset = -walk.Seconds();
    walk.Expect(',');
    rule.summer_start = walk.Day();
    walk.Expect(',');
    rule.summer_end = walk.Day();
  }
  if (!walk.ok() || !walk.at_end()) return {};
  return rule;
}

Result<TimeZone> TimeZone::Load(std::string_view name) {
  const Error unknown =
      MakeError(ErrorCode::kUnsupported, "the system knows no time zone '{}'", name);
  if (!IsZoneName(name)) return unknown;
  const char* const folder = std::getenv("TZDIR");  // NOLINT(concurrency-mt-unsafe): never set.
  const auto io = MakeLocalFileIO();
  const auto bytes = ReadFile(
      *io, fmt::format("{}/{}", folder == nullptr ? "/usr/share/zoneinfo" : folder, name), 1 << 20);
  if (!bytes.ok()) return unknown;
  FIRN_ASSIGN(TimeZone zone, Parse(bytes->span()), "time zone '{}'", name);
  return zone;
}

Result<TimeZone> TimeZone::Parse(std::span<const std::byte> bytes) {
  const Error damaged(ErrorCode::kUnsupported, "the system's file of it is not readable");
  const auto old = ReadBlock(bytes, 0, 4);
  if (!old) return damaged;
  // Version 1 has 32 bits and no rule; all since 2005 have a second part.
  const auto block = ReadBlock(bytes, old->end, 8);
  if (!block) return damaged;
  const size_t indexes = block->data + block->changes * 8;
  const size_t types = indexes + block->changes;
  const auto offset_of = [&](size_t type) {
    return int64_t{static_cast<int32_t>(BigEndian(bytes, types + type * 6, 4))};
  };
  TimeZone zone;
  zone.first_offset_ = offset_of(0);
  for (size_t i = 0; i < block->changes; ++i) {
    const auto type = std::to_integer<size_t>(bytes[indexes + i]);
    const auto instant = static_cast<int64_t>(BigEndian(bytes, block->data + i * 8, 8));
    if (type >= block->types) return damaged;
    zone.changes_.push_back({.instant = instant, .offset = offset_of(type)});
  }
  if (!std::is_sorted(zone.changes_.begin(), zone.changes_.end(),
                      [](const Change& a, const Change& b) { return a.instant < b.instant; })) {
    return damaged;
  }
  std::string_view rule = AsText(bytes.subspan(block->end));
  if (rule.size() < 2 || rule.front() != '\n' || rule.back() != '\n') return damaged;
  rule = rule.substr(1, rule.size() - 2);
  zone.rule_ = ParseYearlyRule(rule);
  if (!zone.rule_ && !rule.empty()) return damaged;
  return zone;
}

int64_t TimeZone::OffsetAt(int64_t instant) {
  if (instant < known_start_ || instant >= known_end_) known_offset_ = FindOffset(instant);
  return known_offset_;
}

int64_t TimeZone::FindOffset(int64_t instant) {
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), instant,
                       [](int64_t value, const Change& change) { return value < change.instant; });
  known_start_ =
      after == changes_.begin() ? std::numeric_limits<int64_t>::min() : std::prev(after)->instant;
  if (after == changes_.end() && rule_) return OffsetByRule(instant);
  known_end_ = after == changes_.end() ? std::numeric_limits<int64_t>::max() : after->instant;
  return after == changes_.begin() ? first_offset_ : std::prev(after)->offset;
}

int64_t TimeZone::OffsetByRule(int64_t instant) {
  known_end_ = std::numeric_limits<int64_t>::max();
  if (!rule_->summer_offset) return rule_->standard_offset;
  // Changes of this year and those around it, in their order.
  const int64_t year = CivilFromDays((instant + rule_->standard_offset) / kDay).year;
  std::vector<Change> changes;
  for (int64_t y = year - 1; y <= year + 1; ++y) {
    changes.push_back({.instant = SecondsOf(rule_->summer_start, y) - rule_->standard_offset,
                       .offset = *rule_->summer_offset});
    changes.push_back({.instant = SecondsOf(rule_->summer_end, y) - *rule_->summer_offset,
                       .offset = rule_->standard_offset});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.instant < b.instant; });
  int64_t offset = rule_->standard_offset;
  for (const Change& change : changes) {
    if (change.instant > instant) {
      known_end_ = change.instant;
      break;
    }
    known_start_ = std::max(known_start_, change.instant);
    offset = change.offset;
  }
  return offset;
}

}  // namespace firn
