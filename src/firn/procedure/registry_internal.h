#pragma once

#include "firn/procedure/procedure.h"

namespace firn {

// Declare every line of procedures.def.
#define FIRN_PROCEDURE(describe) Procedure describe();
#include "firn/procedure/procedures.def"
#undef FIRN_PROCEDURE

}  // namespace firn
