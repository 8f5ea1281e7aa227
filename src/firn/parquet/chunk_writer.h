#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "firn/parquet/transcode.h"

/// Column chunks made of values that are in memory: pages are written as the values come.

namespace firn {

class PageCodec;

/// Codecs whose contexts are large, shared by those who write one chunk after the other.
/// Thread-safe.
class PageCodecPool {
 public:
  PageCodecPool();
  ~PageCodecPool();

  PageCodecPool(const PageCodecPool&) = delete;
  PageCodecPool& operator=(const PageCodecPool&) = delete;

  std::unique_ptr<PageCodec> Take();
  void Return(std::unique_ptr<PageCodec> codec);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PageCodec>> idle_;
};

/// Levels and values of whole rows of one leaf.
struct LeafRows {
  size_t level_count = 0;
  std::span<const uint8_t> definition;  ///< Empty: all are defined.
  std::span<const uint8_t> repetition;  ///< Empty: each is a row.
  size_t value_count = 0;
  const std::byte* fixed = nullptr;         ///< Of fixed width: PLAIN, but booleans a byte each.
  const std::string_view* bytes = nullptr;  ///< Of others.
};

/// Bytes of a value of `leaf` in `LeafRows::fixed`; 0: its values are byte arrays.
size_t PlainWidth(const LeafNode& leaf);

/// Writes one column chunk. Values go into a dictionary, numbered as they come, as long as that
/// looks smaller than the values themselves and fits; the rest is written plain.
class ChunkWriter {
 public:
  /// `leaf` outlives the writer. `rows_expected`: of the chunk, about. Errors:
  /// kUnsupported: the type.
  static Result<std::unique_ptr<ChunkWriter>> Make(const LeafNode& leaf,
                                                   const ChunkOptions& options,
                                                   int64_t rows_expected);
  ~ChunkWriter();

  /// Errors: kUnsupported: a row is too large for a page.
  Status Add(const LeafRows& rows, PageCodecPool& codecs);

  /// Bytes that the chunk would have in the file if it ended here, about.
  int64_t estimated_bytes() const;
  /// Bytes of memory.
  int64_t held_bytes() const;

  Result<EncodedChunk> Finish(PageCodecPool& codecs);

 private:
  struct State;
  explicit ChunkWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace firn
