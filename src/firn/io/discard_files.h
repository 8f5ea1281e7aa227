#pragma once

#include <span>
#include <string>
#include <string_view>

#include "firn/io/io.h"

namespace firn {

/// Delete files that nothing refers to any more, such as what a failed operation wrote. One that
/// cannot be deleted is logged as `what` and left to orphan removal: the caller's result does not
/// depend on it. A missing one is fine. Returns whether all are gone.
bool DiscardFiles(FileIO& io, std::span<const std::string> uris, std::string_view what);

}  // namespace firn
