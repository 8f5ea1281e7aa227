#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace firn {

/// The full path of a file or folder below testdata/: `TestDataPath("spark/simple/v1.json")`.
std::string TestDataPath(std::string_view name);

/// The full path of a file or folder of other projects' reference files, which may stand beside the
/// checkout: below $FIRN_SHARED/data, else below ../shared/data. Nullopt if it is not there; a test
/// then skips itself.
std::optional<std::string> SharedDataPath(std::string_view name);

}  // namespace firn
