#include <algorithm>
#include <cstring>
#include <optional>

#include "firn/expression/column_facts_internal.h"
#include "firn/expression/like_pattern_internal.h"
#include "firn/expression/value_order_internal.h"

namespace firn {
namespace {

bool IsKnown(const Value& value) { return !value.is_null(); }

// The order that Java uses for UUIDs: two signed 64-bit numbers, the high one first.
std::strong_ordering CompareUuidsSigned(const Value& a, const Value& b) {
  const auto half = [](const Value& value, size_t offset) {
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; ++i)
      bits = bits << 8 | std::to_integer<uint64_t>(value.get<UuidBytes>()[offset + i]);
    return static_cast<int64_t>(bits);
  };
  if (const auto order = half(a, 0) <=> half(b, 0); order != 0) return order;
  return half(a, 8) <=> half(b, 8);
}

// Is `value` outside the bounds for certain?
bool IsOutside(const ColumnFacts& facts, const Value& value) {
  const bool is_below = IsKnown(facts.lower) && CompareForFilter(value, facts.lower) < 0;
  const bool is_above = IsKnown(facts.upper) && CompareForFilter(value, facts.upper) > 0;
  if (!is_below && !is_above) return false;
  if (facts.has_exact_order || !value.is<UuidBytes>()) return true;
  return (IsKnown(facts.lower) && CompareUuidsSigned(value, facts.lower) < 0) ||
         (IsKnown(facts.upper) && CompareUuidsSigned(value, facts.upper) > 0);
}

// The only value there is besides null and NaN.
std::optional<Value> SingleValue(const ColumnFacts& facts) {
  if (!IsKnown(facts.lower) || !IsKnown(facts.upper)) return std::nullopt;
  if (CompareForFilter(facts.lower, facts.upper) != 0) return std::nullopt;
  return facts.lower;
}

// Could one of the sorted literals be a value?
bool IsAnyInside(const std::vector<Literal>& literals, const ColumnFacts& facts) {
  if (!facts.has_exact_order) {
    return std::any_of(literals.begin(), literals.end(),
                       [&](const Literal& literal) { return !IsOutside(facts, literal.value); });
  }
  auto first = literals.begin();
  if (IsKnown(facts.lower)) {
    first = std::lower_bound(literals.begin(), literals.end(), facts.lower,
                             [](const Literal& literal, const Value& lower) {
                               return CompareForFilter(literal.value, lower) < 0;
                             });
  }
  return first != literals.end() && !IsOutside(facts, first->value);
}

// `bound` cut to the length of `prefix`, against it.
std::strong_ordering CompareCut(const Value& bound, std::string_view prefix) {
  return ByteView(bound).substr(0, prefix.size()) <=> prefix;
}

bool IsOutsidePrefix(const ColumnFacts& facts, std::string_view prefix) {
  return (IsKnown(facts.lower) && CompareCut(facts.lower, prefix) > 0) ||
         (IsKnown(facts.upper) && CompareCut(facts.upper, prefix) < 0);
}

bool IsInsidePrefix(const ColumnFacts& facts, std::string_view prefix) {
  return IsKnown(facts.lower) && IsKnown(facts.upper) && CompareCut(facts.lower, prefix) == 0 &&
         CompareCut(facts.upper, prefix) == 0;
}

bool CanBeLess(ExpressionKind kind, const ColumnFacts& facts, const Value& literal) {
  if (facts.has_no_value) return false;
  if (!facts.has_exact_order || !IsKnown(facts.lower)) return true;
  return SatisfiesComparison(kind, facts.lower, literal);
}

// NaN is greater than every literal.
bool CanBeGreater(ExpressionKind kind, const ColumnFacts& facts, const Value& literal) {
  if (!facts.has_no_nan) return !facts.is_all_null;
  if (facts.has_no_value) return false;
  if (!facts.has_exact_order || !IsKnown(facts.upper)) return true;
  return SatisfiesComparison(kind, facts.upper, literal);
}

// NaN differs from every literal; null does not.
bool CanDiffer(const Expression& predicate, const ColumnFacts& facts) {
  if (facts.is_all_null) return false;
  if (!facts.has_no_nan) return true;
  const auto single = SingleValue(facts);
  return !single || !ContainsValue(predicate.literals(), *single);
}

bool MustDiffer(const Expression& predicate, const ColumnFacts& facts) {
  if (!facts.has_no_null) return false;
  if (facts.is_all_nan) return true;
  return facts.has_nan_count && !IsAnyInside(predicate.literals(), facts);
}

bool MustBeGreater(ExpressionKind kind, const ColumnFacts& facts, const Value& literal) {
  if (!facts.has_no_null) return false;
  if (facts.is_all_nan) return true;
  return facts.has_nan_count && facts.has_exact_order && IsKnown(facts.lower) &&
         SatisfiesComparison(kind, facts.lower, literal);
}

}  // namespace

void DropBrokenBounds(ColumnFacts& facts) {
  const bool is_broken = IsNan(facts.lower) || IsNan(facts.upper) ||
                         (IsKnown(facts.lower) && IsKnown(facts.upper) &&
                          CompareForFilter(facts.lower, facts.upper) > 0);
  if (!is_broken) return;
  facts.lower = Value();
  facts.upper = Value();
}

ColumnFacts TransformFacts(ColumnFacts facts, const Term& term) {
  if (term.transform.kind == TransformKind::kIdentity) return facts;
  const bool is_kept = term.transform.preserves_order() || SingleValue(facts);
  const auto apply = [&](const Value& bound) {
    if (!is_kept || !IsKnown(bound)) return Value();
    auto value = ApplyTransform(term.transform, *term.source_type, bound);
    return value.ok() ? std::move(*value) : Value();
  };
  facts.lower = apply(facts.lower);
  facts.upper = apply(facts.upper);
  DropBrokenBounds(facts);
  return facts;
}

bool CanMatch(const Expression& predicate, const ColumnFacts& facts) {
  switch (predicate.kind()) {
    case ExpressionKind::kIsNull:
      return !facts.has_no_null;
    case ExpressionKind::kNotNull:
      return !facts.is_all_null;
    case ExpressionKind::kIsNan:
      return !facts.has_no_nan;
    case ExpressionKind::kNotNan:
      return !facts.is_all_nan;
    case ExpressionKind::kLess:
    case ExpressionKind::kLessEqual:
      return CanBeLess(predicate.kind(), facts, predicate.literals().front().value);
    case ExpressionKind::kGreater:
    case ExpressionKind::kGreaterEqual:
      return CanBeGreater(predicate.kind(), facts, predicate.literals().front().value);
    case ExpressionKind::kEqual:
    case ExpressionKind::kIn:
      return !facts.has_no_value && IsAnyInside(predicate.literals(), facts);
    case ExpressionKind::kNotEqual:
    case ExpressionKind::kNotIn:
      return CanDiffer(predicate, facts);
    case ExpressionKind::kStartsWith:
      return !facts.has_no_value &&
             !IsOutsidePrefix(facts, ByteView(predicate.literals().front().value));
    case ExpressionKind::kNotStartsWith:
      return !facts.is_all_null &&
             !IsInsidePrefix(facts, ByteView(predicate.literals().front().value));
    case ExpressionKind::kLike:
      return !facts.has_no_value &&
             !IsOutsidePrefix(
                 facts, AnalyzeLikePattern(ByteView(predicate.literals().front().value)).prefix);
    case ExpressionKind::kNotLike:
      return !facts.is_all_null;
    case ExpressionKind::kTrue:
    case ExpressionKind::kFalse:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kNot:
      break;
  }
  return true;
}

bool MustMatch(const Expression& predicate, const ColumnFacts& facts) {
  const bool are_all_values = facts.has_no_null && facts.has_no_nan;
  switch (predicate.kind()) {
    case ExpressionKind::kIsNull:
      return facts.is_all_null;
    case ExpressionKind::kNotNull:
      return facts.has_no_null;
    case ExpressionKind::kIsNan:
      return facts.is_all_nan;
    case ExpressionKind::kNotNan:
      return facts.has_no_nan;
    case ExpressionKind::kLess:
    case ExpressionKind::kLessEqual:
      return are_all_values && facts.has_exact_order && IsKnown(facts.upper) &&
             SatisfiesComparison(predicate.kind(), facts.upper, predicate.literals().front().value);
    case ExpressionKind::kGreater:
    case ExpressionKind::kGreaterEqual:
      return MustBeGreater(predicate.kind(), facts, predicate.literals().front().value);
    case ExpressionKind::kEqual:
    case ExpressionKind::kIn: {
      const auto single = SingleValue(facts);
      return are_all_values && single && ContainsValue(predicate.literals(), *single);
    }
    case ExpressionKind::kNotEqual:
    case ExpressionKind::kNotIn:
      return MustDiffer(predicate, facts);
    case ExpressionKind::kStartsWith:
      return are_all_values && IsInsidePrefix(facts, ByteView(predicate.literals().front().value));
    case ExpressionKind::kNotStartsWith:
      return facts.has_no_null &&
             IsOutsidePrefix(facts, ByteView(predicate.literals().front().value));
    case ExpressionKind::kNotLike:
      return facts.has_no_null &&
             IsOutsidePrefix(
                 facts, AnalyzeLikePattern(ByteView(predicate.literals().front().value)).prefix);
    case ExpressionKind::kLike:
    case ExpressionKind::kTrue:
    case ExpressionKind::kFalse:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kNot:
      break;
  }
  return false;
}

}  // namespace firn
