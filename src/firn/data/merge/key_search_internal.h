#pragma once

#include <vector>

#include "firn/data/keys/key_table_internal.h"
#include "firn/data/read/row_positions.h"

namespace firn {

/// What to look for.
struct KeySearch {
  std::vector<int32_t> key_ids;  ///< Fields of the current schema.
  ExpressionPtr condition;       ///< Bound; true for every row that has one of the keys.
  bool with_row_ids = false;     ///< Of the rows that are found.
};

/// Look for rows of `tasks` whose key is in `keys`, where it is marked, and add their positions to
/// `found`. Files are read in parallel, of them only the key columns. Errors: those of ReadTasks.
Status SearchKeys(const ReadContext& context, const std::vector<FileScanTask>& tasks,
                  const KeySearch& search, KeyTable& keys, PositionsByFile& found);

}  // namespace firn
