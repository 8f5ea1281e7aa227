#pragma once

#include <cstdint>

namespace firn {

/// Where the process may have few `memory_bytes`: give large blocks of the heap back to the system
/// when they are freed, keep little else of what is not in use, and take no huge pages, which hold
/// 2 MiB for each byte in use. To be called early, once.
void LimitIdleHeap(int64_t memory_bytes);

}  // namespace firn
