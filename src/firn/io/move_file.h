#pragma once

#include <string_view>

#include "firn/io/io.h"

namespace firn {

/// What a FileIO is besides if it can give files other names without copying them.
class FileRenamer {
 public:
  virtual ~FileRenamer() = default;
  /// Errors: as MoveFile; kUnsupported: not these two names.
  virtual Status Rename(std::string_view from, std::string_view to) = 0;
};

/// Give a file another name; folders above that come into being. Where `io` cannot rename, the file
/// is copied and then deleted under its first name, so that an error may leave both.
/// Errors: kNotFound; kAlreadyExists: there is a file of that name.
Status MoveFile(FileIO& io, std::string_view from, std::string_view to);

}  // namespace firn
