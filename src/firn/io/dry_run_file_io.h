#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "firn/base/clock.h"
#include "firn/io/io.h"

namespace firn {

/// Reads go to `base`; nothing is ever written, made or deleted there. Files that are created take
/// their bytes and forget them, but for those for which `is_kept` is true: these stay in memory,
/// where they can be read, found and deleted as if they were there. For trying what an operation
/// would do. `clock` outlives it.
std::shared_ptr<FileIO> MakeDryRunFileIO(std::shared_ptr<FileIO> base, Clock& clock,
                                         std::function<bool(std::string_view uri)> is_kept);

}  // namespace firn
