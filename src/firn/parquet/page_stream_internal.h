#pragma once

#include <memory>
#include <optional>
#include <span>

#include "firn/parquet/chunk_window_internal.h"
#include "firn/parquet/compression_internal.h"
#include "firn/parquet/flat_column.h"
#include "firn/parquet/page_header_internal.h"

namespace firn {

/// A page without its header, behind which ByteStore::kSlack bytes can be read.
struct PageBody {
  ParquetEncoding encoding = ParquetEncoding::kPlain;
  size_t value_count = 0;             ///< Of data pages: rows.
  std::span<const std::byte> levels;  ///< Definition levels, encoded; empty: there are none.
  std::span<const std::byte> values;
};

/// The pages of flat column chunks, one after the other. A page that is passed over is not
/// decompressed. Every length is checked before it is used.
class PageStream {
 public:
  /// `codec` outlives this.
  PageStream(const FlatLeaf& leaf, const FlatReadOptions& options, PageCodec& codec);

  /// Go to the start of a chunk. Its dictionary, if it has one. It stays until the next call of
  /// Begin. Errors: kCorrupt; kUnsupported; those of the file and of memory.
  Result<std::optional<PageBody>> Begin(const FlatChunk& chunk);

  /// Go to the next data page. Its rows; nullopt at the end of the chunk. Errors: likewise.
  Result<std::optional<size_t>> Next();

  /// The page that Next went to. It stays until the next call of this or of Next. Errors: likewise.
  Result<PageBody> Open();

  /// The page that Next went to is done with: large memory of it goes back.
  void Close();

  /// The encoding of that page, and its bytes when it is open.
  ParquetEncoding encoding() const { return header_.encoding; }
  size_t page_bytes() const { return static_cast<size_t>(header_.uncompressed_size); }

  /// What Next would tell next, and the encoding of that page: nullopt at the end, where the header
  /// is not in memory, or if it is damaged. The open page stays.
  std::optional<PageBody> Peek();

 private:
  Result<ParsedPageHeader> ReadHeader(size_t offset);
  Status CheckSizes(const PageHeader& header) const;
  Result<std::span<const std::byte>> Stored(const PageHeader& header, size_t offset);
  Result<std::span<const std::byte>> Decompress(const PageHeader& header,
                                                std::span<const std::byte> stored,
                                                size_t plain_bytes, ByteStore& to);
  Result<PageBody> Split(std::span<const std::byte> body) const;

  const FlatLeaf leaf_;
  const bool verifies_checksums_;
  PageCodec& codec_;
  ChunkWindow window_;
  std::unique_ptr<ByteStore> dictionary_;
  std::unique_ptr<ByteStore> body_;
  FlatChunk chunk_;
  PageHeader header_;
  size_t offset_ = 0;  // Of the page's bytes behind its header.
  size_t next_ = 0;    // Of the next header.
  int64_t rows_seen_ = 0;
};

}  // namespace firn
