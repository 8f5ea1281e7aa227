#pragma once

#include <cstdint>

namespace firn {

/// Give large blocks of the heap back to the system when they are freed, and keep little else of
/// what is not in use: `memory_bytes` is what the process may have. To be called early, once.
void LimitIdleHeap(int64_t memory_bytes);

}  // namespace firn
