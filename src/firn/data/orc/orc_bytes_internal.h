#pragma once

#include <cstdint>
#include <span>

#include "firn/data/orc/orc_buffer_internal.h"
#include "firn/data/orc/orc_decompressor_internal.h"
#include "firn/io/io.h"

namespace firn {

/// What the streams of one part share; all of it outlives them.
struct OrcInput {
  InputFile* file = nullptr;
  OrcCodec codec = OrcCodec::kNone;
  int64_t chunk_bytes_max = 0;  ///< Decompressed.
  arrow::MemoryPool* pool = nullptr;
  OrcDecompressor* decompressor = nullptr;
};

/// The bytes of one stream, decompressed, from its start to its end; a window of the file is held.
/// After a failure (the stream ends, or is damaged) all bytes are zeros, and `status` tells.
class OrcBytes {
 public:
  OrcBytes(const OrcInput& input, ByteRange range);

  bool ok() const { return status_.ok(); }
  Status status() const { return status_; }

  uint8_t Byte() {
    if (at_ == end_ && !Refill()) return 0;
    return *at_++;
  }
  void Read(std::span<uint8_t> out);
  /// At least one of the next bytes, no more than `count_max` (> 0); empty after a failure.
  std::span<const uint8_t> Some(size_t count_max);

  /// Whether no byte is left, or something failed.
  bool AtEnd();
  /// No more bytes than this are left.
  int64_t SizeMax() const;
  /// Fail as a reader that found what the format does not allow.
  void Fail(std::string_view what);

 private:
  bool Refill();
  bool Load();
  bool LoadChunk();
  bool FillWindow(int64_t size);

  OrcInput input_;
  int64_t file_at_;  // What of the stream is not in the window yet.
  int64_t file_end_;
  OrcBuffer window_;  // Bytes as they are stored, from `window_at_` to `window_end_`.
  int64_t window_at_ = 0;
  int64_t window_end_ = 0;
  OrcBuffer chunk_;
  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  Status status_;
};

}  // namespace firn
