#pragma once

#include <cstddef>

namespace firn {

/// What one asks of a file system, as faults and counts name it.
enum class FileOperation { kOpen, kSize, kRead, kCreate, kAppend, kPublish, kList, kStat, kDelete };

inline constexpr size_t kFileOperationCount = 9;

}  // namespace firn
