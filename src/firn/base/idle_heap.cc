#include "firn/base/idle_heap.h"

#include <algorithm>

#include <malloc.h>

namespace firn {
namespace {

// The allocator learns by itself to keep blocks of up to 32 MiB, several for each thread. That is
// fast, and too much where all memory is not much more.
constexpr int64_t kBlockShare = 32;
constexpr int64_t kBlockBytesMin = int64_t{2} << 20;
constexpr int64_t kBlockBytesMax = int64_t{32} << 20;

}  // namespace

void LimitIdleHeap(int64_t memory_bytes) {
#ifdef __GLIBC__
  const auto bytes =
      static_cast<int>(std::clamp(memory_bytes / kBlockShare, kBlockBytesMin, kBlockBytesMax));
  mallopt(M_MMAP_THRESHOLD, bytes);
  mallopt(M_TRIM_THRESHOLD, 2 * bytes);
#else
  static_cast<void>(memory_bytes);
#endif
}

}  // namespace firn
