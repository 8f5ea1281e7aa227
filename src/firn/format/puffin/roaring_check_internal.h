#pragma once

#include <cstddef>
#include <span>

#include "firn/base/result.h"

namespace firn {

/// Check a 32-bit roaring bitmap in portable form at the start of `bytes` before a library sees it:
/// sizes, order of containers and values, cardinalities, bounds of runs. Returns how many bytes it
/// takes. Errors: kCorrupt, with the byte at which it is wrong.
Result<size_t> CheckRoaringBitmap(std::span<const std::byte> bytes);

}  // namespace firn
