#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "firn/data/sort/curve_cells.h"

namespace firn {

/// Deals rows, of which the number is about known, out to files of even size near a target: files
/// that are filled one after the other leave a rest.
class EvenFiles {
 public:
  struct Plan {
    int64_t rows = 0;          ///< In all, about.
    int64_t target_bytes = 0;  ///< Of a file; more than 0.
    /// Set: rows lie along a curve, and files end with its cells. Their number is a power of two,
    /// where that does not make them larger than one and a half targets, or smaller than what
    /// compaction leaves alone.
    std::shared_ptr<CurveCells> cells;
  };
  explicit EvenFiles(Plan plan) : plan_(std::move(plan)), rows_left_(plan_.rows) {}

  /// How many of `rows` may be added before the file, which has `rows_in_file`, is looked at.
  int64_t RowsAtOnce(int64_t rows, int64_t rows_in_file) const;

  /// Whether a file ends that has so many rows, and takes so many bytes as far as is known.
  bool IsFull(int64_t rows_in_file, int64_t bytes);

  /// `bytes`: what the file has become. What is told of open files is corrected by it.
  void EndFile(int64_t rows_in_file, int64_t bytes);

 private:
  bool IsFullCell(int64_t rows_in_file) const;
  int64_t EarliestEnd() const;

  const Plan plan_;
  int64_t estimate_ = 0;      // Of the open file.
  double scale_ = 1;          // Of estimates.
  int64_t rows_done_ = 0;     // Of files that ended.
  int64_t rows_left_;         // The others.
  int64_t rows_wanted_ = 0;   // In the open file, or a cell; 0: not known yet.
  std::optional<int> level_;  // Of the cells that are files.
};

}  // namespace firn
