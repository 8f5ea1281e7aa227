#pragma once

#include <string_view>

namespace firn {

/// Return the version of firn, such as "0.1.0".
std::string_view Version();

}  // namespace firn
