#pragma once

#include <vector>

#include "firn/data/read/row_positions.h"

/// Equality deletes of any number, as positions: keys that are too many for the memory go to local
/// disk, and of data files only the key columns are read to compare them.

namespace firn {

/// The rows of `tasks` that their equality deletes delete. Errors: those of ReadTasks;
/// kResourceExhausted: the local disk is full, or even a part of the keys does not fit.
Result<PositionsByFile> FindEqualityDeletedRows(const ReadContext& context,
                                                const std::vector<FileScanTask>& tasks);

/// The tasks without their equality deletes.
std::vector<FileScanTask> WithoutEqualityDeletes(std::vector<FileScanTask> tasks);

}  // namespace firn
