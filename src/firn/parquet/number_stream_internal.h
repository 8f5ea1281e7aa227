#pragma once

#include <cstdint>
#include <span>

#include "firn/base/result.h"

namespace firn {

/// Some numbers of a stream: `numbers`, or `count` times `number`.
struct NumberBlock {
  size_t count = 0;
  bool is_run = false;
  uint32_t number = 0;
  const uint32_t* numbers = nullptr;  ///< Until the next call for any stream on this thread.
};

/// Reads Parquet's hybrid of run lengths and bit packing piece by piece: levels and dictionary
/// indices of a page.
class NumberStream {
 public:
  /// The most numbers in a block that is no run.
  static constexpr size_t kBlock = 1024;

  /// Begin with `in`, behind which eight bytes can be read. Errors: kCorrupt: no such width.
  Status Begin(std::span<const std::byte> in, int bit_width);

  /// At least one and at most `max` (at least 1) numbers. Errors: kCorrupt.
  Result<NumberBlock> Next(size_t max);

  /// Leave out `count` numbers. Errors: likewise.
  Status Skip(size_t count);

  /// Append the next `count` numbers, which have one bit, to the bits `out` from `out_bit` on, as
  /// CopyBits does. Returns how many are set. Errors: likewise.
  Result<size_t> ReadBits(size_t count, std::byte* out, size_t out_bit);

 private:
  Status BeginRun();

  std::span<const std::byte> in_;  // Behind the current run.
  size_t width_ = 0;
  bool is_packed_ = false;
  uint32_t number_ = 0;                // Of a run that is not packed.
  const std::byte* packed_ = nullptr;  // Of one that is,
  size_t next_ = 0;                    // and the place of the next number in it.
  size_t left_ = 0;                    // Numbers of the run.
};

}  // namespace firn
