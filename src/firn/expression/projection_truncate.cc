#include <limits>
#include <utility>

#include "firn/base/utf8.h"
#include "firn/expression/like_pattern_internal.h"
#include "firn/expression/projection_internal.h"
#include "firn/expression/value_order_internal.h"

// Predicates on a column whose partition holds truncate[W] of it.

namespace firn {
namespace {

struct Truncation {
  const Expression& predicate;
  const Transform& transform;
  const Term& partition_term;

  std::optional<Value> Apply(const Value& value) const {
    auto result = ApplyTransform(transform, *predicate.term().type, value);
    if (!result.ok()) return std::nullopt;
    return std::move(*result);
  }

  ExpressionPtr Make(ExpressionKind kind, Value value) const {
    return MakePartitionPredicate(kind, partition_term, {std::move(value)});
  }

  // `kind` of all literals, truncated.
  ExpressionPtr MakeOfAll(ExpressionKind kind) const {
    std::vector<Value> values;
    for (const Literal& literal : predicate.literals()) {
      auto value = Apply(literal.value);
      if (!value) return nullptr;
      values.push_back(std::move(*value));
    }
    return MakePartitionPredicate(kind, partition_term, std::move(values));
  }

  const Value& literal() const { return predicate.literals().front().value; }
};

// The least integers have their truncated value below the range of the type, and the spec's
// arithmetic wraps it to the upper end: the one place where truncation does not keep the order.
std::optional<Value> WrappedValue(const Truncation& truncation) {
  Value least;
  const TypeId type = truncation.predicate.term().type->id();
  if (type == TypeId::kInt) least = Value(std::numeric_limits<int32_t>::min());
  if (type == TypeId::kLong) least = Value(std::numeric_limits<int64_t>::min());
  if (least.is_null()) return std::nullopt;
  auto wrapped = truncation.Apply(least);
  if (!wrapped || CompareForFilter(*wrapped, least) <= 0) return std::nullopt;
  return wrapped;
}

// The truncated `value`, or nullopt if it is not below or equal to it.
std::optional<Value> ApplyInOrder(const Truncation& truncation, const Value& value) {
  auto result = truncation.Apply(value);
  if (!result || CompareForFilter(*result, value) > 0) return std::nullopt;
  return result;
}

ExpressionPtr ProjectNumberInclusive(const Truncation& truncation) {
  const ExpressionKind kind = truncation.predicate.kind();
  if (kind == ExpressionKind::kEqual || kind == ExpressionKind::kIn) {
    return truncation.MakeOfAll(kind);
  }
  const bool is_less = kind == ExpressionKind::kLess || kind == ExpressionKind::kLessEqual;
  const bool is_greater = kind == ExpressionKind::kGreater || kind == ExpressionKind::kGreaterEqual;
  if (!is_less && !is_greater) return nullptr;
  // x < 5 is x <= 4.
  const int step = kind == ExpressionKind::kLess ? -1 : (kind == ExpressionKind::kGreater ? 1 : 0);
  const auto limit = MoveValue(truncation.literal(), step);
  if (!limit) return Expression::False();
  auto value = ApplyInOrder(truncation, *limit);
  if (!value) return nullptr;
  ExpressionPtr range = truncation.Make(
      is_less ? ExpressionKind::kLessEqual : ExpressionKind::kGreaterEqual, std::move(*value));
  const auto wrapped = is_less ? WrappedValue(truncation) : std::nullopt;
  if (!wrapped) return range;
  return Expression::Or(std::move(range), truncation.Make(ExpressionKind::kEqual, *wrapped));
}

ExpressionPtr ProjectNumberStrict(const Truncation& truncation) {
  const ExpressionKind kind = truncation.predicate.kind();
  if (kind == ExpressionKind::kNotEqual || kind == ExpressionKind::kNotIn) {
    return truncation.MakeOfAll(kind);
  }
  const bool is_less = kind == ExpressionKind::kLess || kind == ExpressionKind::kLessEqual;
  const bool is_greater = kind == ExpressionKind::kGreater || kind == ExpressionKind::kGreaterEqual;
  if (!is_less && !is_greater) return nullptr;
  // x <= 5 is x < 6.
  const int step =
      kind == ExpressionKind::kLessEqual ? 1 : (kind == ExpressionKind::kGreaterEqual ? -1 : 0);
  const auto limit = MoveValue(truncation.literal(), step);
  if (!limit) return Expression::Predicate(ExpressionKind::kNotNull, truncation.partition_term, {});
  auto value = is_less ? ApplyInOrder(truncation, *limit) : truncation.Apply(*limit);
  if (!value) return nullptr;
  ExpressionPtr range = truncation.Make(is_less ? ExpressionKind::kLess : ExpressionKind::kGreater,
                                        std::move(*value));
  const auto wrapped = is_greater ? WrappedValue(truncation) : std::nullopt;
  if (!wrapped) return range;
  return Expression::And(std::move(range), truncation.Make(ExpressionKind::kNotEqual, *wrapped));
}

// Starts-with tests. `prefix` as long as the partition value decides equality; a longer one is only
// necessary for a match.
ExpressionPtr ProjectPrefix(const Truncation& truncation, bool is_negated, std::string_view prefix,
                            Projection projection) {
  const auto width = static_cast<size_t>(truncation.transform.width);
  const size_t length = CountCodePoints(prefix);
  if (length < width) {
    return truncation.Make(
        is_negated ? ExpressionKind::kNotStartsWith : ExpressionKind::kStartsWith,
        Value(std::string(prefix)));
  }
  // Whatever starts with the prefix has its cut as partition value, so: equal if it matches, not
  // equal if it must not.
  const bool is_implied =
      is_negated ? projection == Projection::kStrict : projection == Projection::kInclusive;
  if (length > width && !is_implied) return nullptr;
  return truncation.Make(is_negated ? ExpressionKind::kNotEqual : ExpressionKind::kEqual,
                         Value(std::string(TakeCodePoints(prefix, width))));
}

ExpressionPtr ProjectPattern(const Truncation& truncation, Projection projection) {
  const ExpressionKind kind = truncation.predicate.kind();
  const auto* text = truncation.literal().get_if<std::string>();
  if (text == nullptr) return nullptr;
  if (kind == ExpressionKind::kStartsWith || kind == ExpressionKind::kNotStartsWith) {
    return ProjectPrefix(truncation, kind == ExpressionKind::kNotStartsWith, *text, projection);
  }
  // A match starts with the prefix of the pattern; more is not known of it.
  const bool is_negated = kind == ExpressionKind::kNotLike;
  const std::string prefix = AnalyzeLikePattern(*text).prefix;
  if (prefix.empty() || is_negated != (projection == Projection::kStrict)) return nullptr;
  return ProjectPrefix(truncation, is_negated, prefix, projection);
}

ExpressionPtr ProjectText(const Truncation& truncation, Projection projection) {
  const bool is_inclusive = projection == Projection::kInclusive;
  switch (truncation.predicate.kind()) {
    case ExpressionKind::kLess:
    case ExpressionKind::kLessEqual:
      return truncation.MakeOfAll(is_inclusive ? ExpressionKind::kLessEqual
                                               : ExpressionKind::kLess);
    case ExpressionKind::kGreater:
    case ExpressionKind::kGreaterEqual:
      return truncation.MakeOfAll(is_inclusive ? ExpressionKind::kGreaterEqual
                                               : ExpressionKind::kGreater);
    case ExpressionKind::kEqual:
    case ExpressionKind::kIn:
      return is_inclusive ? truncation.MakeOfAll(truncation.predicate.kind()) : nullptr;
    case ExpressionKind::kNotEqual:
    case ExpressionKind::kNotIn:
      return is_inclusive ? nullptr : truncation.MakeOfAll(truncation.predicate.kind());
    case ExpressionKind::kStartsWith:
    case ExpressionKind::kNotStartsWith:
    case ExpressionKind::kLike:
    case ExpressionKind::kNotLike:
      return ProjectPattern(truncation, projection);
    case ExpressionKind::kTrue:
    case ExpressionKind::kFalse:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kNot:
    case ExpressionKind::kIsNull:
    case ExpressionKind::kNotNull:
    case ExpressionKind::kIsNan:
    case ExpressionKind::kNotNan:
      break;
  }
  return nullptr;
}

}  // namespace

ExpressionPtr ProjectToTruncated(const Expression& predicate, const Transform& transform,
                                 const Term& partition_term, Projection projection) {
  const Truncation truncation{predicate, transform, partition_term};
  const TypeId type = predicate.term().type->id();
  if (type == TypeId::kString || type == TypeId::kBinary) {
    return ProjectText(truncation, projection);
  }
  return projection == Projection::kInclusive ? ProjectNumberInclusive(truncation)
                                              : ProjectNumberStrict(truncation);
}

}  // namespace firn
