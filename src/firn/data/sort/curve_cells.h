#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/sort/sort_keys.h"

namespace firn {

/// Where rows along a space-filling curve go from one cell to the next: a file that ends there has
/// the bounds of its cell, while a few rows of the next cell would stretch them over both. The
/// curve is halved again and again; level n has 2^n cells. Thread-safe.
class CurveCells {
 public:
  /// Finer cells are not told apart.
  static constexpr int kLevels = 12;

  /// `row`, counted from 0, is in another cell of `level` and finer ones than the row before.
  void Mark(int64_t row, int level);

  /// The first row after `begin`, up to `end`, with which a cell of `level` or a coarser one
  /// begins.
  std::optional<int64_t> FindBorder(int64_t begin, int64_t end, int level) const;

  /// Rows before `row` will not be asked for.
  void Forget(int64_t row);

 private:
  mutable std::mutex mutex_;
  std::map<int64_t, int> levels_;
};

/// An encoder whose copies can be used on several threads.
std::unique_ptr<RowKeyEncoder> ShareEncoder(std::shared_ptr<RowKeyEncoder> encoder);

/// `rows`, which come in the order of the keys that `encoder` gives, as they are; the borders of
/// cells among them are in `cells` before the batch is given. Errors: those of both.
std::unique_ptr<BatchStream> MarkCells(std::unique_ptr<BatchStream> rows,
                                       std::unique_ptr<RowKeyEncoder> encoder,
                                       std::shared_ptr<CurveCells> cells);

}  // namespace firn
