#include "firn/expression/expression.h"

#include <utility>

#include "firn/base/check.h"

namespace firn {
namespace {

bool AreSameTypes(const TypePtr& a, const TypePtr& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool HasRightLiteralCount(ExpressionKind kind, size_t count) {
  switch (kind) {
    case ExpressionKind::kIsNull:
    case ExpressionKind::kNotNull:
    case ExpressionKind::kIsNan:
    case ExpressionKind::kNotNan:
      return count == 0;
    case ExpressionKind::kIn:
    case ExpressionKind::kNotIn:
      return true;
    case ExpressionKind::kTrue:
    case ExpressionKind::kFalse:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kNot:
      return false;
    case ExpressionKind::kLess:
    case ExpressionKind::kLessEqual:
    case ExpressionKind::kGreater:
    case ExpressionKind::kGreaterEqual:
    case ExpressionKind::kEqual:
    case ExpressionKind::kNotEqual:
    case ExpressionKind::kStartsWith:
    case ExpressionKind::kNotStartsWith:
    case ExpressionKind::kLike:
    case ExpressionKind::kNotLike:
      return count == 1;
  }
  return false;
}

// Operands of `kind` (kAnd or kOr) without its neutral element and without nesting. The absorbing
// element, if it is there, is all that is left.
std::vector<ExpressionPtr> Flatten(ExpressionKind kind, std::vector<ExpressionPtr> operands) {
  const bool is_and = kind == ExpressionKind::kAnd;
  const auto neutral = is_and ? ExpressionKind::kTrue : ExpressionKind::kFalse;
  const auto absorbing = is_and ? ExpressionKind::kFalse : ExpressionKind::kTrue;
  std::vector<ExpressionPtr> flat;
  flat.reserve(operands.size());
  for (ExpressionPtr& operand : operands) {
    if (operand->kind() == absorbing) return {std::move(operand)};
    if (operand->kind() == neutral) continue;
    if (operand->kind() == kind) {
      flat.insert(flat.end(), operand->children().begin(), operand->children().end());
    } else {
      flat.push_back(std::move(operand));
    }
  }
  return flat;
}

void CollectFields(const Expression& expression, std::set<int32_t>& fields) {
  if (expression.is_predicate()) fields.insert(expression.term().field_id);
  for (const ExpressionPtr& child : expression.children())
    CollectFields(*child, fields);
}

}  // namespace

bool Term::operator==(const Term& other) const {
  return name == other.name && transform == other.transform && field_id == other.field_id &&
         AreSameTypes(source_type, other.source_type) && AreSameTypes(type, other.type);
}

ExpressionPtr Expression::True() {
  static const ExpressionPtr kInstance = std::make_shared<Expression>();
  return kInstance;
}

ExpressionPtr Expression::False() {
  static const ExpressionPtr kInstance = [] {
    auto expression = std::make_shared<Expression>();
    expression->kind_ = ExpressionKind::kFalse;
    return expression;
  }();
  return kInstance;
}

ExpressionPtr Expression::And(ExpressionPtr a, ExpressionPtr b) {
  return And(std::vector<ExpressionPtr>{std::move(a), std::move(b)});
}

ExpressionPtr Expression::Or(ExpressionPtr a, ExpressionPtr b) {
  return Or(std::vector<ExpressionPtr>{std::move(a), std::move(b)});
}

ExpressionPtr Expression::And(std::vector<ExpressionPtr> operands) {
  operands = Flatten(ExpressionKind::kAnd, std::move(operands));
  if (operands.empty()) return True();
  if (operands.size() == 1) return std::move(operands.front());
  auto expression = std::make_shared<Expression>();
  expression->kind_ = ExpressionKind::kAnd;
  expression->children_ = std::move(operands);
  return expression;
}

ExpressionPtr Expression::Or(std::vector<ExpressionPtr> operands) {
  operands = Flatten(ExpressionKind::kOr, std::move(operands));
  if (operands.empty()) return False();
  if (operands.size() == 1) return std::move(operands.front());
  auto expression = std::make_shared<Expression>();
  expression->kind_ = ExpressionKind::kOr;
  expression->children_ = std::move(operands);
  return expression;
}

ExpressionPtr Expression::Not(ExpressionPtr a) {
  if (a->kind() == ExpressionKind::kTrue) return False();
  if (a->kind() == ExpressionKind::kFalse) return True();
  if (a->kind() == ExpressionKind::kNot) return a->children().front();
  auto expression = std::make_shared<Expression>();
  expression->kind_ = ExpressionKind::kNot;
  expression->children_.push_back(std::move(a));
  return expression;
}

ExpressionPtr Expression::Predicate(ExpressionKind kind, Term term, std::vector<Literal> literals) {
  FIRN_CHECK(HasRightLiteralCount(kind, literals.size()));
  if (kind == ExpressionKind::kIn && literals.empty()) return False();
  if (kind == ExpressionKind::kNotIn && literals.empty()) return True();
  auto expression = std::make_shared<Expression>();
  expression->kind_ = kind;
  expression->term_ = std::move(term);
  expression->literals_ = std::move(literals);
  return expression;
}

bool Expression::operator==(const Expression& other) const {
  if (kind_ != other.kind_ || children_.size() != other.children_.size()) return false;
  for (size_t i = 0; i < children_.size(); ++i) {
    if (!(*children_[i] == *other.children_[i])) return false;
  }
  return term_ == other.term_ && literals_ == other.literals_;
}

std::set<int32_t> ReferencedFields(const Expression& bound) {
  std::set<int32_t> fields;
  CollectFields(bound, fields);
  return fields;
}

}  // namespace firn
