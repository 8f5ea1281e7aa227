#include "firn/parquet/page_sizes.h"

#include <algorithm>

#include "firn/parquet/chunk_window_internal.h"
#include "firn/parquet/page_header_internal.h"

namespace firn {
namespace {

// Small pages come several at a time, large ones one head at a time.
constexpr size_t kReadBytes = size_t{4} << 10;
constexpr size_t kHeaderBytes = 256;
constexpr size_t kHeaderBytesMax = size_t{16} << 20;

Result<ParsedPageHeader> HeaderAt(ChunkWindow& window, size_t offset) {
  for (size_t size = kHeaderBytes;; size *= 4) {
    FIRN_ASSIGN(const auto bytes, window.At(offset, size));
    auto parsed = ParsePageHeader(bytes);
    // It may be cut off.
    if (parsed.ok() || offset + size >= window.size() || size > kHeaderBytesMax) return parsed;
  }
}

}  // namespace

Result<PageSizes> MeasurePages(InputFile& file, const ByteRange& chunk, int64_t plain_bytes,
                               int64_t bytes_min) {
  ChunkWindow window(file, MakeHeapStore(), kReadBytes);
  window.Begin(chunk);
  PageSizes sizes;
  size_t offset = 0;
  while (offset < window.size() && plain_bytes > std::max(sizes.data, bytes_min)) {
    FIRN_ASSIGN(const ParsedPageHeader parsed, HeaderAt(window, offset));
    const PageHeader& header = parsed.header;
    int64_t& largest = header.type == PageType::kDictionary ? sizes.dictionary : sizes.data;
    largest = std::max<int64_t>(largest, header.uncompressed_size);
    sizes.stored = std::max<int64_t>(sizes.stored, header.compressed_size);
    plain_bytes -= std::max<int64_t>(header.uncompressed_size, 1);
    offset += parsed.header_bytes + static_cast<size_t>(header.compressed_size);
  }
  return sizes;
}

}  // namespace firn
