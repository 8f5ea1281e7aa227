#pragma once

#include <memory>
#include <span>

#include "firn/parquet/flat_column.h"
#include "firn/parquet/number_stream_internal.h"
#include "firn/parquet/page_stream_internal.h"

namespace firn {

/// Decodes the values of pages, nulls left out, to where `FlatOutput::row_count` points. It leaves
/// the counts of rows to the caller.
class ValueDecoder {
 public:
  virtual ~ValueDecoder() = default;

  /// Pages from now on refer to this dictionary; null: they have none. What it refers to stays.
  virtual Status SetDictionary(const PageBody* dictionary) = 0;

  /// Go to the values of a page, which stay. Errors: kCorrupt; kUnsupported: the encoding.
  virtual Status SetPage(ParquetEncoding encoding, std::span<const std::byte> values) = 0;

  /// The next `count` values. Errors: kCorrupt; kUnsupported; those of memory.
  virtual Status Read(size_t count, FlatOutput& out) = 0;
  /// Those of the next `count` values that `picks` names, ascending. Errors: likewise.
  virtual Status Pick(size_t count, std::span<const uint32_t> picks, FlatOutput& out) = 0;
  virtual Status Skip(size_t count) = 0;

  /// The bytes of the page behind the last value. Indices may be padded: none.
  virtual std::span<const std::byte> Rest() const = 0;

  /// How many of the next `count` values, from the first one on, have `bytes` of text at most.
  virtual size_t CountWithin(size_t count, size_t bytes) const;

  /// The values of the dictionary, and the indices of the next `count` values, 4 bytes each. Text
  /// alone has them. Errors: as Read.
  virtual size_t dictionary_size() const { return 0; }
  virtual size_t dictionary_bytes() const { return 0; }
  virtual Status ReadDictionary(FlatOutput& out) const;
  virtual Status ReadIndices(size_t count, FlatOutput& out);

  /// `count` values were put where `rows` rows go: move each to its row, as the validity tells.
  virtual void Spread(size_t rows, size_t count, FlatOutput& out) = 0;
};

std::unique_ptr<ValueDecoder> MakeBitDecoder();
std::unique_ptr<ValueDecoder> MakeFixedDecoder(const FlatLeaf& leaf,
                                               std::unique_ptr<ByteStore> dictionary);
std::unique_ptr<ValueDecoder> MakeTextDecoder(std::unique_ptr<ByteStore> dictionary);

/// The indices of a dictionary-encoded page.
class IndexReader {
 public:
  /// `values` are those of the page, `size` that of the dictionary. Errors: kCorrupt.
  Status Begin(std::span<const std::byte> values, size_t size);

  /// Call `visit` with blocks of the next `count` indices, each below the dictionary's size.
  template <typename Visit>
  Status Read(size_t count, const Visit& visit) {
    while (count > 0) {
      FIRN_ASSIGN(const NumberBlock block, numbers_.Next(count));
      FIRN_RETURN_IF_ERROR(Check(block));
      FIRN_RETURN_IF_ERROR(visit(block));
      count -= block.count;
    }
    return {};
  }

  /// Likewise with those that `picks` names of the next `count`.
  template <typename Visit>
  Status Pick(size_t count, std::span<const uint32_t> picks, const Visit& visit) {
    size_t at = 0;
    size_t next = 0;
    while (next < picks.size()) {
      FIRN_ASSIGN(const NumberBlock block, Collect(picks, next, at));
      FIRN_RETURN_IF_ERROR(Check(block));
      FIRN_RETURN_IF_ERROR(visit(block));
    }
    return numbers_.Skip(count - at);
  }

  Status Skip(size_t count) { return numbers_.Skip(count); }

 private:
  Status Check(const NumberBlock& block) const;
  Result<NumberBlock> Collect(std::span<const uint32_t> picks, size_t& next, size_t& at);

  NumberStream numbers_;
  size_t size_ = 0;
};

/// Whether pages of this encoding hold indices of a dictionary.
bool HoldsIndices(ParquetEncoding encoding);

Error UnsupportedEncoding(ParquetEncoding encoding);

/// Spread values of `width` bytes (see ValueDecoder::Spread) that begin at `first`. `validity` is
/// the bitmap, `row` the bit of the first row.
void SpreadValues(std::byte* first, size_t width, size_t rows, size_t count,
                  const std::byte* validity, size_t row);

}  // namespace firn
