#include <algorithm>
#include <cstring>
#include <utility>

#include "firn/base/bytes.h"
#include "firn/data/key_store_internal.h"

namespace firn {
namespace {

constexpr int64_t kBudgetShare = 4;
constexpr size_t kPartitions = 64;
constexpr int kPartitionShift =
    26;  // Bits of the hash that neither choose a slot nor are kept in it.
constexpr size_t kBufferMin = size_t{4} << 10;
constexpr size_t kBufferMax = size_t{64} << 10;
constexpr size_t kReadBytes = size_t{1} << 20;

// Before the bytes of each key in a scratch file.
struct RecordHead {
  int64_t row = 0;
  uint64_t length = 0;
};

size_t PartitionOf(uint64_t hash) { return hash >> kPartitionShift & (kPartitions - 1); }

size_t BufferBytes(int64_t bytes_max) {
  return std::clamp(static_cast<size_t>(bytes_max) / (2 * kPartitions), kBufferMin, kBufferMax);
}

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

KeyStore::KeyStore(MemoryBudget* budget, size_t width, DuplicateVisitor on_duplicate)
    : budget_(budget),
      bytes_max_(budget->total_bytes() / kBudgetShare),
      width_(width),
      on_duplicate_(std::move(on_duplicate)),
      table_(budget, bytes_max_, width) {}

KeyStore::~KeyStore() = default;

Status KeyStore::Insert(std::string_view key, uint64_t hash, int64_t row) {
  FIRN_ASSIGN(const std::optional<KeyOrdinal> known, table_.Insert(key, hash, row));
  if (!known) return {};
  FIRN_RETURN_IF_ERROR(on_duplicate_(table_.row(*known), row));
  table_.set_row(*known, row);
  return {};
}

Status KeyStore::Add(const KeyBatch& keys, int64_t first_row) {
  for (int64_t i = 0; i < keys.size(); ++i) {
    const std::string_view key = keys.key(i);
    const uint64_t hash = KeyTable::Hash(key);
    if (partitions_.empty()) {
      const Status inserted = Insert(key, hash, first_row + i);
      if (inserted.ok()) continue;
      if (inserted.error().code() != ErrorCode::kResourceExhausted) return inserted;
      FIRN_RETURN_IF_ERROR(Spill());
    }
    FIRN_RETURN_IF_ERROR(AddToPartition(key, hash, first_row + i));
  }
  return {};
}

// From here on, keys go to disk.
Status KeyStore::Spill() {
  partitions_.resize(kPartitions);
  for (Partition& partition : partitions_) {
    FIRN_ASSIGN(partition.file, ScratchFile::Make(), "holding keys that do not fit into memory");
  }
  const KeyTable table = std::exchange(table_, KeyTable(budget_, bytes_max_, width_));
  for (KeyOrdinal i = 0; i < table.size(); ++i) {
    FIRN_RETURN_IF_ERROR(AddToPartition(table.key(i), KeyTable::Hash(table.key(i)), table.row(i)));
  }
  return {};
}

Status KeyStore::AddToPartition(std::string_view key, uint64_t hash, int64_t row) {
  Partition& partition = partitions_[PartitionOf(hash)];
  const RecordHead head{.row = row, .length = key.size()};
  partition.buffer.append(reinterpret_cast<const char*>(&head), sizeof(head));
  partition.buffer.append(key);
  ++partition.keys;
  partition.key_bytes += key.size();
  if (partition.buffer.size() < BufferBytes(bytes_max_)) return {};
  FIRN_RETURN_IF_ERROR(partition.file->Append(AsBytes(partition.buffer)));
  partition.buffer.clear();
  return {};
}

Status KeyStore::Finish() {
  size_t keys = 0;
  size_t key_bytes = 0;
  for (size_t i = 0; i < partitions_.size(); ++i) {
    Partition& partition = partitions_[i];
    FIRN_RETURN_IF_ERROR(partition.file->Append(AsBytes(partition.buffer)));
    partition.buffer = {};
    keys += partition.keys;
    key_bytes += partition.key_bytes;
    const bool fits = !passes_.empty() && KeyTable::BytesFor(keys, key_bytes, width_) <= bytes_max_;
    if (fits) {
      passes_.back().end = i + 1;
      continue;
    }
    passes_.push_back({.begin = i, .end = i + 1});
    keys = partition.keys;
    key_bytes = partition.key_bytes;
  }
  return {};
}

Status KeyStore::Load(size_t pass) {
  if (passes_.empty()) return {};
  table_ = KeyTable(budget_, bytes_max_, width_);
  size_t keys = 0;
  size_t key_bytes = 0;
  for (size_t i = passes_[pass].begin; i < passes_[pass].end; ++i) {
    keys += partitions_[i].keys;
    key_bytes += partitions_[i].key_bytes;
  }
  FIRN_RETURN_IF_ERROR(table_.Reserve(keys, key_bytes),
                       "holding a part of the keys; give more with --memory");
  for (size_t i = passes_[pass].begin; i < passes_[pass].end; ++i) {
    FIRN_RETURN_IF_ERROR(LoadPartition(partitions_[i]));
    partitions_[i].file = nullptr;
  }
  return {};
}

Status KeyStore::LoadPartition(const Partition& partition) {
  RecordReader reader(*partition.file);
  while (reader.has_next()) {
    RecordHead head;
    std::string_view key;
    FIRN_RETURN_IF_ERROR(reader.Read(head, key));
    FIRN_RETURN_IF_ERROR(Insert(key, KeyTable::Hash(key), head.row));
  }
  return {};
}

}  // namespace firn
