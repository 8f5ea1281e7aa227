#include <algorithm>
#include <utility>

#include "firn/expression/expression.h"
#include "firn/expression/like_pattern_internal.h"
#include "firn/expression/value_order_internal.h"

namespace firn {
namespace {

// Append the positions from the struct `type` down to the field; false if it is not there.
bool FindPath(const Type& type, int32_t field_id, std::vector<size_t>& path) {
  if (type.id() != TypeId::kStruct) return false;
  for (size_t i = 0; i < type.fields().size(); ++i) {
    path.push_back(i);
    if (type.fields()[i].id == field_id || FindPath(*type.fields()[i].type, field_id, path)) {
      return true;
    }
    path.pop_back();
  }
  return false;
}

const Value& FindValue(const StructValue& row, const std::vector<size_t>& path) {
  static const Value kNull;
  const StructValue* parent = &row;
  const Value* value = &kNull;
  for (size_t depth = 0; depth < path.size(); ++depth) {
    if (path[depth] >= parent->fields.size()) return kNull;
    value = &parent->fields[path[depth]];
    if (depth + 1 == path.size() || value->is_null()) return *value;
    parent = &value->as_struct();
  }
  return *value;
}

// `value` is not null.
bool MatchesValue(const Expression& predicate, const Value& value) {
  const std::vector<Literal>& literals = predicate.literals();
  switch (predicate.kind()) {
    case ExpressionKind::kNotNull:
      return true;
    case ExpressionKind::kIsNan:
      return IsNan(value);
    case ExpressionKind::kNotNan:
      return !IsNan(value);
    case ExpressionKind::kIn:
      return ContainsValue(literals, value);
    case ExpressionKind::kNotIn:
      return !ContainsValue(literals, value);
    case ExpressionKind::kStartsWith:
      return ByteView(value).starts_with(ByteView(literals.front().value));
    case ExpressionKind::kNotStartsWith:
      return !ByteView(value).starts_with(ByteView(literals.front().value));
    case ExpressionKind::kLike:
      return MatchesLikePattern(ByteView(value), ByteView(literals.front().value));
    case ExpressionKind::kNotLike:
      return !MatchesLikePattern(ByteView(value), ByteView(literals.front().value));
    case ExpressionKind::kLess:
    case ExpressionKind::kLessEqual:
    case ExpressionKind::kGreater:
    case ExpressionKind::kGreaterEqual:
    case ExpressionKind::kEqual:
    case ExpressionKind::kNotEqual:
      return SatisfiesComparison(predicate.kind(), value, literals.front().value);
    case ExpressionKind::kIsNull:
    case ExpressionKind::kTrue:
    case ExpressionKind::kFalse:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kNot:
      break;
  }
  return false;
}

bool MatchesPredicate(const Expression& predicate, const Value& column) {
  const ExpressionKind kind = predicate.kind();
  if (column.is_null()) return kind == ExpressionKind::kIsNull || kind == ExpressionKind::kNotNan;
  const Term& term = predicate.term();
  if (term.transform.kind == TransformKind::kIdentity) return MatchesValue(predicate, column);
  const auto value = ApplyTransform(term.transform, *term.source_type, column);
  return value.ok() && !value->is_null() && MatchesValue(predicate, *value);
}

}  // namespace

RowMatcher::RowMatcher(ExpressionPtr bound, const Type& type)
    : bound_(std::move(bound)), root_(MakeNode(*bound_, type)) {}

RowMatcher::Node RowMatcher::MakeNode(const Expression& expression, const Type& type) {
  Node node{.expression = &expression};
  if (expression.is_predicate()) FindPath(type, expression.term().field_id, node.path);
  for (const ExpressionPtr& child : expression.children())
    node.children.push_back(MakeNode(*child, type));
  return node;
}

bool RowMatcher::MatchesNode(const Node& node, const StructValue& fields) {
  if (node.expression->is_predicate()) {
    return MatchesPredicate(*node.expression, FindValue(fields, node.path));
  }
  const auto test = [&](const Node& child) { return MatchesNode(child, fields); };
  const ExpressionKind kind = node.expression->kind();
  if (kind == ExpressionKind::kAnd) {
    return std::all_of(node.children.begin(), node.children.end(), test);
  }
  if (kind == ExpressionKind::kOr) {
    return std::any_of(node.children.begin(), node.children.end(), test);
  }
  return kind == ExpressionKind::kTrue;
}

bool RowMatcher::Matches(const StructValue& fields) const { return MatchesNode(root_, fields); }

bool MatchesRow(const ExpressionPtr& bound, const Type& type, const StructValue& fields) {
  return RowMatcher(bound, type).Matches(fields);
}

}  // namespace firn
