#pragma once

#include <cstdint>
#include <vector>

#include "firn/data/read/row_positions.h"

namespace firn {

/// Position delete files (version 2) that data files of one partition share: rows by path, then by
/// position, a new file at `target_bytes`. All of `deletes` are of one spec and partition; those
/// without positions are left out. Finished and durable; on an error no file is left.
/// Errors: kResourceExhausted, kUnavailable.
Result<std::vector<DataFile>> WritePartitionDeletes(const WriteContext& context,
                                                    const std::vector<FileDeletes>& deletes,
                                                    int64_t target_bytes);

}  // namespace firn
