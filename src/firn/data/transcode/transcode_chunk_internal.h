#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "firn/base/memory_budget.h"
#include "firn/data/transcode/transcode_input_internal.h"

namespace firn {

/// Stored chunks of a row group that is cut, by leaf of the output: read once for all pieces.
struct CutRowGroup {
  struct Chunk {
    std::mutex mutex;
    Buffer bytes;
  };
  explicit CutRowGroup(size_t leaves) : chunks(leaves) {}
  std::vector<Chunk> chunks;
  MemoryReservation memory;
};

/// Some rows of a row group.
struct RowGroupPiece {
  std::vector<RowSpan> kept;  ///< Of the row group.
  std::shared_ptr<CutRowGroup> cut;
};

/// A row group of an input, or a piece of one.
struct InputPart {
  std::shared_ptr<TranscodeInput> input;
  size_t row_group = 0;
  std::shared_ptr<const RowGroupPiece> piece;  ///< Null: all rows.

  /// Rows that are taken over; null: all.
  const std::vector<RowSpan>* kept() const;

  /// The chunk that `leaf` of the layout is taken from; null: it is generated, or null.
  const ColumnChunk* FindChunk(size_t leaf) const;
};

/// A row group of an output and what it is made of.
struct OutputRowGroup {
  std::vector<InputPart> parts;
  int64_t rows = 0;
  int64_t bytes = 0;  ///< Stored, of the inputs.
  bool ends_file = false;
  std::vector<std::optional<Result<EncodedChunk>>> chunks;  ///< By leaf.
  MemoryReservation memory;
};

/// Make the chunk of one leaf: copied if the row group has one part whose bytes can stand as they
/// are, else put together from the pages of all. Errors: kCorrupt, kUnsupported, and those of the
/// files, naming file and column.
Result<EncodedChunk> MakeChunk(const ParquetLayout& layout, const OutputRowGroup& group,
                               size_t leaf, const ChunkOptions& options);

}  // namespace firn
