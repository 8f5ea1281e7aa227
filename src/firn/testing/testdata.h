#pragma once

#include <string>
#include <string_view>

namespace firn {

/// The full path of a file or folder below testdata/: `TestDataPath("spark/simple/v1.json")`.
std::string TestDataPath(std::string_view name);

}  // namespace firn
