#pragma once

#include "firn/expression/expression.h"
#include "firn/procedure/procedure.h"

namespace firn {

/// The filter that the argument `where` gives, with columns called as in `schema`; null without
/// one. Errors: kInvalidInput.
Result<ExpressionPtr> ParseWhere(const Arguments& arguments, const Schema& schema);

}  // namespace firn
