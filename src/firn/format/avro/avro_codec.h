#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "firn/base/bytes.h"
#include "firn/base/result.h"

namespace firn {

enum class AvroCodec { kNull, kDeflate, kSnappy, kZstandard };

/// "deflate", as `avro.codec` spells it.
std::string_view FormatAvroCodec(AvroCodec codec);
/// Errors: kUnsupported for another codec.
Result<AvroCodec> ParseAvroCodec(std::string_view text);
/// From the words of table properties: gzip, snappy, zstd, uncompressed. Errors: kInvalidInput.
Result<AvroCodec> ParseAvroCompressionProperty(std::string_view text);

/// Bytes after which decompression of one block or blob gives up.
inline constexpr int64_t kDecompressedMax = int64_t{512} << 20;

/// Decompresses blocks one after the other into a buffer that it keeps. The buffer grows with what
/// really comes out, never by what the input claims. Not thread-safe.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  /// The bytes of an Avro block; valid until the next call (and, for kNull, as long as `block`).
  /// Errors: kCorrupt: damaged, or more than `size_max` bytes.
  Result<std::span<const std::byte>> DecompressAvro(AvroCodec codec,
                                                    std::span<const std::byte> block,
                                                    int64_t size_max = kDecompressedMax);
  Result<std::span<const std::byte>> Deflate(std::span<const std::byte> block, int64_t size_max);
  /// With Avro's CRC of the content at the end.
  Result<std::span<const std::byte>> Snappy(std::span<const std::byte> block, int64_t size_max);
  Result<std::span<const std::byte>> Zstandard(std::span<const std::byte> block, int64_t size_max);
  /// One frame.
  Result<std::span<const std::byte>> Lz4(std::span<const std::byte> block, int64_t size_max);

 private:
  // Make room for `size` bytes and keep the first `kept`.
  void Grow(size_t size, size_t kept);
  std::span<const std::byte> Output(size_t size) const { return {buffer_.data(), size}; }

  Buffer buffer_;
  struct State;
  std::unique_ptr<State> state_;
};

/// Compresses blocks. Not thread-safe.
class Compressor {
 public:
  explicit Compressor(AvroCodec codec);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  /// An Avro block of `content`; valid until the next call. Errors: kInternal.
  Result<std::span<const std::byte>> CompressAvro(std::span<const std::byte> content);

 private:
  AvroCodec codec_;
  Buffer buffer_;
  struct State;
  std::unique_ptr<State> state_;
};

/// One zstd frame that tells its content size. Errors: kInternal.
Result<Buffer> CompressZstandard(std::span<const std::byte> content);

}  // namespace firn
