#include <limits>
#include <optional>

#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/expression/literal_placement_internal.h"

// Literals that are compared with years(x), months(x), days(x) and hours(x).

namespace firn {
namespace {

using Kind = Literal::Kind;

// No column reaches further, and the calendar can still compute.
constexpr int64_t kOrdinalMax = 1'000'000'000'000;

std::string_view Example(TransformKind kind) {
  if (kind == TransformKind::kYear) return "'2026'";
  if (kind == TransformKind::kMonth) return "'2026-01'";
  if (kind == TransformKind::kDay) return "DATE '2026-01-31'";
  return "'2026-01-31-10'";
}

std::string_view FunctionName(TransformKind kind) {
  if (kind == TransformKind::kYear) return "years";
  if (kind == TransformKind::kMonth) return "months";
  if (kind == TransformKind::kDay) return "days";
  return "hours";
}

// The ordinal of "2026", "2026-01", "2026-01-31" or "2026-01-31-10".
std::optional<int64_t> ParseReadableOrdinal(std::string_view text, TransformKind kind) {
  // Completed to a date, which checks all parts.
  std::string date(text);
  int64_t hour = 0;
  if (kind == TransformKind::kYear) date += "-01-01";
  if (kind == TransformKind::kMonth) date += "-01";
  if (kind == TransformKind::kHour) {
    if (text.size() < 3 || text[text.size() - 3] != '-') return std::nullopt;
    const auto parsed = ParseInt64(text.substr(text.size() - 2));
    if (!parsed || *parsed < 0 || *parsed > 23) return std::nullopt;
    hour = *parsed;
    date.resize(date.size() - 3);
  }
  const auto days = ParseDate(date);
  if (!days) return std::nullopt;
  if (kind == TransformKind::kDay) return *days;
  if (kind == TransformKind::kHour) return int64_t{*days} * 24 + hour;
  const CivilDate civil = CivilFromDays(*days);
  const int64_t years = civil.year - 1970;
  return kind == TransformKind::kYear ? years : years * 12 + civil.month - 1;
}

int64_t FloorDivide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

int64_t FirstDay(int64_t ordinal, TransformKind kind) {
  if (kind == TransformKind::kDay) return ordinal;
  if (kind == TransformKind::kYear) return DaysFromCivil({.year = 1970 + ordinal});
  const int64_t years = FloorDivide(ordinal, 12);
  return DaysFromCivil({.year = 1970 + years, .month = static_cast<int>(ordinal - years * 12) + 1});
}

template <typename T>
PlacedLiteral PlaceStart(Int128 start) {
  if (start < Int128{std::numeric_limits<T>::min()}) return {Place::kBelowAll, Value()};
  if (start > Int128{std::numeric_limits<T>::max()}) return {Place::kAboveAll, Value()};
  return {Place::kExact, Value(static_cast<T>(start))};
}

}  // namespace

Result<PlacedLiteral> PlaceOrdinal(const Literal& literal, const Transform& transform,
                                   std::string_view term) {
  static const TypePtr kOrdinalType = Type::Primitive(TypeId::kLong);
  static const TypePtr kDateType = Type::Primitive(TypeId::kDate);
  if (literal.kind == Kind::kNull) return PlacedLiteral{};
  if (literal.kind == Kind::kNumber) return PlaceLiteral(literal, *kOrdinalType, term);
  if (literal.kind == Kind::kText) {
    const auto ordinal = ParseReadableOrdinal(TrimText(literal.text), transform.kind);
    if (ordinal) return PlacedLiteral{Place::kExact, Value(*ordinal)};
  }
  const bool is_time = literal.kind == Kind::kDate || literal.kind == Kind::kTimestamp;
  if (transform.kind == TransformKind::kDay && is_time) {
    FIRN_ASSIGN(PlacedLiteral placed, PlaceLiteral(literal, *kDateType, term));
    if (const auto* days = placed.value.get_if<int32_t>()) placed.value = Value(int64_t{*days});
    return placed;
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "filter: {}({}) is compared with '{}', expected a literal such as {}",
                   FunctionName(transform.kind), term, literal.text, Example(transform.kind));
}

PlacedLiteral PlaceOrdinalStart(int64_t ordinal, const Transform& transform, const Type& source) {
  if (ordinal < -kOrdinalMax) return {Place::kBelowAll, Value()};
  if (ordinal > kOrdinalMax) return {Place::kAboveAll, Value()};
  if (source.id() == TypeId::kDate) return PlaceStart<int32_t>(FirstDay(ordinal, transform.kind));
  const bool is_nanos =
      source.id() == TypeId::kTimestampNs || source.id() == TypeId::kTimestamptzNs;
  const Int128 second = StepsPerSecond(is_nanos ? TimeUnit::kNanos : TimeUnit::kMicros);
  if (transform.kind == TransformKind::kHour) return PlaceStart<int64_t>(ordinal * 3600 * second);
  return PlaceStart<int64_t>(FirstDay(ordinal, transform.kind) * 86'400 * second);
}

}  // namespace firn
