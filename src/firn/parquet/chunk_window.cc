#include <algorithm>
#include <cstring>

#include "firn/parquet/chunk_window_internal.h"

namespace firn {

void ChunkWindow::Begin(const ByteRange& chunk) {
  file_offset_ = chunk.offset;
  size_ = static_cast<size_t>(chunk.length);
  begin_ = end_ = 0;
}

bool ChunkWindow::Holds(size_t offset, size_t size) const {
  return offset >= begin_ && offset <= end_ && std::min(size, size_ - offset) <= end_ - offset;
}

void ChunkWindow::DropIfLarge() {
  if (store_->capacity() <= std::max(ByteStore::kIdleBytesMax, read_bytes_)) return;
  store_->Drop();
  begin_ = end_ = 0;
}

Result<std::span<const std::byte>> ChunkWindow::At(size_t offset, size_t size) {
  if (!Holds(offset, size)) {
    const bool overlaps = offset >= begin_ && offset < end_;
    const size_t kept = overlaps ? end_ - offset : 0;
    if (kept > 0 && offset > begin_) std::memmove(bytes_, bytes_ + (offset - begin_), kept);
    const size_t length = std::min(size_ - offset, std::max(size, read_bytes_));
    begin_ = end_ = 0;  // Should reading fail.
    FIRN_ASSIGN(bytes_, store_->Hold(length, kept));
    const std::span<std::byte> rest(bytes_ + kept, length - kept);
    FIRN_ASSIGN(const int64_t read,
                file_.ReadAt(file_offset_ + static_cast<int64_t>(offset + kept), rest));
    if (static_cast<size_t>(read) != rest.size()) {
      return MakeError(ErrorCode::kCorrupt, "a column chunk goes on behind the end of the file");
    }
    begin_ = offset;
    end_ = offset + length;
  }
  return std::span<const std::byte>(bytes_ + (offset - begin_), end_ - offset);
}

}  // namespace firn
