#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

/// Paths as 128-bit hashes: small, and no two paths of a table share one.

namespace firn {

struct PathKey {
  uint64_t high = 0;
  uint64_t low = 0;
  auto operator<=>(const PathKey&) const = default;
};

PathKey MakePathKey(std::string_view path);

/// A set of paths, 16 bytes a slot. Not thread-safe.
class PathSet {
 public:
  explicit PathSet(size_t expected);

  /// False if it was there already.
  bool Insert(PathKey key);
  bool Contains(PathKey key) const;
  size_t size() const { return size_; }

 private:
  void Grow();
  std::vector<PathKey> slots_;  // Open addressing; the zero key is an empty slot.
  size_t size_ = 0;
};

}  // namespace firn
