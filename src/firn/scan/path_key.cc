#include "firn/scan/path_key.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "firn/base/bytes.h"
#include "firn/base/hash.h"

namespace firn {
namespace {

constexpr uint64_t kSecondSeed = 0x9E3779B97F4A7C15ULL;
constexpr size_t kSlotsMin = 1024;
// A wrong count in a manifest list must not take memory for files that are not there.
constexpr size_t kExpectedMax = size_t{1} << 22;

}  // namespace

PathKey MakePathKey(std::string_view path) {
  PathKey key{HashFast(AsBytes(path)), HashFast(AsBytes(path), kSecondSeed)};
  if (key == PathKey{}) key.low = 1;
  return key;
}

PathSet::PathSet(size_t expected)
    : slots_(std::bit_ceil(std::max(kSlotsMin, std::min(expected, kExpectedMax) * 2))) {}

bool PathSet::Insert(PathKey key) {
  if ((size_ + 1) * 4 > slots_.size() * 3) Grow();
  size_t slot = key.low & (slots_.size() - 1);
  while (slots_[slot] != PathKey{}) {
    if (slots_[slot] == key) return false;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  slots_[slot] = key;
  ++size_;
  return true;
}

bool PathSet::Contains(PathKey key) const {
  size_t slot = key.low & (slots_.size() - 1);
  while (slots_[slot] != PathKey{} && slots_[slot] != key)
    slot = (slot + 1) & (slots_.size() - 1);
  return slots_[slot] == key;
}

void PathSet::Grow() {
  std::vector<PathKey> old(slots_.size() * 2);
  std::swap(old, slots_);
  size_ = 0;
  for (const PathKey& key : old) {
    if (key != PathKey{}) Insert(key);
  }
}

}  // namespace firn
