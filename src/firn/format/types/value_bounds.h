#pragma once

#include <cstdint>
#include <optional>

#include "firn/format/types/value.h"

/// Bounds of long text and bytes are cut (metrics mode `truncate(N)`): the lower one down, the
/// upper one up, so that every value still lies between them.

namespace firn {

/// A lower bound of `value` of at most `width` code points (text) or bytes (binary); other values
/// are returned as they are. Text that is not UTF-8 is cut before its first bad byte.
Value TruncateLowerBound(const Value& value, int32_t width);

/// An upper bound of at most `width` code points or bytes; `value` itself if it is not longer.
/// Nullopt if there is none: all code points are U+10FFFF, or all bytes 0xFF.
std::optional<Value> TruncateUpperBound(const Value& value, int32_t width);

}  // namespace firn
