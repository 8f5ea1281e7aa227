#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "firn/data/read/position_deletes_internal.h"
#include "firn/data/transcode/transcode_columns_internal.h"

namespace firn {

/// One input file, opened.
struct TranscodeInput {
  const FileScanTask* task = nullptr;
  std::shared_ptr<InputFile> file;
  Buffer bytes;       ///< The whole file, if it is small.
  Buffer tail;        ///< If not, what ReadTail gave.
  FileFooter footer;  ///< Without schema, and without the names of chunks.
  LeavesOfInputs::Leaves leaves;
  std::vector<int64_t> first_rows;  ///< Of each row group.

  std::vector<LeafSource> sources;  ///< Of the leaves of the output.

  /// Kept rows of each row group that loses some; empty: all rows of all row groups.
  std::vector<std::optional<std::vector<RowSpan>>> kept;

  int64_t kept_rows(size_t row_group) const;
  /// Bytes that the footer takes in memory, about; of files of many row groups, more than once.
  int64_t footer_memory() const;
  /// Stored bytes of what is taken over of a row group.
  int64_t stored_bytes(size_t row_group) const;
};

/// Open the file of `task`. `deleted` (may be null): its deleted positions. `kept`: `bytes` or
/// `tail` of an earlier look at it, so that they are not read again. Errors: kUnsupported: its rows
/// must be read instead; kCorrupt and others; all name the file.
Result<std::shared_ptr<TranscodeInput>> OpenTranscodeInput(const TranscodeContext& context,
                                                           const FileScanTask& task,
                                                           const PositionSet* deleted,
                                                           Buffer kept = {});

}  // namespace firn
