#pragma once

#include <cstdint>

#include "firn/base/memory_budget.h"
#include "firn/base/result.h"

namespace firn {

/// Memory for what cannot wait, since its caller may hold memory itself and waiting could last for
/// ever: what is free now. Small amounts, up to a 64th of the budget, pass uncounted rather than
/// fail for memory that others hold at this moment and give back soon.
/// Errors: kResourceExhausted.
Result<MemoryReservation> ReserveOrPass(MemoryBudget& budget, int64_t bytes);

}  // namespace firn
