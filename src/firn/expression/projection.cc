#include <limits>
#include <utility>

#include "firn/expression/projection_internal.h"
#include "firn/expression/value_order_internal.h"

// From rows to partitions. An inclusive projection says what a partition must be like to hold a
// matching row, a strict one what makes all its rows match. With several partition fields on a
// column each says something: inclusive ones are joined by And, strict ones by Or.

namespace firn {
namespace {

const NestedField* FindPartitionField(const Type& partition_type, int32_t field_id) {
  for (const NestedField& field : partition_type.fields()) {
    if (field.id == field_id) return &field;
  }
  return nullptr;
}

bool IsNullTest(ExpressionKind kind) {
  return kind == ExpressionKind::kIsNull || kind == ExpressionKind::kNotNull;
}

// The literals of `predicate` as values of `type`, to which its own type may have been promoted.
// Nullopt if they cannot be.
std::optional<std::vector<Value>> ConvertLiterals(const Expression& predicate, const Type& type) {
  const Type& own = *predicate.term().type;
  std::vector<Value> values;
  values.reserve(predicate.literals().size());
  for (const Literal& literal : predicate.literals()) {
    if (own == type) {
      values.push_back(literal.value);
      continue;
    }
    if (!IsPromotionAllowed(own, type, 3)) return std::nullopt;
    auto value = PromoteValue(literal.value, own, type);
    if (!value.ok()) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

// The partition holds the very values that the predicate tests.
ExpressionPtr ProjectExact(const Expression& predicate, const Term& partition_term) {
  auto values = ConvertLiterals(predicate, *partition_term.type);
  if (!values) return nullptr;
  return MakePartitionPredicate(predicate.kind(), partition_term, std::move(*values));
}

// The partition holds the column; the predicate tests a transform of it.
ExpressionPtr ProjectTransformed(const Expression& predicate, Term partition_term) {
  if (!(*partition_term.source_type == *predicate.term().source_type)) return nullptr;
  partition_term.transform = predicate.term().transform;
  partition_term.type = predicate.term().type;
  return Expression::Predicate(predicate.kind(), std::move(partition_term), predicate.literals());
}

ExpressionPtr ProjectToBucket(const Expression& predicate, const Transform& transform,
                              const Term& partition_term, Projection projection) {
  const ExpressionKind kind = predicate.kind();
  const bool is_equal = kind == ExpressionKind::kEqual || kind == ExpressionKind::kIn;
  const bool is_not_equal = kind == ExpressionKind::kNotEqual || kind == ExpressionKind::kNotIn;
  if (projection == Projection::kInclusive ? !is_equal : !is_not_equal) return nullptr;
  std::vector<Value> buckets;
  for (const Literal& literal : predicate.literals()) {
    auto bucket = ApplyTransform(transform, *predicate.term().type, literal.value);
    if (!bucket.ok()) return nullptr;
    buckets.push_back(std::move(*bucket));
  }
  return MakePartitionPredicate(kind, partition_term, std::move(buckets));
}

// Literals of a bucketed or truncated column must be of the type that the partition was made from,
// as far as its hash or its cut depends on the type.
bool DependsOnType(const Transform& transform, const Expression& predicate,
                   const Type& field_type) {
  return transform.kind == TransformKind::kTruncate && !(*predicate.term().type == field_type);
}

ExpressionPtr Project(const Expression& expression, const PartitionSpec& spec,
                      const Type& partition_type, Projection projection) {
  const bool is_inclusive = projection == Projection::kInclusive;
  if (expression.kind() == ExpressionKind::kTrue) return Expression::True();
  if (expression.kind() == ExpressionKind::kFalse) return Expression::False();
  std::vector<ExpressionPtr> parts;
  if (expression.is_predicate()) {
    for (const PartitionField& field : spec.fields) {
      const NestedField* found = FindPartitionField(partition_type, field.field_id);
      if (found == nullptr) continue;
      ExpressionPtr part = ProjectPredicate(expression, field, found->type, projection);
      if (part) parts.push_back(std::move(part));
    }
    return is_inclusive ? Expression::And(std::move(parts)) : Expression::Or(std::move(parts));
  }
  for (const ExpressionPtr& child : expression.children())
    parts.push_back(Project(*child, spec, partition_type, projection));
  return expression.kind() == ExpressionKind::kAnd ? Expression::And(std::move(parts))
                                                   : Expression::Or(std::move(parts));
}

}  // namespace

ExpressionPtr MakePartitionPredicate(ExpressionKind kind, const Term& partition_term,
                                     std::vector<Value> values) {
  std::vector<Literal> literals;
  literals.reserve(values.size());
  for (const Value& value : values)
    literals.push_back(MakeLiteral(value, *partition_term.type));
  const bool is_in = kind == ExpressionKind::kIn;
  if (is_in || kind == ExpressionKind::kNotIn) {
    SortLiterals(literals);
    if (literals.size() == 1) kind = is_in ? ExpressionKind::kEqual : ExpressionKind::kNotEqual;
  }
  return Expression::Predicate(kind, partition_term, std::move(literals));
}

std::optional<Value> MoveValue(const Value& value, int steps) {
  const auto move = [steps]<typename T>(T number) -> std::optional<Value> {
    const Int128 moved = Int128{number} + steps;
    if (moved < Int128{std::numeric_limits<T>::min()} ||
        moved > Int128{std::numeric_limits<T>::max()}) {
      return std::nullopt;
    }
    return Value(static_cast<T>(moved));
  };
  if (const auto* number = value.get_if<int32_t>()) return move(*number);
  if (const auto* number = value.get_if<int64_t>()) return move(*number);
  if (const auto* number = value.get_if<Int128>()) return Value(*number + steps);
  return std::nullopt;
}

ExpressionPtr ProjectPredicate(const Expression& predicate, const PartitionField& field,
                               const TypePtr& field_type, Projection projection) {
  const Term& term = predicate.term();
  const Transform& transform = field.transform;
  if (field.source_ids.size() != 1 || field.source_id() != term.field_id ||
      transform.kind == TransformKind::kVoid || transform.kind == TransformKind::kUnknown) {
    return nullptr;
  }
  const Term partition_term{.name = field.name,
                            .field_id = field.field_id,
                            .source_type = field_type,
                            .type = field_type};
  if (IsNullTest(predicate.kind())) {
    return Expression::Predicate(predicate.kind(), partition_term, {});
  }
  if (transform == term.transform) return ProjectExact(predicate, partition_term);
  if (transform.kind == TransformKind::kIdentity) {
    return ProjectTransformed(predicate, partition_term);
  }
  if (term.transform.kind != TransformKind::kIdentity ||
      DependsOnType(transform, predicate, *field_type)) {
    return nullptr;
  }
  if (transform.kind == TransformKind::kBucket) {
    return ProjectToBucket(predicate, transform, partition_term, projection);
  }
  if (transform.kind == TransformKind::kTruncate) {
    return ProjectToTruncated(predicate, transform, partition_term, projection);
  }
  return ProjectToTime(predicate, transform, partition_term, projection);
}

Result<ExpressionPtr> ProjectInclusive(const ExpressionPtr& bound, const PartitionSpec& spec,
                                       const Type& partition_type) {
  return Project(*bound, spec, partition_type, Projection::kInclusive);
}

Result<ExpressionPtr> ProjectStrict(const ExpressionPtr& bound, const PartitionSpec& spec,
                                    const Type& partition_type) {
  return Project(*bound, spec, partition_type, Projection::kStrict);
}

}  // namespace firn
