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
  /// What Rename would move. Errors: those that it would give.
  virtual Result<FileInfo> PreviewRename(std::string_view from, std::string_view to) = 0;
  /// What has this name: a file or a link, which may lead to nothing and is moved itself. Errors:
  /// kNotFound; kUnsupported: as Rename.
  virtual Result<FileInfo> StatName(std::string_view uri) = 0;
};

/// That of `io`. Errors: kUnsupported: it has none.
Result<FileRenamer*> RenamerOf(FileIO& io);

/// Give a file another name; folders above that come into being. Where `io` cannot rename, the file
/// is copied and then deleted under its first name, so that an error may leave both.
/// Errors: kNotFound; kAlreadyExists: something has that name, or is no folder and has the name of
/// one above it.
Status MoveFile(FileIO& io, std::string_view from, std::string_view to);

/// What MoveFile would move: the file, or a link itself, with the size of what it leads to. Errors:
/// those that it would give, but for what only trying tells.
Result<FileInfo> PreviewMove(FileIO& io, std::string_view from, std::string_view to);

/// Whether MoveFile finds something under the name: a link to nothing, too.
bool HasFileName(FileIO& io, std::string_view uri);

}  // namespace firn
