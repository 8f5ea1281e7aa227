#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "firn/parquet/compression_internal.h"
#include "firn/parquet/page_header_internal.h"
#include "firn/parquet/transcode.h"
#include "firn/parquet/value_dictionary_internal.h"
#include "firn/parquet/value_order_internal.h"

namespace firn {

/// Cuts levels and values into pages of one column chunk and compresses them.
class ChunkEncoder {
 public:
  enum class DictionaryState {
    kSorted,   ///< It has all values, and tells the bounds of pages.
    kGrowing,  ///< It gets values meanwhile; the caller tells the bounds.
  };

  /// `dictionary` may be null: values are written plain. All outlive the encoder.
  ChunkEncoder(const LeafNode& leaf, ValueOrder order, const ChunkOptions& options,
               const ValueDictionary* dictionary, DictionaryState state);

  /// Compresses from here on; is not looked at any more once another is given.
  void UseCodec(PageCodec& codec) { codec_ = &codec; }

  /// The values that follow are written plain: those of the page so far, too, unless pages went out
  /// whose values are numbers of the dictionary.
  Status LeaveDictionary();
  bool uses_dictionary() const { return uses_dictionary_; }

  /// Rows that still fit in the page, at least 1: a full page is written first. To be called where
  /// a row begins.
  Result<int64_t> RoomForRows();

  /// Whether as many levels, and bytes of values, still fit in the page whatever its limits are: a
  /// row is never cut. Errors: kUnsupported: they do not.
  Status CheckRoom(size_t levels, size_t value_bytes) const;

  /// Levels of whole rows, or of the rest of a row. Empty spans: all defined, each a row.
  void AddLevels(size_t count, std::span<const uint8_t> definition,
                 std::span<const uint8_t> repetition, size_t value_count);

  /// Numbers of the dictionary.
  void AddIndices(std::span<const uint32_t> numbers);
  /// Values of fixed width; booleans a byte each.
  void AddFixed(const std::byte* values, size_t count);
  /// One byte array.
  void AddBytes(std::string_view value);
  /// Byte arrays with their lengths, whose bounds are told apart by `AddBound`.
  void AddPlainBytes(std::span<const std::byte> bytes) { plain_.Append(bytes); }
  void AddBound(std::string_view value) { page_bounds_.AddBytes(value); }
  void AddBounds(const std::byte* values, size_t count) {
    page_bounds_.AddFixed(values, count, width_);
  }

  /// Room for `count` values of fixed width, to be filled by the caller and told by `FixedFilled`.
  std::byte* GrowFixed(size_t count) { return plain_.Grow(count * width_); }
  void FixedFilled(const std::byte* values, size_t count) {
    page_bounds_.AddFixed(values, count, width_);
  }

  /// Whether the page is full and takes much memory: best written at once.
  bool IsPageLarge() const { return IsPageFull() && plain_.size() > idle_bytes_max_; }
  /// Numbers of the page being filled.
  std::span<const uint32_t> page_indices() const { return indices_; }

  /// Whether the next `RoomForRows` writes the page.
  bool IsPageFull() const { return row_count_ >= page_rows_max_ || PageBytes() >= page_bytes_max_; }
  /// Write it before a row begins, or behind the last one.
  Status WriteFullPage() { return IsPageFull() ? EndPage() : Status(); }
  size_t page_count() const { return chunk_.pages.size(); }
  /// Of finished pages, as they are in the file.
  int64_t stored_bytes() const { return stored_bytes_; }
  /// Of the page being filled, before compression.
  int64_t page_bytes() const { return PageBytes(); }
  /// Bytes of memory.
  int64_t held_bytes() const;

  /// Rows so far.
  int64_t row_count() const { return chunk_.row_count + row_count_; }

  Result<EncodedChunk> Finish();

 private:
  Status EndPage();
  Status WriteDictionary();
  /// `levels`: bytes of `body_` in front that are not compressed.
  /// `owner` (may be null) holds `body`, and may lose it.
  Result<Buffer> MakePage(PageHeader header, size_t levels, std::span<const std::byte> body,
                          PageBuffer* owner);
  Status WritePage(const PageHeader& header, size_t levels);
  int64_t PageBytes() const;
  bool is_version_2() const { return options_.page_version == 2; }
  size_t AppendLevelRuns(std::span<const uint8_t> levels, int level_max);
  void AppendPage(PageHeader& header);
  void ClearPage();
  void AppendValues();
  void TakeOverValues();
  void AddEntry(int64_t offset);
  void AppendPlain(std::string_view value);
  void FindIndexBounds();
  void FillMetadata();
  void FillEncodings();
  void FillStatistics();

  const LeafNode& leaf_;
  const ValueOrder order_;
  const ChunkOptions& options_;
  const ValueDictionary* dictionary_;
  const DictionaryState state_;
  PageCodec* codec_ = nullptr;
  bool uses_dictionary_;
  const size_t width_;
  const int64_t page_rows_max_;
  const int64_t page_bytes_max_;
  const size_t idle_bytes_max_;  // Memory that is kept for the next page.

  // The page being filled.
  std::vector<uint8_t> definition_;  // Empty: all defined so far.
  std::vector<uint8_t> repetition_;
  std::vector<uint32_t> indices_;
  PageBuffer plain_;
  ValueBounds page_bounds_;
  size_t level_count_ = 0;
  size_t value_count_ = 0;
  int64_t row_count_ = 0;

  PageBuffer body_;
  PageBuffer stored_;
  int64_t stored_bytes_ = 0;  // Of all pages so far.
  int32_t dictionary_pages_ = 0;
  ValueBounds bounds_;
  EncodedChunk chunk_;
};

}  // namespace firn
