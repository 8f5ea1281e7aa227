#include "firn/base/byte_prefix.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace firn {

uint64_t BytePrefix(std::string_view bytes) {
  uint64_t prefix = 0;
  if (!bytes.empty()) std::memcpy(&prefix, bytes.data(), std::min(bytes.size(), sizeof(prefix)));
  if constexpr (std::endian::native == std::endian::little) prefix = __builtin_bswap64(prefix);
  return prefix;
}

}  // namespace firn
