#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <libdeflate.h>
#include <lz4.h>
#include <snappy.h>
#include <zstd.h>

#include "firn/parquet/compression_internal.h"

namespace firn {
namespace {

constexpr int kZstdLevel = 3;
constexpr int kGzipLevel = 6;
constexpr int kBrotliLevel = 8;

constexpr size_t kGrowthMin = 1024;

const char* Chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const char*>(bytes.data());
}
char* Chars(std::span<std::byte> bytes) { return reinterpret_cast<char*>(bytes.data()); }

Error Damaged(std::string_view codec) {
  return MakeError(ErrorCode::kCorrupt, "a page does not decompress as {} says", codec);
}

// A gzip stream may have several members, as Java's writers for large pages make them.
Status InflateMembers(libdeflate_decompressor* inflater, std::span<const std::byte> in,
                      std::span<std::byte> out) {
  while (!out.empty() || !in.empty()) {
    size_t used = 0;
    size_t made = 0;
    const auto result = libdeflate_gzip_decompress_ex(inflater, in.data(), in.size(), out.data(),
                                                      out.size(), &used, &made);
    if (result != LIBDEFLATE_SUCCESS) return Damaged("gzip");
    in = in.subspan(used);
    out = out.subspan(made);
    if (in.empty()) break;
  }
  return out.empty() ? Status() : Status(Damaged("gzip"));
}

constexpr size_t kHadoopLength = sizeof(uint32_t);

Status DecompressLz4(std::span<const std::byte> in, std::span<std::byte> out) {
  if (in.size() > std::numeric_limits<int>::max()) return Damaged("lz4");
  const int size = LZ4_decompress_safe(Chars(in), Chars(out), static_cast<int>(in.size()),
                                       static_cast<int>(out.size()));
  return size >= 0 && static_cast<size_t>(size) == out.size() ? Status() : Status(Damaged("lz4"));
}

// A length, most significant byte first, cut off from the front.
std::optional<size_t> TakeLength(std::span<const std::byte>& in) {
  if (in.size() < kHadoopLength) return std::nullopt;
  uint32_t length = 0;
  for (size_t i = 0; i < kHadoopLength; ++i)
    length = length << 8 | static_cast<uint8_t>(in[i]);
  in = in.subspan(kHadoopLength);
  return length;
}

// Hadoop's frames: the length of what a frame holds, then parts with their lengths until it is
// full.
bool DecompressFrames(std::span<const std::byte> in, std::span<std::byte> out) {
  while (!in.empty()) {
    const std::optional<size_t> length = TakeLength(in);
    if (!length || *length > out.size()) return false;
    std::span<std::byte> frame = out.first(*length);
    while (!frame.empty()) {
      const std::optional<size_t> stored = TakeLength(in);
      if (!stored || *stored > in.size() || *stored > std::numeric_limits<int>::max()) return false;
      const int size = LZ4_decompress_safe(Chars(in), Chars(frame), static_cast<int>(*stored),
                                           static_cast<int>(frame.size()));
      if (size <= 0) return false;
      frame = frame.subspan(static_cast<size_t>(size));
      in = in.subspan(*stored);
    }
    out = out.subspan(*length);
  }
  return out.empty();
}

}  // namespace

void PageBuffer::Move(size_t capacity) {
  std::unique_ptr<std::byte[]> bytes(new std::byte[capacity + kSlack]);
  if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

void PageBuffer::Resize(size_t size) {
  if (size > capacity_) Move(std::max({size, capacity_ + capacity_ / 2, kGrowthMin}));
  size_ = size;
}

void PageBuffer::Reserve(size_t size) {
  if (size > capacity_) Move(size);
}

std::byte* PageBuffer::Grow(size_t count) {
  const size_t start = size_;
  Resize(size_ + count);
  return bytes_.get() + start;
}

void PageBuffer::Append(std::span<const std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(Grow(bytes.size()), bytes.data(), bytes.size());
}

bool IsSupported(ParquetCodec codec) {
  return codec == ParquetCodec::kUncompressed || codec == ParquetCodec::kSnappy ||
         codec == ParquetCodec::kGzip || codec == ParquetCodec::kBrotli ||
         codec == ParquetCodec::kZstd || codec == ParquetCodec::kLz4Raw;
}

bool CanDecompress(ParquetCodec codec) {
  return IsSupported(codec) || codec == ParquetCodec::kLz4Hadoop;
}

uint32_t PageChecksum(std::span<const std::byte> stored) {
  return libdeflate_crc32(
      0, stored.empty() ? reinterpret_cast<const std::byte*>("") : stored.data(), stored.size());
}

struct PageCodec::State {
  ~State() {
    ZSTD_freeDCtx(unzstd);
    ZSTD_freeCCtx(zstd);
    libdeflate_free_decompressor(inflate);
    libdeflate_free_compressor(deflate);
  }

  ZSTD_DCtx* unzstd = nullptr;
  ZSTD_CCtx* zstd = nullptr;
  libdeflate_decompressor* inflate = nullptr;
  libdeflate_compressor* deflate = nullptr;
  int deflate_level = 0;
};

PageCodec::PageCodec() : state_(std::make_unique<State>()) {}
PageCodec::PageCodec(PageCodec&&) noexcept = default;
PageCodec& PageCodec::operator=(PageCodec&&) noexcept = default;
PageCodec::~PageCodec() = default;

Status PageCodec::Decompress(ParquetCodec codec, std::span<const std::byte> in,
                             std::span<std::byte> out) {
  State& state = *state_;
  switch (codec) {
    case ParquetCodec::kUncompressed:
      if (in.size() != out.size()) return Damaged("its header");
      if (!in.empty()) std::memcpy(out.data(), in.data(), in.size());
      return {};
    case ParquetCodec::kSnappy: {
      size_t size = 0;
      const bool is_right = snappy::GetUncompressedLength(Chars(in), in.size(), &size) &&
                            size == out.size() &&
                            snappy::RawUncompress(Chars(in), in.size(), Chars(out));
      return is_right ? Status() : Status(Damaged("snappy"));
    }
    case ParquetCodec::kGzip:
      if (state.inflate == nullptr) state.inflate = libdeflate_alloc_decompressor();
      return InflateMembers(state.inflate, in, out);
    case ParquetCodec::kZstd: {
      if (state.unzstd == nullptr) state.unzstd = ZSTD_createDCtx();
      const size_t size =
          ZSTD_decompressDCtx(state.unzstd, out.data(), out.size(), in.data(), in.size());
      return size == out.size() ? Status() : Status(Damaged("zstd"));
    }
    case ParquetCodec::kLz4Raw:
      return DecompressLz4(in, out);
    case ParquetCodec::kLz4Hadoop:  // Some writers left Hadoop's frames out.
      return DecompressFrames(in, out) ? Status() : DecompressLz4(in, out);
    case ParquetCodec::kBrotli: {
      size_t size = out.size();
      const auto result =
          BrotliDecoderDecompress(in.size(), reinterpret_cast<const uint8_t*>(in.data()), &size,
                                  reinterpret_cast<uint8_t*>(out.data()));
      const bool is_right = result == BROTLI_DECODER_RESULT_SUCCESS && size == out.size();
      return is_right ? Status() : Status(Damaged("brotli"));
    }
    case ParquetCodec::kLzo:
      break;
  }
  return MakeError(ErrorCode::kUnsupported, "pages of codec {}", static_cast<int>(codec));
}

Status PageCodec::Compress(ParquetCodec codec, std::optional<int> level,
                           std::span<const std::byte> in, PageBuffer& out) {
  State& state = *state_;
  const size_t start = out.size();
  size_t size = 0;
  bool is_done = false;
  switch (codec) {
    case ParquetCodec::kUncompressed:
      out.Append(in);
      return {};
    case ParquetCodec::kSnappy:
      out.Resize(start + snappy::MaxCompressedLength(in.size()));
      snappy::RawCompress(Chars(in), in.size(), reinterpret_cast<char*>(out.data()) + start, &size);
      is_done = true;
      break;
    case ParquetCodec::kGzip: {
      const int wanted = level.value_or(kGzipLevel);
      if (state.deflate == nullptr || state.deflate_level != wanted) {
        libdeflate_free_compressor(state.deflate);
        state.deflate = libdeflate_alloc_compressor(wanted);
        state.deflate_level = wanted;
      }
      if (state.deflate == nullptr) {
        return MakeError(ErrorCode::kUnsupported, "gzip at level {}", wanted);
      }
      out.Resize(start + libdeflate_gzip_compress_bound(state.deflate, in.size()));
      size = libdeflate_gzip_compress(state.deflate, in.data(), in.size(), out.data() + start,
                                      out.size() - start);
      is_done = size > 0;
      break;
    }
    case ParquetCodec::kZstd:
      if (state.zstd == nullptr) state.zstd = ZSTD_createCCtx();
      out.Resize(start + ZSTD_compressBound(in.size()));
      size = ZSTD_compressCCtx(state.zstd, out.data() + start, out.size() - start, in.data(),
                               in.size(), level.value_or(kZstdLevel));
      is_done = ZSTD_isError(size) == 0;
      break;
    case ParquetCodec::kLz4Raw: {
      if (in.size() > LZ4_MAX_INPUT_SIZE) break;
      const int bound = LZ4_compressBound(static_cast<int>(in.size()));
      out.Resize(start + static_cast<size_t>(bound));
      const int made = LZ4_compress_default(Chars(in), reinterpret_cast<char*>(out.data()) + start,
                                            static_cast<int>(in.size()), bound);
      size = static_cast<size_t>(std::max(made, 0));
      is_done = made > 0 || in.empty();
      break;
    }
    case ParquetCodec::kBrotli: {
      size = BrotliEncoderMaxCompressedSize(in.size());
      out.Resize(start + size);
      is_done = BrotliEncoderCompress(level.value_or(kBrotliLevel), BROTLI_DEFAULT_WINDOW,
                                      BROTLI_MODE_GENERIC, in.size(),
                                      reinterpret_cast<const uint8_t*>(in.data()), &size,
                                      reinterpret_cast<uint8_t*>(out.data()) + start) != 0;
      break;
    }
    case ParquetCodec::kLzo:
    case ParquetCodec::kLz4Hadoop:
      return MakeError(ErrorCode::kUnsupported, "pages of codec {}", static_cast<int>(codec));
  }
  if (!is_done) {
    out.Resize(start);
    return MakeError(ErrorCode::kInternal, "a page of {} bytes could not be compressed", in.size());
  }
  out.Resize(start + size);
  return {};
}

}  // namespace firn
