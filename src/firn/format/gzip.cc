#include "firn/format/gzip.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include <libdeflate.h>

#include "firn/base/check.h"

namespace firn {
namespace {

constexpr size_t kMagicSize = 2;
constexpr size_t kTrailerSize = 4;  // The size of the last member's content, modulo 2^32.
constexpr int kLevel = 6;

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};
struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};

uint32_t ReadTrailer(std::span<const std::byte> bytes) {
  uint32_t size = 0;
  for (size_t i = 0; i < kTrailerSize; ++i) {
    size |= std::to_integer<uint32_t>(bytes[bytes.size() - kTrailerSize + i]) << (8 * i);
  }
  return size;
}

// `buffer` with room for `capacity` bytes and its first `used` bytes.
Buffer Grow(const Buffer& buffer, size_t used, size_t capacity) {
  Buffer grown(capacity);
  if (used > 0) std::memcpy(grown.data(), buffer.data(), used);
  return grown;
}

Error TooLarge(size_t size_max) {
  return MakeError(ErrorCode::kCorrupt, "gzip content of more than {} bytes, expected less",
                   size_max);
}

}  // namespace

bool IsGzip(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagicSize && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

Result<Buffer> DecompressGzip(std::span<const std::byte> bytes, size_t size_max) {
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  FIRN_CHECK(decompressor != nullptr);
  constexpr size_t kSmallest = 4096;
  const size_t expected = bytes.size() < kTrailerSize ? 0 : ReadTrailer(bytes);
  Buffer out(std::min(std::max(expected, kSmallest), size_max));
  size_t used = 0;
  while (!bytes.empty()) {
    size_t taken = 0;
    size_t made = 0;
    const auto result =
        libdeflate_gzip_decompress_ex(decompressor.get(), bytes.data(), bytes.size(),
                                      out.data() + used, out.size() - used, &taken, &made);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      if (out.size() >= size_max) return TooLarge(size_max);
      out = Grow(out, used, out.size() > size_max / 2 ? size_max : out.size() * 2);
      continue;
    }
    if (result != LIBDEFLATE_SUCCESS) {
      return MakeError(ErrorCode::kCorrupt, "gzip data is broken or cut off after {} bytes", used);
    }
    used += made;
    bytes = bytes.subspan(taken);
  }
  out.Truncate(used);
  return out;
}

size_t MaxInflatedSize(size_t size) {
  constexpr size_t kLeast = size_t{64} << 20U;
  constexpr size_t kMost = (size_t{4} << 30U) - 1;
  constexpr size_t kRatio = 200;
  return std::min(kMost, std::max(kLeast, size > kMost / kRatio ? kMost : size * kRatio));
}

std::string CompressGzip(std::string_view text) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(kLevel));
  FIRN_CHECK(compressor != nullptr);
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  const size_t size =
      libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), out.data(), out.size());
  FIRN_CHECK(size > 0);
  out.resize(size);
  return out;
}

}  // namespace firn
