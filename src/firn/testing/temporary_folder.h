#pragma once

#include <string>
#include <string_view>

namespace firn {

/// A new empty folder, removed with all that is in it at the end. A folder that cannot be made
/// aborts the test program.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Absolute, without a slash at the end.
  const std::string& path() const { return path_; }

  /// path() + "/" + name.
  std::string Join(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace firn
