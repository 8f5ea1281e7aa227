#include "firn/expression/column_names.h"

#include <utility>

#include "firn/format/schema/column_lookup.h"

namespace firn {

Result<ExpressionPtr> ResolveColumnNames(const ExpressionPtr& expression, const Schema& schema) {
  if (expression->is_predicate()) {
    if (schema.FindField(expression->term().name) != nullptr) return expression;
    FIRN_ASSIGN(const NestedField* column, FindColumn(schema, expression->term().name), "filter");
    Term term = expression->term();
    term.name = schema.FullName(column->id);
    return Expression::Predicate(expression->kind(), std::move(term), expression->literals());
  }
  std::vector<ExpressionPtr> children;
  for (const ExpressionPtr& child : expression->children()) {
    FIRN_ASSIGN(ExpressionPtr resolved, ResolveColumnNames(child, schema));
    children.push_back(std::move(resolved));
  }
  const ExpressionKind kind = expression->kind();
  if (kind == ExpressionKind::kAnd) return Expression::And(std::move(children));
  if (kind == ExpressionKind::kOr) return Expression::Or(std::move(children));
  if (kind == ExpressionKind::kNot) return Expression::Not(std::move(children.front()));
  return expression;
}

}  // namespace firn
