#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/base/random.h"
#include "firn/parquet/chunk_reader_internal.h"
#include "firn/parquet/transcode.h"

/// Column chunks for tests: made page by page from rows, and taken apart into rows.

namespace firn {

/// The PLAIN bytes of a number.
template <typename T>
std::string PlainOf(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

/// The levels of one row and its values, in PLAIN form without length prefix.
struct TestRow {
  std::vector<uint8_t> definition;  ///< Also of leaves that have none: zeros.
  std::vector<uint8_t> repetition;
  std::vector<std::string> values;

  bool operator==(const TestRow&) const = default;
};

/// A leaf of the given way from the top-level column down, named `a`.
LeafNode MakeLeaf(PhysicalType type, std::vector<FieldRepetition> repetitions,
                  LeafMeaning meaning = {}, int32_t type_length = 0);

/// The row of a flat leaf; nullopt: null.
TestRow FlatRow(const LeafNode& leaf, const std::optional<std::string>& value);

/// The bytes of a chunk and what a footer says of it.
struct TestChunk {
  std::string bytes;
  ColumnChunk metadata;
  int64_t row_count = 0;

  ChunkInput Input(const LeafNode& leaf) const {
    return {.leaf = &leaf, .chunk = &metadata, .bytes = AsBytes(bytes), .row_count = row_count};
  }
};

/// Writes pages one after the other.
class ChunkBuilder {
 public:
  explicit ChunkBuilder(LeafNode leaf, ParquetCodec codec = ParquetCodec::kUncompressed)
      : leaf_(std::move(leaf)) {
    chunk_.metadata.codec = codec;
    chunk_.metadata.type = *leaf_.element.type;
  }

  /// The dictionary page; to be called first.
  void AddDictionary(const std::vector<std::string>& values);

  enum class Values { kPlain, kDictionary, kRle };

  /// A page of version 1, or 2, with the levels and values of `rows` but for the first `skip` and
  /// the last `rest` levels.
  void AddPage(const std::vector<TestRow>& rows, Values values, bool is_version2 = false,
               size_t skip = 0, size_t rest = 0);

  /// A page of any header and content.
  void AddRaw(const std::string& header, const std::string& body);

  /// Tell that there are `rows` rows, with the encoding statistics if `tells_encodings`.
  TestChunk Finish(int64_t rows, bool tells_encodings = true);

 private:
  std::string LevelRuns(const std::vector<uint8_t>& levels, int level_max, bool has_length) const;
  std::string ValueBytes(const std::vector<std::string>& values, Values form) const;

  LeafNode leaf_;
  TestChunk chunk_;
  std::vector<std::string> dictionary_;
  int32_t dictionary_pages_ = 0;
  int32_t plain_pages_ = 0;
};

/// The rows of a chunk.
Result<std::vector<TestRow>> ReadRows(const LeafNode& leaf, std::span<const std::byte> bytes,
                                      const ColumnChunk& metadata);

/// The pieces of `chunk` one after the other.
std::string JoinPieces(const EncodedChunk& chunk);

}  // namespace firn
