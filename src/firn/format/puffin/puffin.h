#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/metadata/snapshot.h"
#include "firn/io/io.h"

namespace firn {

/// One blob of a Puffin file as its footer tells it.
struct PuffinBlob {
  BlobMetadata metadata;
  int64_t offset = 0;
  int64_t length = 0;             ///< As stored.
  std::string compression_codec;  ///< Empty, "zstd" or "lz4".
};

struct PuffinFile {
  std::vector<PuffinBlob> blobs;
  std::vector<std::pair<std::string, std::string>> properties;
  int64_t footer_size = 0;  ///< Magic, payload and trailer.
};

/// Read the footer, LZ4-compressed ones too. Errors: kCorrupt (magic, sizes, blobs outside the
/// file), kUnsupported (unknown flags).
Result<PuffinFile> ReadPuffinFooter(InputFile& file);
/// Content of a blob, decompressed (zstd, lz4; at most 512 MiB). Errors: kCorrupt, kUnsupported.
Result<Buffer> ReadPuffinBlob(InputFile& file, const PuffinBlob& blob);

/// Writes blobs one after the other.
class PuffinWriter {
 public:
  PuffinWriter(std::unique_ptr<OutputFile> file,
               std::vector<std::pair<std::string, std::string>> properties);
  /// Returns where the blob lies. `codec` is "" or "zstd".
  Result<PuffinBlob> Add(BlobMetadata metadata, std::span<const std::byte> content,
                         std::string_view codec = "");
  /// Write the footer and publish.
  Result<PuffinFile> Finish();
  int64_t bytes_written() const;

 private:
  Status Start();
  std::string FormatPayload() const;

  std::unique_ptr<OutputFile> file_;
  PuffinFile contents_;
  bool is_started_ = false;
};

}  // namespace firn
