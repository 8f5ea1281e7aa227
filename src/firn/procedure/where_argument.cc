#include "firn/expression/column_names.h"
#include "firn/procedure/where_argument_internal.h"

namespace firn {

Result<ExpressionPtr> ParseWhere(const Arguments& arguments, const Schema& schema) {
  const auto text = arguments.OptionalText("where");
  if (!text) return ExpressionPtr();
  FIRN_ASSIGN(const ExpressionPtr parsed, ParseExpression(*text), "where");
  FIRN_ASSIGN(ExpressionPtr resolved, ResolveColumnNames(parsed, schema), "where");
  return resolved;
}

}  // namespace firn
