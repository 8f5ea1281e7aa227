#pragma once

#include <vector>

#include "firn/data/read/read_layout_internal.h"
#include "firn/data/read/row_positions.h"

namespace firn {

/// The equality deletes of a read that has more of them than memory should hold, as positions.
class ResolvedDeletes {
 public:
  /// If they are too many: find the rows that they delete, take them out of `tasks`, and have
  /// `layout` leave those rows out; this outlives it. Errors: those of FindEqualityDeletedRows.
  Status Resolve(const ReadContext& context, std::vector<FileScanTask>& tasks, ReadLayout& layout);

 private:
  PositionsByFile positions_;
};

}  // namespace firn
