#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/executor.h"
#include "firn/data/formats/data_file_internal.h"
#include "firn/data/parquet/column_set_internal.h"
#include "firn/data/parquet/parquet_pages_internal.h"

namespace firn {

/// Columns that are read together, and their places among all that are read.
struct PlacedColumns {
  std::vector<size_t> places;
  std::unique_ptr<ColumnSet> columns;
  bool is_tested = false;  ///< The chooser looks at them.
  size_t group = 0;        ///< Those of one group are decoded one after the other.
  int64_t reached = 0;     ///< The row of the part that they have come to.
  /// Read, and not used yet: other columns have larger values, and are not as far.
  ColumnSet::Columns held;
  int64_t held_rows = 0;
};

/// What a source made of column sets puts together.
struct PartColumns {
  std::shared_ptr<arrow::DataType> type;  ///< Struct of all columns that are read.
  std::vector<PlacedColumns> sets;
  std::vector<RowRange> rows;  ///< Wanted; counted from the start of the part, ascending.
  int64_t first_row = 0;       ///< File position of row 0 of the part.
  int64_t batch_rows = 0;
  Executor* executor = nullptr;         ///< Set: columns are decoded in parallel.
  const RowChooser* chooser = nullptr;  ///< Null: all rows are delivered.
  arrow::MemoryPool* pool = nullptr;
  /// Read the part through Arrow: where own decoding does not understand a page, Arrow tells
  /// whether that is damaged.
  std::function<Result<std::unique_ptr<BatchSource>>()> open_with_arrow;
};

std::unique_ptr<BatchSource> MakePartSource(PartColumns part);

}  // namespace firn
