#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firn/parquet/footer.h"
#include "firn/parquet/transcode.h"

namespace firn {

/// Puts encoded column chunks together to a file.
class ParquetFileOutput {
 public:
  /// `footer`: schema, key-value metadata and who created the file; its row groups are not looked
  /// at. `sink` takes the bytes of the file, from its first one on.
  using Sink = std::function<Status(std::span<const std::byte>)>;
  ParquetFileOutput(FileFooter footer, Sink sink);

  /// Begin a row group, whose chunks follow in the order of the schema's leaves.
  void BeginRowGroup(int64_t rows);
  Status Append(EncodedChunk chunk);

  /// Page indexes and footer. Errors: kInternal if a row group lacks chunks.
  Status Finish();

  int64_t bytes_written() const { return bytes_written_; }

  /// What was written; offsets are those in the file.
  const FileFooter& footer() const { return footer_; }

 private:
  Status Start();
  Status Write(std::span<const std::byte> bytes);
  Status WriteBloomFilters();
  Status WriteIndexes();

  FileFooter footer_;
  Sink sink_;
  int64_t bytes_written_ = 0;
  size_t leaf_count_ = 0;
  struct ChunkPages {
    std::vector<PageEntry> pages;
    std::optional<std::string> column_index;
    bool has_bounds = true;
  };
  std::vector<std::vector<ChunkPages>> pages_;  // By row group and leaf.
  std::vector<std::string> bloom_filters_;      // Of the row group being written, by leaf.
};

}  // namespace firn
