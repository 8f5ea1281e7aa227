#include <algorithm>
#include <cstring>
#include <utility>

#include "firn/base/bytes.h"
#include "firn/data/keys/key_partitions_internal.h"

namespace firn {
namespace {

constexpr size_t kBufferMin = size_t{4} << 10;
constexpr size_t kBufferMax = size_t{64} << 10;
constexpr size_t kReadBytes = size_t{1} << 20;

// Before the bytes of each key in a scratch file.
struct RecordHead {
  int64_t number = 0;
  uint64_t length = 0;
};

// Reads the records of a scratch file.
class RecordReader {
 public:
  explicit RecordReader(ScratchFile& file) : file_(file) {}

  bool has_next() const { return begin_ < buffer_.size() || offset_ < file_.size(); }

  Status Read(RecordHead& head, std::string_view& key) {
    FIRN_RETURN_IF_ERROR(Provide(sizeof(head)));
    std::memcpy(&head, buffer_.data() + begin_, sizeof(head));
    FIRN_RETURN_IF_ERROR(Provide(sizeof(head) + head.length));
    key = std::string_view(buffer_).substr(begin_ + sizeof(head), head.length);
    begin_ += sizeof(head) + head.length;
    return {};
  }

 private:
  Status Provide(size_t bytes) {
    if (buffer_.size() - begin_ >= bytes) return {};
    buffer_.erase(0, begin_);
    begin_ = 0;
    const size_t had = buffer_.size();
    buffer_.resize(std::max(bytes, kReadBytes));
    FIRN_ASSIGN(const int64_t read,
                file_.ReadAt(offset_, std::as_writable_bytes(std::span(buffer_)).subspan(had)));
    offset_ += read;
    buffer_.resize(had + static_cast<size_t>(read));
    FIRN_CHECK(buffer_.size() >= bytes);
    return {};
  }

  ScratchFile& file_;
  std::string buffer_;
  size_t begin_ = 0;
  int64_t offset_ = 0;
};

}  // namespace

Result<KeyPartitions> KeyPartitions::Make(int64_t memory_bytes) {
  KeyPartitions partitions;
  partitions.buffer_bytes_ =
      std::clamp(static_cast<size_t>(memory_bytes) / kCount, kBufferMin, kBufferMax);
  partitions.partitions_.resize(kCount);
  for (Partition& partition : partitions.partitions_) {
    FIRN_ASSIGN(partition.file, ScratchFile::Make(), "holding keys that do not fit into memory");
  }
  return partitions;
}

Status KeyPartitions::Add(std::string_view key, uint64_t hash, int64_t number) {
  Partition& partition = partitions_[Of(hash)];
  const RecordHead head{.number = number, .length = key.size()};
  partition.buffer.append(reinterpret_cast<const char*>(&head), sizeof(head));
  partition.buffer.append(key);
  ++partition.keys;
  partition.key_bytes += key.size();
  if (partition.buffer.size() < buffer_bytes_) return {};
  FIRN_RETURN_IF_ERROR(partition.file->Append(AsBytes(partition.buffer)));
  partition.buffer.clear();
  return {};
}

Status KeyPartitions::Finish() {
  for (Partition& partition : partitions_) {
    FIRN_RETURN_IF_ERROR(partition.file->Append(AsBytes(partition.buffer)));
    partition.buffer = {};
  }
  return {};
}

std::vector<KeyPartitions::Range> KeyPartitions::Passes(
    const std::function<bool(const Range& range)>& fits) const {
  std::vector<Range> passes;
  for (size_t i = 0; i < partitions_.size(); ++i) {
    const Partition& partition = partitions_[i];
    if (!passes.empty()) {
      Range longer = passes.back();
      longer.end = i + 1;
      longer.keys += partition.keys;
      longer.key_bytes += partition.key_bytes;
      if (fits(longer)) {
        passes.back() = longer;
        continue;
      }
    }
    passes.push_back(
        {.begin = i, .end = i + 1, .keys = partition.keys, .key_bytes = partition.key_bytes});
  }
  return passes;
}

Status KeyPartitions::Take(size_t partition, const Visitor& visit) {
  const std::shared_ptr<ScratchFile> file = std::exchange(partitions_[partition].file, nullptr);
  RecordReader reader(*file);
  while (reader.has_next()) {
    RecordHead head;
    std::string_view key;
    FIRN_RETURN_IF_ERROR(reader.Read(head, key));
    FIRN_RETURN_IF_ERROR(visit(key, head.number));
  }
  return {};
}

}  // namespace firn
