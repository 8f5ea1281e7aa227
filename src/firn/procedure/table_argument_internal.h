#pragma once

#include "firn/procedure/procedure.h"

namespace firn {

/// The argument `table` of commands that take a location, too: required, and without a flag.
Argument TableOrLocationArgument();

}  // namespace firn
