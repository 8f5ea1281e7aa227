#pragma once

#include <string>
#include <string_view>

#include "firn/io/io.h"

namespace firn::internal {

/// FileRenamer for local disk.
Result<FileInfo> StatLocalName(std::string_view uri);
Status RenameLocalFile(std::string_view from, std::string_view to);
Result<FileInfo> PreviewLocalRename(std::string_view from, std::string_view to);

}  // namespace firn::internal
