#include "firn/format/avro/avro_codec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <libdeflate.h>
#include <lz4frame.h>
#include <snappy.h>
#include <zstd.h>

#include "firn/base/hash.h"

namespace firn {
namespace {

constexpr size_t kBufferMin = 64 * 1024;
// Deflate cannot expand more than this (but for a few bytes), snappy not more than 64 bytes for 3.
constexpr size_t kDeflateRatioMax = 1040;
constexpr size_t kSnappyRatioMax = 32;
constexpr size_t kSnappyCrcBytes = 4;
constexpr int kDeflateLevel = 6;
constexpr int kZstdLevel = 3;

constexpr std::pair<std::string_view, AvroCodec> kCodecs[] = {
    {"null", AvroCodec::kNull},
    {"deflate", AvroCodec::kDeflate},
    {"snappy", AvroCodec::kSnappy},
    {"zstandard", AvroCodec::kZstandard},
};

const char* Chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const char*>(bytes.data());
}

Error TooLarge(int64_t size_max) {
  return MakeError(ErrorCode::kCorrupt, "decompresses to more than {} bytes, the limit", size_max);
}

std::array<uint8_t, kSnappyCrcBytes> BigEndian(uint32_t value) {
  return {static_cast<uint8_t>(value >> 24), static_cast<uint8_t>(value >> 16),
          static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value)};
}

}  // namespace

std::string_view FormatAvroCodec(AvroCodec codec) {
  for (const auto& [text, known] : kCodecs) {
    if (known == codec) return text;
  }
  return "null";
}

Result<AvroCodec> ParseAvroCodec(std::string_view text) {
  for (const auto& [known, codec] : kCodecs) {
    if (known == text) return codec;
  }
  return MakeError(ErrorCode::kUnsupported,
                   "Avro codec '{}', expected null, deflate, snappy or zstandard", text);
}

Result<AvroCodec> ParseAvroCompressionProperty(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (lower == "gzip" || lower == "deflate") return AvroCodec::kDeflate;
  if (lower == "snappy") return AvroCodec::kSnappy;
  if (lower == "zstd" || lower == "zstandard") return AvroCodec::kZstandard;
  if (lower == "uncompressed" || lower == "none" || lower == "null") return AvroCodec::kNull;
  return MakeError(ErrorCode::kInvalidInput,
                   "Avro compression '{}', expected gzip, snappy, zstd or uncompressed", text);
}

struct Decompressor::State {
  ~State() {
    libdeflate_free_decompressor(deflate);
    ZSTD_freeDCtx(zstd);
    LZ4F_freeDecompressionContext(lz4);
  }
  libdeflate_decompressor* deflate = nullptr;
  ZSTD_DCtx* zstd = nullptr;
  LZ4F_dctx* lz4 = nullptr;
};

Decompressor::Decompressor() : state_(std::make_unique<State>()) {}
Decompressor::~Decompressor() = default;

void Decompressor::Grow(size_t size, size_t kept) {
  if (size <= buffer_.size()) return;
  Buffer larger(size);
  if (kept > 0) std::memcpy(larger.data(), buffer_.data(), kept);
  buffer_ = std::move(larger);
}

Result<std::span<const std::byte>> Decompressor::DecompressAvro(AvroCodec codec,
                                                                std::span<const std::byte> block,
                                                                int64_t size_max) {
  switch (codec) {
    case AvroCodec::kNull:
      if (static_cast<int64_t>(block.size()) > size_max) return TooLarge(size_max);
      return block;
    case AvroCodec::kDeflate:
      return Deflate(block, size_max);
    case AvroCodec::kSnappy:
      return Snappy(block, size_max);
    case AvroCodec::kZstandard:
      return Zstandard(block, size_max);
  }
  return MakeError(ErrorCode::kInternal, "unknown Avro codec");
}

Result<std::span<const std::byte>> Decompressor::Deflate(std::span<const std::byte> block,
                                                         int64_t size_max) {
  if (state_->deflate == nullptr) state_->deflate = libdeflate_alloc_decompressor();
  const size_t limit =
      std::min(static_cast<size_t>(size_max), (block.size() + 1) * kDeflateRatioMax);
  Grow(std::min(limit, std::max(kBufferMin, block.size() * 4)), 0);
  while (true) {
    size_t used = 0;
    size_t size = 0;
    // Bytes after the end of the stream are left alone: some writers leave a checksum there.
    const libdeflate_result result = libdeflate_deflate_decompress_ex(
        state_->deflate, block.data(), block.size(), buffer_.data(), buffer_.size(), &used, &size);
    if (result == LIBDEFLATE_SUCCESS) {
      if (static_cast<int64_t>(size) > size_max) return TooLarge(size_max);
      return Output(size);
    }
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
      return MakeError(ErrorCode::kCorrupt, "the deflate data is damaged");
    }
    if (buffer_.size() >= limit) return TooLarge(size_max);
    Grow(std::min(limit, buffer_.size() * 2), 0);
  }
}

Result<std::span<const std::byte>> Decompressor::Snappy(std::span<const std::byte> block,
                                                        int64_t size_max) {
  if (block.size() < kSnappyCrcBytes) {
    return MakeError(ErrorCode::kCorrupt, "the snappy data has {} bytes, fewer than its CRC",
                     block.size());
  }
  const auto data = block.first(block.size() - kSnappyCrcBytes);
  size_t size = 0;
  if (!snappy::GetUncompressedLength(Chars(data), data.size(), &size) ||
      size / kSnappyRatioMax > data.size()) {
    return MakeError(ErrorCode::kCorrupt, "the snappy data is damaged");
  }
  if (size > static_cast<size_t>(size_max)) return TooLarge(size_max);
  Grow(std::max<size_t>(size, 1), 0);
  if (!snappy::RawUncompress(Chars(data), data.size(), reinterpret_cast<char*>(buffer_.data()))) {
    return MakeError(ErrorCode::kCorrupt, "the snappy data is damaged");
  }
  const auto expected = BigEndian(HashCrc32(Output(size)));
  if (std::memcmp(block.data() + data.size(), expected.data(), expected.size()) != 0) {
    return MakeError(ErrorCode::kCorrupt, "the CRC of the snappy data is wrong");
  }
  return Output(size);
}

Result<std::span<const std::byte>> Decompressor::Zstandard(std::span<const std::byte> block,
                                                           int64_t size_max) {
  if (state_->zstd == nullptr) state_->zstd = ZSTD_createDCtx();
  ZSTD_DCtx_reset(state_->zstd, ZSTD_reset_session_only);
  Grow(std::min(static_cast<size_t>(size_max), std::max(kBufferMin, block.size() * 4)), 0);
  ZSTD_inBuffer input{block.data(), block.size(), 0};
  size_t written = 0;
  size_t hint = 1;
  while (input.pos < input.size || hint != 0) {
    if (written == buffer_.size()) {
      if (written >= static_cast<size_t>(size_max)) return TooLarge(size_max);
      Grow(std::min(static_cast<size_t>(size_max), buffer_.size() * 2), written);
    }
    ZSTD_outBuffer output{buffer_.data(), buffer_.size(), written};
    const size_t read_before = input.pos;
    hint = ZSTD_decompressStream(state_->zstd, &output, &input);
    if (ZSTD_isError(hint) != 0) {
      return MakeError(ErrorCode::kCorrupt, "the zstd data is damaged: {}",
                       ZSTD_getErrorName(hint));
    }
    if (input.pos == read_before && output.pos == written) {
      return MakeError(ErrorCode::kCorrupt, "the zstd data is cut off");
    }
    written = output.pos;
  }
  return Output(written);
}

Result<std::span<const std::byte>> Decompressor::Lz4(std::span<const std::byte> block,
                                                     int64_t size_max) {
  if (state_->lz4 == nullptr &&
      LZ4F_isError(LZ4F_createDecompressionContext(&state_->lz4, LZ4F_VERSION)) != 0) {
    return MakeError(ErrorCode::kResourceExhausted, "no memory for LZ4");
  }
  LZ4F_resetDecompressionContext(state_->lz4);
  Grow(std::min(static_cast<size_t>(size_max), std::max(kBufferMin, block.size() * 4)), 0);
  size_t read = 0;
  size_t written = 0;
  size_t hint = 1;
  while (hint != 0) {
    if (written == buffer_.size()) {
      if (written >= static_cast<size_t>(size_max)) return TooLarge(size_max);
      Grow(std::min(static_cast<size_t>(size_max), buffer_.size() * 2), written);
    }
    size_t out_size = buffer_.size() - written;
    size_t in_size = block.size() - read;
    hint = LZ4F_decompress(state_->lz4, buffer_.data() + written, &out_size, block.data() + read,
                           &in_size, nullptr);
    if (LZ4F_isError(hint) != 0) {
      return MakeError(ErrorCode::kCorrupt, "the LZ4 data is damaged: {}", LZ4F_getErrorName(hint));
    }
    if (hint != 0 && in_size == 0 && out_size == 0) {
      return MakeError(ErrorCode::kCorrupt, "the LZ4 data is cut off");
    }
    read += in_size;
    written += out_size;
  }
  return Output(written);
}

struct Compressor::State {
  ~State() {
    libdeflate_free_compressor(deflate);
    ZSTD_freeCCtx(zstd);
  }
  libdeflate_compressor* deflate = nullptr;
  ZSTD_CCtx* zstd = nullptr;
};

Compressor::Compressor(AvroCodec codec) : codec_(codec), state_(std::make_unique<State>()) {}
Compressor::~Compressor() = default;

Result<std::span<const std::byte>> Compressor::CompressAvro(std::span<const std::byte> content) {
  if (codec_ == AvroCodec::kNull) return content;
  size_t bound = 0;
  if (codec_ == AvroCodec::kDeflate) {
    if (state_->deflate == nullptr) state_->deflate = libdeflate_alloc_compressor(kDeflateLevel);
    bound = libdeflate_deflate_compress_bound(state_->deflate, content.size());
  } else if (codec_ == AvroCodec::kSnappy) {
    bound = snappy::MaxCompressedLength(content.size()) + kSnappyCrcBytes;
  } else {
    if (state_->zstd == nullptr) state_->zstd = ZSTD_createCCtx();
    bound = ZSTD_compressBound(content.size());
  }
  if (buffer_.size() < bound) buffer_ = Buffer(bound);
  size_t size = 0;
  if (codec_ == AvroCodec::kDeflate) {
    size = libdeflate_deflate_compress(state_->deflate, content.data(), content.size(),
                                       buffer_.data(), buffer_.size());
    if (size == 0) return MakeError(ErrorCode::kInternal, "libdeflate did not compress");
  } else if (codec_ == AvroCodec::kSnappy) {
    snappy::RawCompress(Chars(content), content.size(), reinterpret_cast<char*>(buffer_.data()),
                        &size);
    const auto crc = BigEndian(HashCrc32(content));
    std::memcpy(buffer_.data() + size, crc.data(), crc.size());
    size += crc.size();
  } else {
    size = ZSTD_compressCCtx(state_->zstd, buffer_.data(), buffer_.size(), content.data(),
                             content.size(), kZstdLevel);
    if (ZSTD_isError(size) != 0) {
      return MakeError(ErrorCode::kInternal, "zstd did not compress: {}", ZSTD_getErrorName(size));
    }
  }
  return std::span<const std::byte>(buffer_.data(), size);
}

Result<Buffer> CompressZstandard(std::span<const std::byte> content) {
  Buffer output(ZSTD_compressBound(content.size()));
  const size_t size =
      ZSTD_compress(output.data(), output.size(), content.data(), content.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) {
    return MakeError(ErrorCode::kInternal, "zstd did not compress: {}", ZSTD_getErrorName(size));
  }
  output.Truncate(size);
  return output;
}

}  // namespace firn
