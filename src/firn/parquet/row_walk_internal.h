#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "firn/parquet/chunk_reader_internal.h"
#include "firn/parquet/transcode.h"

namespace firn {

/// Consecutive levels of a page that are taken over, and the values that belong to them.
struct PageSegment {
  size_t level_begin = 0;
  size_t level_end = 0;
  size_t value_begin = 0;
  size_t value_end = 0;
};

/// Finds what of each page of a row group is taken over.
class RowWalk {
 public:
  /// `kept`: see ChunkInput.
  RowWalk(const LeafNode& leaf, const std::vector<RowSpan>* kept) : leaf_(leaf), kept_(kept) {}

  /// Rows from here on of which none is taken over.
  int64_t RowsToPass() const {
    if (kept_ == nullptr) return 0;
    if (span_ == kept_->size()) return std::numeric_limits<int64_t>::max();
    return std::max<int64_t>((*kept_)[span_].begin - next_row_, 0);
  }

  /// Go on behind `rows` rows of a flat column, no more than RowsToPass.
  void Pass(int64_t rows) { next_row_ += rows; }

  /// Call `visit` with the segments of the next page of the row group.
  template <typename Visit>
  Status Page(const DataPage& page, const Visit& visit) {
    if (kept_ == nullptr) {
      return visit(PageSegment{0, page.level_count, 0, page.value_count});
    }
    return page.repetition.empty() ? FlatPage(page, visit) : NestedPage(page, visit);
  }

 private:
  size_t CountValues(const DataPage& page, size_t begin, size_t end) const {
    if (page.definition.empty()) return end - begin;
    const auto defined = static_cast<uint8_t>(leaf_.max_definition_level);
    return static_cast<size_t>(
        std::count(page.definition.data() + begin, page.definition.data() + end, defined));
  }

  // Each level is a row.
  template <typename Visit>
  Status FlatPage(const DataPage& page, const Visit& visit) {
    const int64_t page_begin = next_row_;
    const int64_t page_end = next_row_ + static_cast<int64_t>(page.level_count);
    size_t level = 0;
    size_t value = 0;
    for (; span_ < kept_->size() && (*kept_)[span_].begin < page_end; ++span_) {
      const RowSpan& span = (*kept_)[span_];
      if (span.end > page_begin) {
        const auto begin = static_cast<size_t>(std::max(span.begin, page_begin) - page_begin);
        const auto end = static_cast<size_t>(std::min(span.end, page_end) - page_begin);
        value += CountValues(page, level, begin);
        const size_t values = CountValues(page, begin, end);
        FIRN_RETURN_IF_ERROR(visit(PageSegment{begin, end, value, value + values}));
        value += values;
        level = end;
      }
      if (span.end > page_end) break;  // It goes on in the next page.
    }
    next_row_ = page_end;
    return {};
  }

  // A row begins where the repetition level is 0, and may go on in the next page.
  template <typename Visit>
  Status NestedPage(const DataPage& page, const Visit& visit) {
    size_t begin = 0;
    size_t value = 0;
    size_t value_begin = 0;
    bool is_kept = is_row_kept_;
    for (size_t level = 0; level < page.level_count; ++level) {
      if (page.repetition[level] == 0) {
        const bool keeps = KeepsRow(next_row_++);
        if (keeps != is_kept) {
          if (is_kept && level > begin) {
            FIRN_RETURN_IF_ERROR(visit(PageSegment{begin, level, value_begin, value}));
          }
          begin = level;
          value_begin = value;
          is_kept = keeps;
        }
      }
      value += CountValues(page, level, level + 1);
    }
    is_row_kept_ = is_kept;
    if (!is_kept || begin == page.level_count) return {};
    return visit(PageSegment{begin, page.level_count, value_begin, value});
  }

  bool KeepsRow(int64_t row) {
    while (span_ < kept_->size() && (*kept_)[span_].end <= row)
      ++span_;
    return span_ < kept_->size() && (*kept_)[span_].begin <= row;
  }

  const LeafNode& leaf_;
  const std::vector<RowSpan>* kept_;
  size_t span_ = 0;
  int64_t next_row_ = 0;
  bool is_row_kept_ = false;
};

}  // namespace firn
