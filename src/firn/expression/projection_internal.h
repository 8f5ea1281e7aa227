#pragma once

#include <optional>

#include "firn/expression/expression.h"

/// One predicate on a column as a predicate on one partition field. For this module only.

namespace firn {

enum class Projection { kInclusive, kStrict };

/// Null: the partition field says nothing about the predicate. `field_type` is the type of the
/// partition field.
ExpressionPtr ProjectPredicate(const Expression& predicate, const PartitionField& field,
                               const TypePtr& field_type, Projection projection);

/// For truncate and the time transforms; `partition_term` names the partition field.
ExpressionPtr ProjectToTruncated(const Expression& predicate, const Transform& transform,
                                 const Term& partition_term, Projection projection);
ExpressionPtr ProjectToTime(const Expression& predicate, const Transform& transform,
                            const Term& partition_term, Projection projection);

/// A predicate of `kind` on the partition field with these values (not null), sorted if a set.
ExpressionPtr MakePartitionPredicate(ExpressionKind kind, const Term& partition_term,
                                     std::vector<Value> values);

/// `value` moved by `steps` in its type; nullopt beyond its range and for types without steps.
std::optional<Value> MoveValue(const Value& value, int steps);

}  // namespace firn
