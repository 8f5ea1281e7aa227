#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "firn/base/utf8.h"
#include "firn/expression/expression.h"
#include "firn/testing/matchers.h"

// Random rows, files, partitions and filters: whatever is decided from metadata must agree with a
// plain three-valued evaluation of every row.

namespace firn {
namespace {

using Kind = ExpressionKind;
using Truth = std::optional<bool>;  // Nullopt: SQL's null.

// One number is drawn by RapidCheck for each property, and the rest follows from it: a failure
// shows just that number.
std::mt19937_64& Generator() {
  static std::mt19937_64 generator;
  return generator;
}
size_t Below(size_t count) { return Generator()() % count; }
bool Flip() { return Below(2) == 0; }

constexpr int64_t kHour = 3'600'000'000;

// Few values, so that they meet, and the ones at which something changes.
const std::vector<std::pair<TypePtr, std::vector<Value>>>& Columns() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const int32_t int_min = std::numeric_limits<int32_t>::min();
  const int32_t int_max = std::numeric_limits<int32_t>::max();
  const auto uuid = [](int first, int middle, int last) {
    UuidBytes bytes{};
    bytes[0] = static_cast<std::byte>(first);
    bytes[8] = static_cast<std::byte>(middle);
    bytes[15] = static_cast<std::byte>(last);
    return Value(bytes);
  };
  static const std::vector<std::pair<TypePtr, std::vector<Value>>> kColumns = {
      {Type::Primitive(TypeId::kInt),
       {int_min, int_min + 1, -11, -10, -1, 0, 1, 9, 10, 34, int_max - 1, int_max}},
      {Type::Primitive(TypeId::kLong),
       {std::numeric_limits<int64_t>::min(), int64_t{-1}, int64_t{0}, int64_t{7}, int64_t{1} << 40,
        std::numeric_limits<int64_t>::max()}},
      {Type::Primitive(TypeId::kFloat), {-1.5F, -0.0F, 0.0F, 0.1F, std::nanf(""), 3.4e38F}},
      {Type::Primitive(TypeId::kDouble), {-inf, -1.5, -0.0, 0.0, 0.1, inf, nan, -nan}},
      {Type::Decimal(9, 2),
       {Int128{-999999999}, Int128{-5}, Int128{0}, Int128{1420}, Int128{1421}}},
      {Type::Primitive(TypeId::kString),
       {std::string(), std::string("a"), std::string("ab"), std::string("abc"), std::string("abcd"),
        std::string("äb"), std::string("ä\U0001F600z"), std::string("\x7f"),
        std::string("abcdefghijklmnopqrs"), std::string("abcdefghijklmnopqrz"),
        std::string("\U0010FFFF\U0010FFFF\U0010FFFF")}},
      {Type::Primitive(TypeId::kBinary),
       {BinaryValue{""}, BinaryValue{"\x01"}, BinaryValue{"\xff"}, BinaryValue{"\xff\xff\xff"},
        BinaryValue{"\x01\x02\x03\x04"}}},
      {Type::Primitive(TypeId::kUuid),
       {uuid(0, 0, 0), uuid(0, 0, 7), uuid(0, 0x80, 1), uuid(0x7f, 0xff, 0), uuid(0x80, 0, 0),
        uuid(0xff, 0xff, 0xff)}},
      {Type::Primitive(TypeId::kBoolean), {true, false}},
      {Type::Primitive(TypeId::kDate), {-719162, -366, -365, -32, -1, 0, 1, 31, 365, 20484}},
      {Type::Primitive(TypeId::kTimestamp),
       {-kHour * 24 * 365, -kHour * 24 - 1, -kHour * 24, -kHour - 1, -kHour, int64_t{-1},
        int64_t{0}, kHour - 1, kHour, kHour * 24 * 31, int64_t{1'769'853'600'123'456}}},
      {Type::Primitive(TypeId::kTimestamptzNs),
       {int64_t{-1}, int64_t{-1000}, -kHour * 1000, int64_t{0},
        int64_t{1'769'853'600'123'456'789}}},
  };
  return kColumns;
}

std::string ColumnName(size_t column) { return "c" + std::to_string(column); }

const Schema& TestSchema() {
  static const Schema kSchema = [] {
    std::vector<NestedField> fields;
    for (size_t i = 0; i < Columns().size(); ++i) {
      fields.push_back(
          {.id = static_cast<int32_t>(i) + 1, .name = ColumnName(i), .type = Columns()[i].first});
    }
    return Schema(0, std::move(fields));
  }();
  return kSchema;
}

Value DrawValue(size_t column) {
  const auto& values = Columns()[column].second;
  return values[Below(values.size())];
}

std::vector<StructValue> DrawRows(size_t count_max) {
  std::vector<StructValue> rows(Below(count_max + 1));
  for (StructValue& row : rows) {
    for (size_t column = 0; column < Columns().size(); ++column)
      row.fields.push_back(Below(5) == 0 ? Value() : DrawValue(column));
  }
  return rows;
}

Literal DrawLiteral(size_t column) {
  if (Below(12) == 0) return {};
  Literal literal = MakeLiteral(DrawValue(column), *Columns()[column].first);
  literal.value = Value();  // As if it had been parsed.
  return literal;
}

ExpressionPtr DrawPredicate() {
  const size_t column = Below(Columns().size());
  const TypeId type = Columns()[column].first->id();
  const Term term{.name = ColumnName(column)};
  const bool is_string = type == TypeId::kString;
  const bool is_float = Columns()[column].first->is_float();
  static const std::vector<Kind> kComparisons = {Kind::kLess,    Kind::kLessEqual,
                                                 Kind::kGreater, Kind::kGreaterEqual,
                                                 Kind::kEqual,   Kind::kNotEqual};
  switch (Below(6)) {
    case 0:
      return Expression::Predicate(Flip() ? Kind::kIsNull : Kind::kNotNull, term, {});
    case 1: {
      std::vector<Literal> literals(1 + Below(4));
      for (Literal& literal : literals)
        literal = DrawLiteral(column);
      return Expression::Predicate(Flip() ? Kind::kIn : Kind::kNotIn, term, std::move(literals));
    }
    case 2:
      if (is_float) return Expression::Predicate(Flip() ? Kind::kIsNan : Kind::kNotNan, term, {});
      if (is_string) {
        static const std::vector<std::string> kPatterns = {"a_c", "%b",  "ab%d",
                                                           "_",   "ä_z", "a\\_%c"};
        const Literal pattern{.kind = Literal::Kind::kText, .text = kPatterns[Below(6)]};
        return Expression::Predicate(Flip() ? Kind::kLike : Kind::kNotLike, term, {pattern});
      }
      [[fallthrough]];
    case 3:
      if (is_string) {
        static const std::vector<std::string> kPrefixes = {"a", "ab", "abc", "abcd", "ä", "\x7f%"};
        const Literal prefix{.kind = Literal::Kind::kText, .text = kPrefixes[Below(6)]};
        return Expression::Predicate(Flip() ? Kind::kStartsWith : Kind::kNotStartsWith, term,
                                     {prefix});
      }
      [[fallthrough]];
    default:
      return Expression::Predicate(kComparisons[Below(6)], term, {DrawLiteral(column)});
  }
}

ExpressionPtr DrawExpression(int depth) {
  if (depth == 0 || Below(3) == 0) return DrawPredicate();
  if (Below(4) == 0) return Expression::Not(DrawExpression(depth - 1));
  std::vector<ExpressionPtr> children;
  const size_t count = 2 + Below(2);
  for (size_t i = 0; i < count; ++i)
    children.push_back(DrawExpression(depth - 1));
  return Flip() ? Expression::And(std::move(children)) : Expression::Or(std::move(children));
}

// The definition of the language, row by row.

int CompareSql(const Value& a, const Value& b) {
  const auto compare_floats = [](double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return int{std::isnan(x)} - int{std::isnan(y)};
    return x < y ? -1 : (x > y ? 1 : 0);
  };
  if (a.is<float>()) return compare_floats(double{a.get<float>()}, double{b.get<float>()});
  if (a.is<double>()) return compare_floats(a.get<double>(), b.get<double>());
  const auto order = CompareValues(a, b);
  return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

bool IsNanValue(const Value& value) {
  return (value.is<float>() && std::isnan(value.get<float>())) ||
         (value.is<double>() && std::isnan(value.get<double>()));
}

bool IsLike(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    return IsLike(text, pattern.substr(1)) || (!text.empty() && IsLike(text.substr(1), pattern));
  }
  if (text.empty()) return false;
  if (pattern[0] == '_')
    return IsLike(text.substr(TakeCodePoints(text, 1).size()), pattern.substr(1));
  if (pattern[0] == '\\') pattern.remove_prefix(1);
  return text[0] == pattern[0] && IsLike(text.substr(1), pattern.substr(1));
}

// The drawn value that the literal was written for.
Value ValueOf(const Literal& literal, size_t column) {
  if (literal.kind == Literal::Kind::kNull) return Value();
  for (const Value& value : Columns()[column].second) {
    const Literal candidate = MakeLiteral(value, *Columns()[column].first);
    if (candidate.kind == literal.kind && candidate.text == literal.text) return value;
  }
  RC_FAIL("literal of unknown origin");
}

Truth ComparePlainly(Kind kind, const Value& value, const Value& literal) {
  if (value.is_null() || literal.is_null()) return std::nullopt;
  const int order = CompareSql(value, literal);
  if (kind == Kind::kLess) return order < 0;
  if (kind == Kind::kLessEqual) return order <= 0;
  if (kind == Kind::kGreater) return order > 0;
  if (kind == Kind::kGreaterEqual) return order >= 0;
  return (order == 0) == (kind == Kind::kEqual);
}

Truth Negate(Truth truth) { return truth ? Truth(!*truth) : std::nullopt; }

Truth IsIn(const Value& value, const std::vector<Literal>& literals, size_t column) {
  Truth result = false;
  for (const Literal& literal : literals) {
    const Truth equal = ComparePlainly(Kind::kEqual, value, ValueOf(literal, column));
    if (equal == Truth(true)) return true;
    if (!equal) result = std::nullopt;
  }
  return result;
}

Truth EvaluatePredicate(const Expression& predicate, const StructValue& row) {
  const auto column = static_cast<size_t>(TestSchema().FindField(predicate.term().name)->id - 1);
  const Value& value = row.fields[column];
  const Kind kind = predicate.kind();
  if (kind == Kind::kIsNull) return value.is_null();
  if (kind == Kind::kNotNull) return !value.is_null();
  if (kind == Kind::kIsNan) return IsNanValue(value);
  if (kind == Kind::kNotNan) return !IsNanValue(value);
  if (kind == Kind::kIn) return IsIn(value, predicate.literals(), column);
  if (kind == Kind::kNotIn) return Negate(IsIn(value, predicate.literals(), column));
  const Literal& literal = predicate.literals().front();
  const bool is_prefix = kind == Kind::kStartsWith || kind == Kind::kNotStartsWith;
  if (is_prefix || kind == Kind::kLike || kind == Kind::kNotLike) {
    if (value.is_null()) return std::nullopt;
    const std::string& text = value.get<std::string>();
    const bool matches = is_prefix ? text.starts_with(literal.text) : IsLike(text, literal.text);
    return matches == (kind == Kind::kStartsWith || kind == Kind::kLike);
  }
  return ComparePlainly(kind, value, ValueOf(literal, column));
}

Truth EvaluatePlainly(const Expression& expression, const StructValue& row) {
  if (expression.is_predicate()) return EvaluatePredicate(expression, row);
  if (expression.kind() == Kind::kTrue) return true;
  if (expression.kind() == Kind::kFalse) return false;
  if (expression.kind() == Kind::kNot) {
    return Negate(EvaluatePlainly(*expression.children().front(), row));
  }
  const bool absorbing = expression.kind() == Kind::kOr;
  Truth result = !absorbing;
  for (const ExpressionPtr& child : expression.children()) {
    const Truth truth = EvaluatePlainly(*child, row);
    if (truth == Truth(absorbing)) return absorbing;
    if (!truth) result = std::nullopt;
  }
  return result;
}

struct Filter {
  ExpressionPtr original;
  ExpressionPtr bound;

  bool Matches(const StructValue& row) const {
    return EvaluatePlainly(*original, row) == Truth(true);
  }
};

Filter DrawFilter() {
  Filter filter{DrawExpression(3), nullptr};
  const auto bound = Bind(filter.original, TestSchema());
  if (!bound.ok()) RC_FAIL(bound.error().Format());
  filter.bound = *bound;
  return filter;
}

void Check(const std::string& what, const std::function<void()>& property) {
  EXPECT_TRUE(rc::check(what, [&] {
    Generator().seed(*rc::gen::noShrink(rc::gen::arbitrary<uint64_t>()));
    for (int i = 0; i < 20; ++i)
      property();
  }));
}

TEST(FilterPropertyTest, BindingKeepsTheRowsForWhichAFilterIsTrue) {
  Check("bound filters match the same rows", [] {
    const Filter filter = DrawFilter();
    const RowMatcher matcher(filter.bound, *TestSchema().as_struct());
    for (const StructValue& row : DrawRows(8)) {
      RC_ASSERT(matcher.Matches(row) == filter.Matches(row));
    }
  });
}

TEST(FilterPropertyTest, FormattedFiltersParseToThemselves) {
  Check("parse(format(x)) is x", [] {
    const Filter filter = DrawFilter();
    const auto parsed = ParseExpression(FormatExpression(*filter.original));
    RC_ASSERT(parsed.ok());
    RC_ASSERT(**parsed == *filter.original);
    const auto bound = ParseExpression(FormatExpression(*filter.bound));
    RC_ASSERT(bound.ok());
    const auto again = Bind(*bound, TestSchema());
    RC_ASSERT(again.ok());
    RC_ASSERT(FormatExpression(**again) == FormatExpression(*filter.bound));
  });
}

// Metrics of `rows` as a writer makes them; some are left out.
struct ColumnCounts {
  int64_t nulls = 0;
  int64_t nans = 0;
  Value lower;
  Value upper;
};

ColumnCounts CountColumn(const std::vector<StructValue>& rows, size_t column, bool is_signed) {
  ColumnCounts counts;
  const auto is_less = [&](const Value& a, const Value& b) {
    if (!is_signed) return CompareValues(a, b) < 0;
    const auto flip = [](UuidBytes bytes) {  // The order of two signed halves.
      bytes[0] ^= std::byte{0x80};
      bytes[8] ^= std::byte{0x80};
      return bytes;
    };
    return flip(a.get<UuidBytes>()) < flip(b.get<UuidBytes>());
  };
  for (const StructValue& row : rows) {
    const Value& value = row.fields[column];
    if (value.is_null()) {
      ++counts.nulls;
    } else if (IsNanValue(value)) {
      ++counts.nans;
    } else {
      if (counts.lower.is_null() || is_less(value, counts.lower)) counts.lower = value;
      if (counts.upper.is_null() || is_less(counts.upper, value)) counts.upper = value;
    }
  }
  return counts;
}

// Cut as writers do; nullopt if there is no bound of that length.
std::optional<std::string> CutLower(const std::string& text, size_t length) {
  return std::string(TakeCodePoints(text, length));
}
std::optional<std::string> CutUpper(const std::string& text, size_t length) {
  if (CountCodePoints(text) <= length) return text;
  std::string cut(TakeCodePoints(text, length));
  if (static_cast<unsigned char>(cut.back()) >= 0x7f) return std::nullopt;
  ++cut.back();
  return cut;
}

FileMetrics DrawMetrics(const std::vector<StructValue>& rows) {
  FileMetrics metrics;
  for (size_t column = 0; column < Columns().size(); ++column) {
    const Type& type = *Columns()[column].first;
    const auto id = static_cast<int32_t>(column) + 1;
    const bool is_signed = type.id() == TypeId::kUuid && Flip();
    const ColumnCounts counts = CountColumn(rows, column, is_signed);
    if (Below(8) != 0) metrics.value_counts.emplace_back(id, rows.size());
    if (Below(8) != 0) metrics.null_value_counts.emplace_back(id, counts.nulls);
    if (type.is_float() && Below(8) != 0) metrics.nan_value_counts.emplace_back(id, counts.nans);
    if (counts.lower.is_null() || Below(8) == 0) continue;
    auto lower = std::optional(ToBoundBytes(counts.lower, type).value());
    auto upper = std::optional(ToBoundBytes(counts.upper, type).value());
    if (type.id() == TypeId::kString && Flip()) {
      lower = CutLower(*lower, 3);
      upper = CutUpper(*upper, 3);
    }
    if (lower && Below(8) != 0) metrics.lower_bounds.emplace_back(id, *lower);
    if (upper && Below(8) != 0) metrics.upper_bounds.emplace_back(id, *upper);
  }
  return metrics;
}

TEST(FilterPropertyTest, MetricsNeverDecideAgainstARow) {
  Check("metrics agree with the rows", [] {
    const std::vector<StructValue> rows = DrawRows(4);
    const FileMetrics metrics = DrawMetrics(rows);
    const ColumnMetrics columns{.metrics = &metrics,
                                .record_count = Below(8) == 0 ? -1 : std::ssize(rows)};
    const Filter filter = DrawFilter();
    const auto matches = [&](const StructValue& row) { return filter.Matches(row); };
    if (std::any_of(rows.begin(), rows.end(), matches)) {
      RC_ASSERT(MightMatchMetrics(*filter.bound, TestSchema(), columns));
    }
    if (AllMatchMetrics(*filter.bound, TestSchema(), columns)) {
      RC_ASSERT(std::all_of(rows.begin(), rows.end(), matches));
    }
  });
}

struct Partitioning {
  PartitionSpec spec;
  TypePtr type;
};

Partitioning DrawPartitioning() {
  static const std::vector<std::string> kTransforms = {"identity",     "bucket[4]", "truncate[3]",
                                                       "truncate[10]", "year",      "month",
                                                       "day",          "hour",      "void"};
  Partitioning result;
  const size_t count = 1 + Below(4);
  for (int32_t i = 0; i < static_cast<int32_t>(count); ++i) {
    const size_t column = Below(Columns().size());
    const Transform transform = ParseTransform(kTransforms[Below(kTransforms.size())]).value();
    if (!CanTransform(transform, *Columns()[column].first)) continue;
    result.spec.fields.push_back({.source_ids = {static_cast<int32_t>(column) + 1},
                                  .field_id = 1000 + i,
                                  .name = "p" + std::to_string(i),
                                  .transform = transform});
  }
  result.type = PartitionType(result.spec, {std::make_shared<const Schema>(TestSchema())});
  return result;
}

// The partition of a row; as old writers made it if `is_legacy`, dividing towards zero.
StructValue PartitionOf(const StructValue& row, const PartitionSpec& spec, bool is_legacy) {
  StructValue partition;
  for (const PartitionField& field : spec.fields) {
    const auto column = static_cast<size_t>(field.source_id() - 1);
    const Type& type = *Columns()[column].first;
    Value value = ApplyTransform(field.transform, type, row.fields[column]).value();
    const bool is_exact = type.id() == TypeId::kDate && field.transform.kind == TransformKind::kDay;
    if (is_legacy && field.transform.is_time() && !is_exact && !value.is_null() &&
        value.get<int32_t>() < 0) {
      value = Value(value.get<int32_t>() + 1);
    }
    partition.fields.push_back(std::move(value));
  }
  return partition;
}

TEST(FilterPropertyTest, ProjectionsAgreeWithTheRowsOfAPartition) {
  Check("projections are sound", [] {
    const Partitioning p = DrawPartitioning();
    const Filter filter = DrawFilter();
    const auto inclusive = ProjectInclusive(filter.bound, p.spec, *p.type);
    const auto strict = ProjectStrict(filter.bound, p.spec, *p.type);
    RC_ASSERT(inclusive.ok() && strict.ok());
    for (const StructValue& row : DrawRows(6)) {
      const StructValue partition = PartitionOf(row, p.spec, Flip());
      if (filter.Matches(row)) RC_ASSERT(MatchesRow(*inclusive, *p.type, partition));
      if (MatchesRow(*strict, *p.type, partition)) RC_ASSERT(filter.Matches(row));
      const auto residual = ResidualFor(filter.bound, p.spec, *p.type, partition);
      RC_ASSERT(residual.ok());
      RC_ASSERT(MatchesRow(*residual, *TestSchema().as_struct(), row) == filter.Matches(row));
    }
  });
}

std::vector<FieldSummary> Summarize(const std::vector<StructValue>& partitions, const Type& type) {
  std::vector<FieldSummary> summaries;
  for (size_t i = 0; i < type.fields().size(); ++i) {
    FieldSummary summary;
    const Type& field_type = *type.fields()[i].type;
    Value lower;
    Value upper;
    bool has_nan = false;
    for (const StructValue& partition : partitions) {
      const Value& value = partition.fields[i];
      if (value.is_null()) {
        summary.contains_null = true;
      } else if (IsNanValue(value)) {
        has_nan = true;
      } else {
        if (lower.is_null() || CompareValues(value, lower) < 0) lower = value;
        if (upper.is_null() || CompareValues(upper, value) < 0) upper = value;
      }
    }
    if (Below(4) != 0) summary.contains_nan = has_nan;
    if (!lower.is_null()) {
      summary.lower_bound = ToBoundBytes(lower, field_type).value();
      summary.upper_bound = ToBoundBytes(upper, field_type).value();
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

TEST(FilterPropertyTest, ManifestSummariesNeverDecideAgainstARow) {
  Check("summaries agree with the rows", [] {
    const Partitioning p = DrawPartitioning();
    const Filter filter = DrawFilter();
    std::vector<StructValue> partitions;
    bool has_match = false;
    for (const StructValue& row : DrawRows(4)) {
      partitions.push_back(PartitionOf(row, p.spec, Flip()));
      has_match = has_match || filter.Matches(row);
    }
    if (!has_match) return;
    ManifestFile manifest;
    manifest.partitions = Summarize(partitions, *p.type);
    const auto projected = ProjectInclusive(filter.bound, p.spec, *p.type);
    RC_ASSERT(projected.ok());
    RC_ASSERT(MightMatchManifest(**projected, p.spec, *p.type, manifest));
  });
}

}  // namespace
}  // namespace firn
