#pragma once

#include <string>
#include <utility>
#include <vector>

namespace firn {

/// JSON members that firn does not know, as (key, raw JSON text), in the order read. They are
/// written back unchanged, so that a newer writer's fields survive a commit by firn.
using ExtraFields = std::vector<std::pair<std::string, std::string>>;

}  // namespace firn
