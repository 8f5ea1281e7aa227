#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/base/bytes.h"
#include "firn/base/result.h"
#include "firn/format/avro/avro_codec.h"
#include "firn/format/avro/avro_cursor.h"
#include "firn/format/avro/avro_schema.h"
#include "firn/io/io.h"

/// Avro object container files: header, then blocks of records. Reads manifests and Avro data
/// files alike; what the records mean is the caller's business.

namespace firn {

inline constexpr int64_t kAvroSyncBytes = 16;
using AvroSyncMarker = std::array<std::byte, kAvroSyncBytes>;

/// The records of one block, decompressed. Read them with `AvroCursor`.
struct AvroBlock {
  int64_t index = 0;   ///< From 0, over the blocks read.
  int64_t offset = 0;  ///< Where the block starts in the file.
  int64_t record_count = 0;
  std::span<const std::byte> bytes;  ///< Valid until the next call of the reader.
};

/// Reads one file front to back in windows of 16 MiB. Not thread-safe.
class AvroReader {
 public:
  /// Read the header. Errors: kNotFound, kCorrupt, kUnsupported (codec), naming the file.
  static Result<std::unique_ptr<AvroReader>> Open(std::shared_ptr<InputFile> file);

  const std::string& uri() const { return file_->uri(); }
  const AvroNodePtr& schema() const { return schema_; }
  AvroCodec codec() const { return codec_; }
  int64_t file_size() const { return file_size_; }
  /// Header metadata in file order, `avro.schema` and `avro.codec` included.
  const std::vector<std::pair<std::string, std::string>>& metadata() const { return metadata_; }
  /// Null if missing.
  const std::string* FindMetadata(std::string_view key) const;

  /// Read the next block; false at the end of the file. Errors: kCorrupt naming file and block:
  /// truncated, wrong sync marker, damaged or absurd content.
  Result<bool> NextBlock(AvroBlock& block);

  /// Go to the first block whose sync marker before it starts at or after `offset`, any byte of the
  /// file. A reader of the part [offset, end) stops at the first block with `AvroBlock::offset` -
  /// `kAvroSyncBytes` >= end, so that parts share no block.
  Status SeekToBlock(int64_t offset);

 private:
  explicit AvroReader(std::shared_ptr<InputFile> file) : file_(std::move(file)) {}

  // Make `length` bytes from `offset` on available, fewer only at the end of the file.
  Result<std::span<const std::byte>> Window(int64_t offset, int64_t length);
  Status ReadHeader();
  Result<bool> ParseHeader(std::span<const std::byte> bytes);
  Error BlockError(const AvroBlock& block, std::string_view problem) const;

  std::shared_ptr<InputFile> file_;
  int64_t file_size_ = 0;
  std::vector<std::pair<std::string, std::string>> metadata_;
  AvroNodePtr schema_;
  AvroCodec codec_ = AvroCodec::kNull;
  AvroSyncMarker sync_{};
  int64_t header_size_ = 0;
  int64_t next_offset_ = 0;
  int64_t block_count_ = 0;
  Buffer window_;
  int64_t window_offset_ = 0;
  Decompressor decompressor_;
};

}  // namespace firn
