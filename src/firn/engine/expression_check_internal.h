#pragma once

#include <set>
#include <string>

#include "firn/engine/engine_state_internal.h"
#include "firn/engine/row_expressions.h"

namespace firn {

/// Parse an expression and check that it is one, without anything in it that sees more than one
/// row. What the names in it stand for is not looked at. Returns them, in lower case: columns,
/// fields of structs, parameters of lambdas. Errors: kInvalidInput, with the place.
Result<std::set<std::string>> CheckExpression(QuerySession& session,
                                              const RowExpression& expression);

/// ASCII letters in lower case.
std::string FoldName(std::string_view name);

}  // namespace firn
