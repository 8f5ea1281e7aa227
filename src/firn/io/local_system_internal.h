#pragma once

#include <string>
#include <string_view>

#include "firn/base/result.h"

/// What the local FileIO needs of POSIX, with firn's errors.

namespace firn::internal {

/// The error for `error_number` (as in errno): "'uri': no such file or directory".
Error MakeSystemError(int error_number, std::string_view uri);

/// The local path of `uri`. Errors  kInvalidInput: another scheme, an empty path, a NUL byte.
Result<std::string> ParseLocalPath(std::string_view uri);

/// A file descriptor, closed when it is destroyed.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { Close(); }

  int value() const { return value_; }
  bool is_open() const { return value_ >= 0; }

  /// Returns errno, 0 if all went well.
  int Close();

  /// Give the descriptor to another owner.
  int Release();

 private:
  int value_ = -1;
};

/// open(2) that goes on after a signal; closed on exec.
Descriptor OpenPath(const std::string& path, int flags);

/// The folder of `path`: "/" for "/a", "." for "a".
std::string ParentFolder(const std::string& path);

/// Make `folder` and those above it, each one durable. Existing ones are fine.
Status MakeFolders(const std::string& folder, std::string_view uri);

/// Make the names in `folder` durable. File systems that cannot do this for a folder are taken at
/// their word.
Status SyncFolder(const std::string& folder, std::string_view uri);

}  // namespace firn::internal
