#include <utility>

#include "firn/expression/expression.h"
#include "firn/expression/projection_internal.h"

namespace firn {

Result<ResidualEvaluator> ResidualEvaluator::Make(ExpressionPtr bound, const PartitionSpec& spec,
                                                  const Type& partition_type) {
  ResidualEvaluator evaluator;
  FIRN_ASSIGN(evaluator.root_, MakeNode(bound, spec, partition_type));
  return evaluator;
}

Result<ResidualEvaluator::Node> ResidualEvaluator::MakeNode(const ExpressionPtr& expression,
                                                            const PartitionSpec& spec,
                                                            const Type& partition_type) {
  Node node{.expression = expression};
  for (const ExpressionPtr& child : expression->children()) {
    FIRN_ASSIGN(Node child_node, MakeNode(child, spec, partition_type));
    node.children.push_back(std::move(child_node));
  }
  if (!expression->is_predicate()) return node;
  FIRN_ASSIGN(ExpressionPtr inclusive, ProjectInclusive(expression, spec, partition_type));
  FIRN_ASSIGN(ExpressionPtr strict, ProjectStrict(expression, spec, partition_type));
  if (inclusive->kind() != ExpressionKind::kTrue) {
    node.inclusive.emplace_back(std::move(inclusive), partition_type);
  }
  if (strict->kind() != ExpressionKind::kFalse) {
    node.strict.emplace_back(std::move(strict), partition_type);
  }
  return node;
}

ExpressionPtr ResidualEvaluator::ResidualFor(const StructValue& partition) const {
  return Evaluate(root_, partition);
}

ExpressionPtr ResidualEvaluator::Evaluate(const Node& node, const StructValue& partition) {
  if (node.expression->is_predicate()) {
    if (!node.strict.empty() && node.strict.front().Matches(partition)) return Expression::True();
    const bool is_possible = node.inclusive.empty() || node.inclusive.front().Matches(partition);
    return is_possible ? node.expression : Expression::False();
  }
  if (node.children.empty()) return node.expression;
  std::vector<ExpressionPtr> children;
  children.reserve(node.children.size());
  for (const Node& child : node.children)
    children.push_back(Evaluate(child, partition));
  return node.expression->kind() == ExpressionKind::kAnd ? Expression::And(std::move(children))
                                                         : Expression::Or(std::move(children));
}

Result<ExpressionPtr> ResidualFor(const ExpressionPtr& bound, const PartitionSpec& spec,
                                  const Type& partition_type, const StructValue& partition) {
  FIRN_ASSIGN(const ResidualEvaluator evaluator,
              ResidualEvaluator::Make(bound, spec, partition_type));
  return evaluator.ResidualFor(partition);
}

}  // namespace firn
