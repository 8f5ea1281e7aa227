#pragma once

#include "firn/expression/expression.h"

/// Filters as people type them: names may differ from those of the schema in case.

namespace firn {

/// The same unbound expression with columns called as in `schema`; see `FindColumn` for the rule.
/// Errors: kInvalidInput: no column, or more than one, is called so.
Result<ExpressionPtr> ResolveColumnNames(const ExpressionPtr& expression, const Schema& schema);

}  // namespace firn
