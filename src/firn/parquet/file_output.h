#pragma once

#include <string>
#include <vector>

#include "firn/io/io.h"
#include "firn/parquet/footer.h"
#include "firn/parquet/transcode.h"

namespace firn {

/// Puts encoded column chunks together to a file.
class ParquetFileOutput {
 public:
  /// `footer`: schema, key-value metadata and who created the file; its row groups are not looked
  /// at. `file` outlives this and is published by the caller.
  ParquetFileOutput(FileFooter footer, OutputFile& file);

  /// Begin a row group, whose chunks follow in the order of the schema's leaves.
  void BeginRowGroup(int64_t rows);
  Status Append(EncodedChunk chunk);

  /// Page indexes and footer. Errors: kInternal if a row group lacks chunks.
  Status Finish();

  /// What was written; offsets are those in the file.
  const FileFooter& footer() const { return footer_; }

 private:
  Status Start();
  Status WriteIndexes();

  FileFooter footer_;
  OutputFile& file_;
  size_t leaf_count_ = 0;
  struct ChunkPages {
    std::vector<PageEntry> pages;
    std::optional<std::string> column_index;
  };
  std::vector<std::vector<ChunkPages>> pages_;  // By row group and leaf.
};

}  // namespace firn
