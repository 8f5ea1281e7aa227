#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "firn/base/result.h"
#include "firn/data/orc/orc_buffer_internal.h"

namespace firn {

/// `CompressionKind` of the format; the values are those of the file.
enum class OrcCodec { kNone, kZlib, kSnappy, kLzo, kLz4, kZstd };

/// How many bytes one stored byte can become at most, but for a few more in all.
int64_t OrcExpansionMax(OrcCodec codec);

/// Decompresses chunks, with contexts that are kept between them. Single-threaded.
class OrcDecompressor {
 public:
  OrcDecompressor();
  OrcDecompressor(OrcDecompressor&&) noexcept;
  OrcDecompressor& operator=(OrcDecompressor&&) noexcept;
  ~OrcDecompressor();

  /// Decompress `chunk` to the front of `out`, which grows if it must. Returns how many bytes there
  /// are. Errors: kCorrupt: it is damaged or becomes more than `size_max` bytes;
  /// kResourceExhausted.
  Result<int64_t> Decompress(OrcCodec codec, std::span<const uint8_t> chunk, int64_t size_max,
                             OrcBuffer& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Decompress LZO1X, blocks of it one behind the other. Returns how many bytes there are, or less
/// than 0 if it is damaged or does not fit.
int64_t DecompressLzo(std::span<const uint8_t> in, std::span<uint8_t> out);

}  // namespace firn
