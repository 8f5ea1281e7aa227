#include <utility>

#include "firn/expression/projection_internal.h"

// Predicates on a date or timestamp whose partition holds its year, month, day or hour.
//
// Writers before Java 0.11, and others that divide towards zero, stored a value one too high for
// times before 1970 (reference 3.4): the projections are widened so that they hold for such files
// too.

namespace firn {
namespace {

struct TimeProjection {
  const Expression& predicate;
  const Transform& transform;
  const Term& partition_term;

  std::optional<int32_t> Apply(const Value& value) const {
    const auto result = ApplyTransform(transform, *predicate.term().type, value);
    if (!result.ok() || !result->is<int32_t>()) return std::nullopt;
    return result->get<int32_t>();
  }

  ExpressionPtr Make(ExpressionKind kind, int32_t value) const {
    return MakePartitionPredicate(kind, partition_term, {Value(value)});
  }

  // The day of a date never was computed by division.
  bool may_be_too_high() const {
    return transform.kind != TransformKind::kDay || predicate.term().type->id() != TypeId::kDate;
  }

  // IN or NOT IN of the literals, with the values that old writers stored for them.
  ExpressionPtr MakeOfAll(ExpressionKind kind) const {
    std::vector<Value> values;
    for (const Literal& literal : predicate.literals()) {
      const auto value = Apply(literal.value);
      if (!value) return nullptr;
      values.emplace_back(*value);
      if (*value < 0 && may_be_too_high()) values.emplace_back(*value + 1);
    }
    return MakePartitionPredicate(kind, partition_term, std::move(values));
  }
};

ExpressionPtr ProjectInclusiveRange(const TimeProjection& time, bool is_less, int step) {
  const auto limit = MoveValue(time.predicate.literals().front().value, step);
  if (!limit) return Expression::False();
  const auto value = time.Apply(*limit);
  if (!value) return nullptr;
  if (!is_less) return time.Make(ExpressionKind::kGreaterEqual, *value);
  const bool is_widened = *value < 0 && time.may_be_too_high();
  return time.Make(ExpressionKind::kLessEqual, is_widened ? *value + 1 : *value);
}

ExpressionPtr ProjectStrictRange(const TimeProjection& time, bool is_less, int step) {
  const auto limit = MoveValue(time.predicate.literals().front().value, step);
  if (!limit) return Expression::Predicate(ExpressionKind::kNotNull, time.partition_term, {});
  const auto value = time.Apply(*limit);
  if (!value) return nullptr;
  if (is_less) return time.Make(ExpressionKind::kLess, *value);
  const bool is_widened = *value <= 0 && time.may_be_too_high();
  return time.Make(ExpressionKind::kGreater, is_widened ? *value + 1 : *value);
}

}  // namespace

ExpressionPtr ProjectToTime(const Expression& predicate, const Transform& transform,
                            const Term& partition_term, Projection projection) {
  const TimeProjection time{predicate, transform, partition_term};
  const ExpressionKind kind = predicate.kind();
  const bool is_inclusive = projection == Projection::kInclusive;
  if (kind == ExpressionKind::kLess || kind == ExpressionKind::kLessEqual) {
    const bool is_strictly_less = kind == ExpressionKind::kLess;
    return is_inclusive ? ProjectInclusiveRange(time, true, is_strictly_less ? -1 : 0)
                        : ProjectStrictRange(time, true, is_strictly_less ? 0 : 1);
  }
  if (kind == ExpressionKind::kGreater || kind == ExpressionKind::kGreaterEqual) {
    const bool is_strictly_greater = kind == ExpressionKind::kGreater;
    return is_inclusive ? ProjectInclusiveRange(time, false, is_strictly_greater ? 1 : 0)
                        : ProjectStrictRange(time, false, is_strictly_greater ? 0 : -1);
  }
  const bool is_equal = kind == ExpressionKind::kEqual || kind == ExpressionKind::kIn;
  const bool is_not_equal = kind == ExpressionKind::kNotEqual || kind == ExpressionKind::kNotIn;
  if (is_equal && is_inclusive) return time.MakeOfAll(ExpressionKind::kIn);
  if (is_not_equal && !is_inclusive) return time.MakeOfAll(ExpressionKind::kNotIn);
  return nullptr;
}

}  // namespace firn
