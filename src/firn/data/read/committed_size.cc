#include "firn/data/read/committed_size_internal.h"

namespace firn {

Status CheckCommittedSize(const DataFile& file, int64_t size) {
  if (size == file.file_size_in_bytes) return {};
  return MakeError(ErrorCode::kCorrupt,
                   "it has {} bytes, but its manifest tells {}: it is not the file that was "
                   "committed, or the manifest is wrong, which 'firn repair-metrics' corrects",
                   size, file.file_size_in_bytes);
}

}  // namespace firn
