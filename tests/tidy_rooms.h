#pragma once

#include <vector>

#include "tidy_rules.h"

namespace firn {

/// Folders of a module, its rooms, stand on each other: none includes one that, by way of others,
/// includes it. What lies in the module's folder itself, and tests, may include any. Shape: a
/// finding for each include between rooms that stand in a circle.
std::vector<Finding> CheckRooms(const SourceTree& tree);

}  // namespace firn
