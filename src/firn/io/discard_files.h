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

/// Delete a folder and those below it as far as they hold nothing; what holds something stays.
/// Best effort: object stores have no folders.
void DiscardEmptyFolders(FileIO& io, const std::string& folder);

}  // namespace firn
