#pragma once

#include <memory>
#include <string>

#include "firn/base/cancel.h"
#include "firn/base/executor.h"
#include "firn/base/memory_budget.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/sort/sort_keys.h"

namespace firn {

/// What sorting works with; referenced objects outlive the sorted stream.
struct RowSortContext {
  MemoryBudget* budget = nullptr;
  CancelToken cancel;
  /// Sorts and writes one run while the rows of the next are read. Null: the caller does it all.
  Executor* executor = nullptr;
  /// Folder on local disk for rows that exceed the memory; see ScratchFile. Files in it have
  /// no names and vanish with the stream or the process.
  std::string spill_folder;
  int64_t batch_rows_max = 16384;  ///< Of the sorted batches.
};

/// The rows of `rows` in the order of the keys that `encoder` gives them; rows with equal keys stay
/// in their order. Rows are read at the first call of Next. They are sorted in memory as far as a
/// share of the budget reaches; beyond it, sorted runs go to disk and are merged, in several passes
/// if they are many. Memory does not grow with the number of rows.
/// Errors (in the stream): those of `rows`; kResourceExhausted (disk), kUnavailable, kCancelled.
std::unique_ptr<BatchStream> SortRows(const RowSortContext& context,
                                      std::unique_ptr<RowKeyEncoder> encoder,
                                      std::unique_ptr<BatchStream> rows);

}  // namespace firn
