#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "firn/base/memory_budget.h"
#include "firn/data/transcode_input_internal.h"

namespace firn {

/// A row group of an input.
struct InputPart {
  std::shared_ptr<TranscodeInput> input;
  size_t row_group = 0;

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
