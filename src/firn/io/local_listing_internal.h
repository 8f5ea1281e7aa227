#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/io/io.h"

struct stat;

namespace firn::internal {

/// FileIO::List for local disk.
Status ListLocalFolder(std::string_view uri, const std::function<Status(const FileInfo&)>& visit);

/// FileIO::ListFolders for local disk; links to folders count as folders.
Result<std::vector<std::string>> ListLocalFolders(std::string_view uri);

/// What stat(2) tells of a regular file. There is no ETag.
FileInfo DescribeLocalFile(std::string uri, const struct stat& info);

}  // namespace firn::internal
