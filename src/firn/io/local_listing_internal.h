#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "firn/io/io.h"

struct stat;

namespace firn::internal {

/// FileIO::List for local disk.
Status ListLocalFolder(std::string_view uri, const std::function<Status(const FileInfo&)>& visit);

/// What stat(2) tells of a regular file. There is no ETag.
FileInfo DescribeLocalFile(std::string uri, const struct stat& info);

}  // namespace firn::internal
