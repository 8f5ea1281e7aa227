#pragma once

#include <memory>
#include <string_view>

#include "firn/base/result.h"
#include "firn/io/io.h"

/// Locks that tell whether a process lives: the kernel drops them when it ends, however it ends,
/// and nobody else needs to know anything of it (decision 0048).

namespace firn {

/// A file of local disk that is locked as long as this lives.
class FileLock {
 public:
  virtual ~FileLock() = default;

  /// Make the file `uri`, which is locked when it gets its name. Errors: kUnsupported: it would not
  /// be on local disk, or its file system has no locks; those of making a file.
  static Result<std::unique_ptr<FileLock>> Hold(const FileIO& io, std::string_view uri);
};

enum class LockState {
  kHeld,     ///< Some process has it.
  kFree,     ///< No process has it, on any machine.
  kUnknown,  ///< There is no such file, or locks of other machines do not show in it.
};

LockState FindLock(const FileIO& io, std::string_view uri);

}  // namespace firn
