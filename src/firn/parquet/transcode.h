#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/bytes.h"
#include "firn/base/result.h"
#include "firn/parquet/footer.h"

/// Column chunks of many row groups made into one, below rows: levels are passed on, dictionaries
/// merged value by value, pages cut and compressed anew. Values of another type that means the same
/// are converted page by page.

namespace firn {

/// Rows [begin, end), counted from the start of a row group.
struct RowSpan {
  int64_t begin = 0;
  int64_t end = 0;
};

/// The values of one leaf in one row group of the input.
struct ChunkInput {
  std::string_view name;  ///< For errors.
  const LeafNode* leaf = nullptr;
  const ColumnChunk* chunk = nullptr;  ///< Null: `generated`, `constant` or, without them, nulls.
  std::span<const std::byte> bytes;    ///< Of the chunk, from its start offset on.
  int64_t row_count = 0;               ///< Of the row group.
  /// Rows that are taken over; ascending, disjoint. Null: all.
  const std::vector<RowSpan>* kept = nullptr;
  /// INT64 values that the file does not hold: row r has `first` + r * `step`.
  struct Sequence {
    int64_t first = 0;
    int64_t step = 0;
  };
  std::optional<Sequence> generated;
  /// A value that every row has, as PLAIN stores it, without length; booleans as a byte.
  std::optional<std::string> constant;
  /// Set: `leaf` is another one in the same group, and tells where this is missing: the first
  /// `shared_nodes` nodes of both ways are the same, what comes below is null.
  size_t shared_nodes = 0;

  int64_t kept_rows() const;
};

/// When the values of a chunk become numbers of a dictionary.
enum class DictionaryUse {
  kIfSmaller,      ///< If the chunk, compressed, is smaller for it, going by a sample.
  kWherePossible,  ///< As long as it fits, for comparison.
};

struct ChunkOptions {
  ParquetCodec codec = ParquetCodec::kZstd;
  std::optional<int> compression_level;
  int64_t page_bytes = 1048576;
  int64_t page_rows = 20000;
  int64_t dictionary_bytes_max = 2097152;  ///< 0: no dictionary.
  DictionaryUse dictionary_use = DictionaryUse::kIfSmaller;
  int page_version = 1;
  bool has_statistics = true;      ///< Of the chunk in the footer, and of its pages.
  int64_t bloom_filter_bytes = 0;  ///< A power of two from 32 on; 0: no Bloom filter.
  /// Larger pages of inputs, decompressed, are refused; making a chunk takes some times as much.
  int64_t input_page_bytes_max = int64_t{1} << 28;
};

/// Where a page lies, and what it holds.
struct PageEntry {
  int64_t offset = 0;  ///< From the start of the chunk.
  int32_t stored_bytes = 0;
  int64_t first_row = 0;
  int64_t null_count = 0;
  bool has_values = false;  ///< Not null; NaN are values.
  bool has_bounds = false;
  bool has_long_bounds = false;  ///< Too long for a page index: they are not kept.
  std::string min;
  std::string max;
};

/// Bounds of texts are cut at this many bytes. One of this size is the start of a bound, so that a
/// greatest one is larger.
constexpr size_t kBoundBytesMax = size_t{64} << 10;

/// A column chunk, ready to be written.
struct EncodedChunk {
  ColumnChunk metadata;  ///< Offsets are from the start of the chunk.
  std::vector<Buffer> pieces;
  std::vector<PageEntry> pages;             ///< Empty: the chunk gets no page index.
  std::optional<std::string> column_index;  ///< Set: of a copied chunk, encoded.
  bool has_bounds = true;                   ///< False: the chunk gets no column index.
  std::string bloom_filter;                 ///< With its head; empty: none.
  int64_t row_count = 0;
  int64_t null_count = 0;
  int64_t nan_count = 0;
  std::optional<std::string> min;  ///< PLAIN, exact (but see kBoundBytesMax), without NaN.
  std::optional<std::string> max;
};

/// Whether the values of `chunk` can be taken over into chunks of `to`, going by the footer: types
/// are the same, or there is a conversion, and the ways have the same lists. The pages may still
/// turn out to hold something that cannot. Errors: kUnsupported, saying what it is.
Status CheckTranscode(const LeafNode& from, const ColumnChunk& chunk, const LeafNode& to);

/// Likewise, whether `from` can tell where `to` is missing (see ChunkInput::shared_nodes).
Status CheckShared(const LeafNode& from, const ColumnChunk& chunk, const LeafNode& to,
                   size_t shared_nodes);

/// The former as a claim.
bool CanTranscode(const LeafNode& from, const ColumnChunk& chunk, const LeafNode& to);

/// Make one chunk of leaf `to` from the kept rows of `inputs`, in their order.
/// Errors: kCorrupt, naming the input, by its number if it has no name; a value that does not fit
/// `to` is one. kUnsupported: an encoding, a codec, a page or a row that is too large.
Result<EncodedChunk> TranscodeChunk(const LeafNode& to, std::span<const ChunkInput> inputs,
                                    const ChunkOptions& options);

}  // namespace firn
