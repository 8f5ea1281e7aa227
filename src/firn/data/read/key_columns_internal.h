#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/data/read/row_positions.h"

namespace firn {

/// Of which columns to read the values.
struct KeyColumns {
  std::vector<NestedField> paths;  ///< Of each key column, as FindFieldPath gives it.
  ExpressionPtr condition;         ///< Bound; spares parts of files; null: none.
  bool with_row_ids = false;
  bool with_deletes_applied = true;
};

/// The key columns of some rows of one file, in the order of KeyColumns::paths.
struct KeyColumnBatch {
  const FileScanTask* task = nullptr;
  std::vector<std::shared_ptr<arrow::Array>> columns;
  const arrow::Int64Array* positions = nullptr;
  const arrow::Int64Array* row_ids = nullptr;  ///< Null: not asked for.
  int64_t rows = 0;
};

/// Append the positions of the rows that are meant. Called by several threads at a time.
using KeyVisitor =
    std::function<Status(const KeyColumnBatch& batch, std::vector<int64_t>& positions)>;

/// Read the key columns of `tasks`, files in parallel, and add the positions that `visit` names to
/// `found`. Errors: those of ReadTasks, and of `visit`.
Status VisitKeyColumns(const ReadContext& context, const std::vector<FileScanTask>& tasks,
                       const KeyColumns& columns, const KeyVisitor& visit, PositionsByFile& found);

}  // namespace firn
