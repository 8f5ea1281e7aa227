#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace firn {

/// A group of files as messages call it: "group 3 (cat=b)"; without a path, as of a table without
/// partitions or of inputs from several specs, "group 3".
std::string NameGroup(int64_t index, std::string_view partition_path);

}  // namespace firn
