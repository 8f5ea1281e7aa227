#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "firn/base/result.h"
#include "firn/io/io.h"
#include "firn/parquet/byte_store.h"
#include "firn/parquet/footer.h"

/// Columns of values that are not in a list, map or struct, decoded into memory that the caller
/// gives: each value at its final width and place.

namespace firn {

/// What becomes of values.
enum class ValueForm {
  kBits,     ///< Booleans, a bit each.
  kFixed,    ///< Numbers and fixed-length byte arrays, as they are stored.
  kDecimal,  ///< Integers and big-endian byte arrays of up to 16 bytes as 128-bit integers.
  kText,     ///< Byte arrays, one behind the other, with offsets.
};

/// A leaf at the top of the schema.
struct FlatLeaf {
  PhysicalType type = PhysicalType::kBoolean;
  int32_t type_length = 0;  ///< Of fixed-length byte arrays.
  bool is_optional = false;
  ValueForm form = ValueForm::kFixed;

  /// Bytes of a value as it is delivered; 0 for bits and text.
  size_t width() const;
  /// Bytes of a value as PLAIN stores it; 0 likewise.
  size_t stored_width() const;
};

/// One column chunk of the leaf.
struct FlatChunk {
  ByteRange range;
  ParquetCodec codec = ParquetCodec::kUncompressed;
  int64_t row_count = 0;  ///< Values and nulls.
};

struct FlatReadOptions {
  InputFile* file = nullptr;
  MakeByteStore make_store = MakeHeapStore;
  size_t read_bytes = size_t{256} << 10;  ///< Of one read of the file.
  bool verifies_checksums = true;         ///< Of pages.
};

/// Where rows are put. Behind each block ByteStore::kSlack bytes may be overwritten.
struct FlatOutput {
  std::byte* validity = nullptr;  ///< A bit a row, set where there is a value. Null: required.
  std::byte* values = nullptr;    ///< Of fixed width, or bits.
  int32_t* offsets = nullptr;     ///< Of text: one more than rows; the first is set.
  ByteStore* text = nullptr;      ///< Grows as needed.
  size_t row_count = 0;           ///< Put there so far.
  size_t null_count = 0;
  size_t text_bytes = 0;
  /// Of text: Read and Pick end before a row that would exceed it, unless it is the first.
  size_t text_bytes_max = SIZE_MAX;
};

/// Whether chunks of this leaf and codec can be read at all. Encodings show in the pages.
bool CanReadFlat(const FlatLeaf& leaf, ParquetCodec codec);

/// What readers that take turns on one thread may share: contexts of codecs, and scratch memory.
class FlatScratch {
 public:
  struct State;
  FlatScratch();
  ~FlatScratch();
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Reads the rows of consecutive chunks of a leaf, in order. Single-threaded. After an error it is
/// of no more use.
///
/// Errors  kCorrupt: damaged, or not understood. kUnsupported: an encoding, a codec or a page that
///         this does not read. kResourceExhausted. Those of the file.
class FlatColumnReader {
 public:
  /// Chunks lie in the file, which outlives the reader.
  FlatColumnReader(const FlatLeaf& leaf, std::vector<FlatChunk> chunks,
                   const FlatReadOptions& options, std::shared_ptr<FlatScratch> scratch);
  FlatColumnReader(FlatColumnReader&&) noexcept;
  ~FlatColumnReader();

  /// Append the next `count` rows, or those that have room (see `FlatOutput::text_bytes_max`).
  /// kUnsupported too if more than 2 GiB of text come together.
  Status Read(size_t count, FlatOutput& out);

  /// Leave out the next `count` rows.
  Status Skip(size_t count);

  /// Of the next `count` (at least 1) rows of text, how many from the first one on are stored as
  /// indices of one dictionary, which has at most `size_max` values. 0 also where it is not known.
  Result<size_t> CountIndexed(size_t count, size_t size_max);

  /// Append the indices of the next `count` rows, which are such, to `out.values`, 4 bytes each.
  Status ReadIndices(size_t count, FlatOutput& out);

  /// Append that dictionary.
  Status ReadDictionary(FlatOutput& out) const;
  size_t dictionary_size() const;
  size_t dictionary_bytes() const;
  /// How many chunks had been begun when that dictionary was read.
  size_t chunk_count() const;

  /// Append those of the next `count` rows that `picks` names, ascending, counted from 0. If not
  /// all have room, the reader stands before the first one that has none.
  Status Pick(size_t count, std::span<const uint32_t> picks, FlatOutput& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firn
