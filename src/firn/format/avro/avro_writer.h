#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/avro/avro_codec.h"
#include "firn/format/avro/avro_reader.h"
#include "firn/format/avro/avro_schema.h"
#include "firn/io/io.h"

namespace firn {

struct AvroWriterOptions {
  AvroCodec codec = AvroCodec::kDeflate;
  /// Header metadata besides `avro.schema` and `avro.codec`.
  std::vector<std::pair<std::string, std::string>> metadata;
  /// A block is closed when its records have so many bytes, uncompressed. Larger blocks compress
  /// a little better and need more memory to read.
  int64_t block_bytes = 64'000;
};

/// Writes an Avro file: append the bytes of a record to `record()` (see `AppendAvroValue`), then
/// call `EndRecord`. Not thread-safe.
class AvroWriter {
 public:
  /// Write the header. `schema` is a record.
  static Result<std::unique_ptr<AvroWriter>> Make(std::unique_ptr<OutputFile> file,
                                                  const AvroNode& schema,
                                                  AvroWriterOptions options = {});

  /// Where the bytes of the next record go. Append only.
  std::string& record() { return block_; }
  Status EndRecord();
  /// Forget what was appended since the last `EndRecord`.
  void DropRecord() { block_.resize(block_end_); }

  int64_t record_count() const { return record_count_; }
  /// In the file so far, and the open block at the compression seen so far.
  int64_t bytes_written() const;

  /// Close the last block and publish. Returns the size of the file.
  Result<int64_t> Finish();

 private:
  AvroWriter(std::unique_ptr<OutputFile> file, AvroWriterOptions options);
  Status WriteHeader(const AvroNode& schema);
  Status WriteBlock();

  std::unique_ptr<OutputFile> file_;
  AvroWriterOptions options_;
  Compressor compressor_;
  AvroSyncMarker sync_{};
  std::string block_;
  size_t block_end_ = 0;  // After the last whole record.
  int64_t block_records_ = 0;
  int64_t record_count_ = 0;
  int64_t content_bytes_ = 0;  // Of closed blocks, before and
  int64_t stored_bytes_ = 0;   // after compression.
};

}  // namespace firn
