#include "firn/parquet/footer_size.h"

#include <array>
#include <cstring>
#include <span>

namespace firn {

Result<int64_t> ReadFooterSize(InputFile& file, int64_t size) {
  std::array<std::byte, 8> tail{};  // The length, and the magic.
  const auto tail_bytes = static_cast<int64_t>(tail.size());
  if (size < tail_bytes) return int64_t{0};
  FIRN_ASSIGN(const int64_t read, file.ReadAt(size - tail_bytes, std::span(tail)));
  if (read != tail_bytes) return int64_t{0};
  uint32_t length = 0;
  std::memcpy(&length, tail.data(), sizeof(length));
  return int64_t{length} <= size - tail_bytes ? int64_t{length} : int64_t{0};
}

}  // namespace firn
