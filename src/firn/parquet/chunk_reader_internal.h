#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "firn/parquet/compression_internal.h"
#include "firn/parquet/footer.h"
#include "firn/parquet/page_header_internal.h"
#include "firn/parquet/plain_values_internal.h"
#include "firn/parquet/transcode.h"
#include "firn/parquet/value_conversion_internal.h"

namespace firn {

/// The values of a dictionary page. They refer to the reader's memory.
struct DictionaryValues {
  size_t count = 0;
  size_t width = 0;                     ///< 0: byte arrays.
  const std::byte* fixed = nullptr;     ///< Values of `width`.
  std::vector<std::string_view> bytes;  ///< Byte arrays.

  std::string_view At(size_t i) const {
    return width > 0 ? std::string_view(reinterpret_cast<const char*>(fixed) + i * width, width)
                     : bytes[i];
  }
};

/// A data page taken apart. It refers to the reader's memory until the next page is read.
struct DataPage {
  size_t level_count = 0;               ///< Values and nulls.
  std::span<const uint8_t> definition;  ///< Empty: all values are defined.
  std::span<const uint8_t> repetition;  ///< Empty: each value is a row.
  size_t value_count = 0;               ///< Without nulls.
  bool is_dictionary_encoded = false;
  std::span<const uint32_t> indices;  ///< If so: below the size of the dictionary.
  std::span<const std::byte> plain;   ///< Else: PLAIN; booleans a byte each.
};

/// Reads the pages of one column chunk, as they would be of another leaf. Every length is checked
/// before it is used.
class ChunkReader {
 public:
  /// `bytes` are those of the chunk from its start offset on. Pages beyond `page_bytes_max`, which
  /// is at most kPageBytesMax, are refused. All outlive the reader.
  ChunkReader(std::span<const std::byte> bytes, const ColumnChunk& chunk, const LeafNode& leaf,
              PageCodec& codec, int64_t page_bytes_max = kPageBytesMax);

  /// The chunk of `input`. Levels and values are delivered as those of `to`, to which there is a
  /// conversion (see FindConversion), and whose way has the same lists.
  ChunkReader(const ChunkInput& input, const LeafNode& to, PageCodec& codec,
              int64_t page_bytes_max);

  /// The dictionary, if the chunk begins with one; to be called before `Next`. Errors: kCorrupt;
  /// kUnsupported.
  Result<std::optional<DictionaryValues>> ReadDictionary();

  /// Pass over the next pages of a flat column as long as they have no more than `rows` rows
  /// together. They are not decompressed. Returns how many rows they have. Errors: likewise.
  Result<int64_t> SkipPages(int64_t rows);

  /// The next data page; nullopt behind the last one. Errors: likewise.
  Result<std::optional<DataPage>> Next();

 private:
  Result<PageHeader> NextHeader();
  Result<std::span<const std::byte>> Stored(const PageHeader& header);
  Result<std::span<const std::byte>> Body(const PageHeader& header, PageBuffer& to);
  Result<std::span<const std::byte>> BodyOfVersion2(const PageHeader& header);
  Status SplitLevels(const PageHeader& header, std::span<const std::byte>& body, DataPage& page);
  Status ReadLevels(std::span<const std::byte> in, int level_max, std::vector<uint8_t>& levels,
                    size_t count, std::span<const uint8_t>& out);
  Status MapDefinition(std::span<const uint8_t>& levels);
  void KeepShared(DataPage& page);
  Status ReadValues(const PageHeader& header, std::span<const std::byte> body, DataPage& page);
  Status ReadIndices(std::span<const std::byte> body, DataPage& page);
  Result<std::span<const std::byte>> Rewrite(ParquetEncoding encoding,
                                             std::span<const std::byte> body, size_t count);
  Status CheckPlain(std::span<const std::byte> values, size_t count) const;
  Status ReadBooleans(const PageHeader& header, std::span<const std::byte> body, DataPage& page);

  std::span<const std::byte> bytes_;
  const ColumnChunk& chunk_;
  const LeafNode& leaf_;
  const LeafNode& to_;
  PageCodec& codec_;
  const int64_t page_bytes_max_;
  std::optional<ValueConverter> converter_;  // None: there is no conversion.
  const size_t shared_nodes_ = 0;
  std::vector<uint8_t> definition_map_;  // By level; empty: levels stay.
  size_t position_ = 0;
  int64_t values_read_ = 0;
  size_t dictionary_size_ = 0;
  bool has_dictionary_ = false;
  PageBuffer dictionary_body_;
  PageBuffer dictionary_values_;
  PageBuffer body_;
  PageBuffer values_;  // Converted.
  PlainMemory plain_;  // Of another encoding.
  std::vector<uint8_t> definition_;
  std::vector<uint8_t> repetition_;
  std::vector<uint32_t> indices_;
  std::vector<uint8_t> booleans_;
};

}  // namespace firn
