#include <fmt/format.h>

#include "firn/maintain/group_name_internal.h"

namespace firn {

std::string NameGroup(int64_t index, std::string_view partition_path) {
  if (partition_path.empty()) return fmt::format("group {}", index);
  return fmt::format("group {} ({})", index, partition_path);
}

}  // namespace firn
