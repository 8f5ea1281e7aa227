#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace firn {

/// Files that orphan removal leaves alone because it could not bring them back: their names are not
/// UTF-8, so that no list of what was moved can hold them.
class LeftFiles {
 public:
  /// Whether the file stays; then it is counted.
  bool Leaves(std::string_view uri);
  /// Log how many there are, if any.
  void Warn() const;

 private:
  int64_t count_ = 0;
  std::string first_;
};

}  // namespace firn
