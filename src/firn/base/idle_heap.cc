#include "firn/base/idle_heap.h"

#include <algorithm>

#include <malloc.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace firn {
namespace {

// The allocator learns by itself to keep blocks of up to 32 MiB, several for each thread. That is
// fast, and too much where all memory is not much more. With enough memory it is left to learn: a
// limit that is set stands from the start, and each thread keeps twice as much of what is freed.
constexpr int64_t kEnoughBytes = int64_t{1} << 30;
constexpr int64_t kBlockShare = 64;
constexpr int64_t kBlockBytesMin = int64_t{2} << 20;

}  // namespace

void LimitIdleHeap(int64_t memory_bytes) {
  if (memory_bytes >= kEnoughBytes) return;
#ifdef __linux__
  // Where a system gives huge pages unasked, a block of 100 KB between freed ones holds 2 MiB. Not
  // every kernel knows the call; without it there is only more memory in use.
  static_cast<void>(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
#endif
#ifdef __GLIBC__
  const auto bytes = static_cast<int>(std::max(memory_bytes / kBlockShare, kBlockBytesMin));
  mallopt(M_MMAP_THRESHOLD, bytes);
  mallopt(M_TRIM_THRESHOLD, 2 * bytes);
#endif
}

}  // namespace firn
