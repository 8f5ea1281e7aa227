#include <algorithm>
#include <bit>
#include <cmath>

#include "firn/data/sort/even_files_internal.h"

namespace firn {
namespace {

constexpr double kTargetsMax = 1.5;
// Files below three quarters of the target are compacted again: rather one file fewer.
constexpr double kTargetsMin = 0.77;
// Where cells hold different numbers of rows: a file ends with one from here on, and without one at
// the latest there.
constexpr double kCellShareMin = 0.6;
constexpr double kCellShareMax = 1.4;

// The level whose cells are nearest to the target, if all takes so many times the target. None:
// they would be too large or too small.
std::optional<int> LevelFor(double targets) {
  if (targets <= 1) return 0;
  const int level = static_cast<int>(std::bit_width(static_cast<uint64_t>(targets))) - 1;
  const double share = std::ldexp(targets, -level);
  const bool is_more = share / 2 >= kTargetsMin;
  if (level + 1 > CurveCells::kLevels || (!is_more && share > kTargetsMax)) {
    return std::nullopt;
  }
  return is_more ? level + 1 : level;
}

int64_t FilesFor(double targets) {
  const double most = std::max(std::ceil(targets), 1.0);
  const bool is_small = most > 1 && targets / most < kTargetsMin;
  return static_cast<int64_t>(is_small ? most - 1 : most);
}

}  // namespace

int64_t EvenFiles::EarliestEnd() const {
  return static_cast<int64_t>(static_cast<double>(rows_wanted_) * kCellShareMin);
}

int64_t EvenFiles::RowsAtOnce(int64_t rows, int64_t rows_in_file) const {
  if (rows_wanted_ <= 0) return rows;
  if (!level_) {
    return rows_wanted_ > rows_in_file ? std::min(rows, rows_wanted_ - rows_in_file) : rows;
  }
  const int64_t begin = rows_done_ + rows_in_file;
  const auto border = plan_.cells->FindBorder(std::max(begin, rows_done_ + EarliestEnd() - 1),
                                              begin + rows, *level_);
  return border ? *border - begin : rows;
}

bool EvenFiles::IsFullCell(int64_t rows_in_file) const {
  const int64_t end = rows_done_ + rows_in_file;
  if (rows_in_file >= EarliestEnd() && plan_.cells->FindBorder(end - 1, end, *level_)) return true;
  const double cells = static_cast<double>(rows_in_file) / static_cast<double>(rows_wanted_);
  return cells >= kCellShareMax;
}

bool EvenFiles::IsFull(int64_t rows_in_file, int64_t bytes) {
  const double targets =
      static_cast<double>(bytes) * scale_ / static_cast<double>(plan_.target_bytes);
  estimate_ = bytes;
  // More rows came than were expected.
  if (rows_left_ <= rows_in_file) return targets >= 1;
  if (rows_in_file <= 0 || bytes <= 0) return false;
  const double targets_per_row = targets / static_cast<double>(rows_in_file);
  level_ = plan_.cells ? LevelFor(targets_per_row * static_cast<double>(plan_.rows)) : std::nullopt;
  if (level_) {
    rows_wanted_ = (plan_.rows >> *level_) + 1;
    return IsFullCell(rows_in_file);
  }
  const int64_t files = FilesFor(targets_per_row * static_cast<double>(rows_left_));
  rows_wanted_ = (rows_left_ + files - 1) / files;
  return rows_in_file >= rows_wanted_ || targets >= kTargetsMax;
}

void EvenFiles::EndFile(int64_t rows_in_file, int64_t bytes) {
  if (estimate_ > 0 && bytes > 0) {
    scale_ = static_cast<double>(bytes) / static_cast<double>(estimate_);
  }
  estimate_ = 0;
  rows_done_ += rows_in_file;
  rows_left_ -= rows_in_file;
  if (plan_.cells) plan_.cells->Forget(rows_done_);
}

}  // namespace firn
