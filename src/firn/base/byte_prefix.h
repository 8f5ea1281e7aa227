#pragma once

#include <cstdint>
#include <string_view>

namespace firn {

/// The first eight bytes as a number that orders as they do, unsigned; shorter ones are filled up
/// with zeros. Unequal prefixes decide a comparison of bytes; equal ones do not.
uint64_t BytePrefix(std::string_view bytes);

}  // namespace firn
