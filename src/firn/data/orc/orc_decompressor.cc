#include <algorithm>
#include <optional>

#include <libdeflate.h>
#include <lz4.h>
#include <snappy.h>
#include <zstd.h>

#include "firn/data/orc/orc_decompressor_internal.h"

namespace firn {
namespace {

// Behind what the ratios tell: what short inputs may become beyond them.
constexpr int64_t kExpansionSlack = 256;

constexpr int64_t kExpansionGuess = 6;

}  // namespace

int64_t OrcExpansionMax(OrcCodec codec) {
  switch (codec) {
    case OrcCodec::kNone:
      return 1;
    case OrcCodec::kZlib:
      return 1040;
    case OrcCodec::kSnappy:
      return 32;
    case OrcCodec::kLzo:
    case OrcCodec::kLz4:
      return 256;
    case OrcCodec::kZstd:
      return 128 << 10;  // A block of 128 KiB may be one byte that repeats.
  }
  return 1;
}

struct OrcDecompressor::State {
  ~State() {
    libdeflate_free_decompressor(deflate);
    ZSTD_freeDCtx(zstd);
  }

  // Returns how many bytes there are; nothing if the chunk is damaged or has more.
  std::optional<int64_t> Decompress(OrcCodec codec, std::span<const uint8_t> chunk,
                                    std::span<uint8_t> out) {
    const auto* const in = reinterpret_cast<const char*>(chunk.data());
    auto* const chars = reinterpret_cast<char*>(out.data());
    size_t size = 0;
    switch (codec) {
      case OrcCodec::kNone:
        return {};
      case OrcCodec::kZlib:
        if (deflate == nullptr) deflate = libdeflate_alloc_decompressor();
        if (libdeflate_deflate_decompress(deflate, chunk.data(), chunk.size(), out.data(),
                                          out.size(), &size) != LIBDEFLATE_SUCCESS) {
          return {};
        }
        return static_cast<int64_t>(size);
      case OrcCodec::kSnappy:
        if (!snappy::GetUncompressedLength(in, chunk.size(), &size) || size > out.size() ||
            !snappy::RawUncompress(in, chunk.size(), chars)) {
          return {};
        }
        return static_cast<int64_t>(size);
      case OrcCodec::kLzo: {
        const int64_t bytes = DecompressLzo(chunk, out);
        return bytes < 0 ? std::nullopt : std::optional(bytes);
      }
      case OrcCodec::kLz4: {
        const int bytes = LZ4_decompress_safe(in, chars, static_cast<int>(chunk.size()),
                                              static_cast<int>(out.size()));
        return bytes < 0 ? std::nullopt : std::optional<int64_t>(bytes);
      }
      case OrcCodec::kZstd:
        if (zstd == nullptr) zstd = ZSTD_createDCtx();
        size = ZSTD_decompressDCtx(zstd, out.data(), out.size(), chunk.data(), chunk.size());
        if (ZSTD_isError(size) != 0) return {};
        return static_cast<int64_t>(size);
    }
    return {};
  }

  libdeflate_decompressor* deflate = nullptr;
  ZSTD_DCtx* zstd = nullptr;
};

OrcDecompressor::OrcDecompressor() : state_(std::make_unique<State>()) {}
OrcDecompressor::OrcDecompressor(OrcDecompressor&&) noexcept = default;
OrcDecompressor& OrcDecompressor::operator=(OrcDecompressor&&) noexcept = default;
OrcDecompressor::~OrcDecompressor() = default;

Result<int64_t> OrcDecompressor::Decompress(OrcCodec codec, std::span<const uint8_t> chunk,
                                            int64_t size_max, OrcBuffer& out) {
  const auto stored = static_cast<int64_t>(chunk.size());
  const int64_t room = std::min(size_max, stored * OrcExpansionMax(codec) + kExpansionSlack);
  // Most chunks become a few times their size; wide files have many streams, each with its buffer.
  const int64_t guess = std::min(room, stored * kExpansionGuess + kExpansionSlack);
  for (const int64_t size : {std::max(guess, out.size()), room}) {
    FIRN_RETURN_IF_ERROR(out.Grow(size, size));
    const auto bytes = state_->Decompress(codec, chunk, {out.data(), static_cast<size_t>(size)});
    if (bytes) return *bytes;
  }
  return MakeError(ErrorCode::kCorrupt, "a compressed chunk of {} bytes is damaged", stored);
}

}  // namespace firn
