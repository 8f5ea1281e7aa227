#pragma once

#include <span>
#include <string_view>

#include "firn/procedure/procedure.h"

/// The entries of the argument `options` of rewrites, for people.

namespace firn {

struct RewriteOption {
  std::string_view name;  ///< Spark's.
  std::string_view default_text;
  std::string_view meaning;  ///< With the unit.
};

/// Those of a procedure by its name in CALL; empty for one that has none.
std::span<const RewriteOption> RewriteOptionsOf(std::string_view call_name);

/// The argument `options` of that procedure.
Argument RewriteOptionsArgument(std::string_view call_name);

}  // namespace firn
