#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "firn/data/parquet_schema_internal.h"
#include "firn/data/position_deletes_internal.h"
#include "firn/data/writer.h"
#include "firn/parquet/parquet.h"
#include "firn/scan/scan.h"

namespace firn {

/// One input file, opened.
struct TranscodeInput {
  const FileScanTask* task = nullptr;
  std::shared_ptr<InputFile> file;
  Buffer bytes;  ///< The whole file, if it is small.
  FileFooter footer;
  std::vector<LeafNode> leaves;
  std::vector<int64_t> first_rows;  ///< Of each row group.

  /// Where the values of a leaf of the output come from.
  struct Source {
    int leaf = -1;                                  ///< Of the file; -1: generated or null.
    std::optional<ChunkInput::Sequence> generated;  ///< Of row 0 of the file on.
  };
  std::vector<Source> sources;

  /// Kept rows of each row group that loses some; empty: all rows of all row groups.
  std::vector<std::optional<std::vector<RowSpan>>> kept;

  int64_t kept_rows(size_t row_group) const;
  /// Stored bytes of what is taken over of a row group.
  int64_t stored_bytes(size_t row_group) const;
};

/// Open the file of `task`; null if its rows must be read instead. `deleted` (may be null): its
/// deleted positions. Errors: kCorrupt and others, naming the file.
Result<std::shared_ptr<TranscodeInput>> OpenTranscodeInput(const WriteContext& context,
                                                           const ParquetLayout& layout,
                                                           const FileScanTask& task,
                                                           const PositionSet* deleted);

}  // namespace firn
