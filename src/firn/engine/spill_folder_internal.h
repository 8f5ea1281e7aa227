#pragma once

#include <string>

#include "firn/base/random.h"
#include "firn/base/result.h"

namespace firn {

/// A folder for what does not fit into memory, removed with all that is in it. While it is in use a
/// locked file lies beside it, so that the folder of a process that died is known for what it is
/// and removed by the next one that makes a folder in the same place.
class SpillFolder {
 public:
  /// Make one in `parent`; empty: the system's folder for temporary files (TMPDIR).
  /// Errors: kUnavailable: no such folder, or it cannot be written.
  static Result<SpillFolder> Make(const std::string& parent, Random& random);

  SpillFolder(SpillFolder&& other) noexcept;
  SpillFolder& operator=(SpillFolder&& other) noexcept;
  ~SpillFolder();

  const std::string& path() const { return path_; }

 private:
  SpillFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_ = -1;
};

}  // namespace firn
