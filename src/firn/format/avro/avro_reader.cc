#include "firn/format/avro/avro_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace firn {
namespace {

constexpr std::string_view kMagic("Obj\x01", 4);
constexpr int64_t kWindowBytes = int64_t{16} << 20;
constexpr int64_t kHeaderBytesMax = int64_t{256} << 20;
constexpr int64_t kBlockPrefixBytesMax = 20;  // Two numbers of at most 10 bytes.
// Records without bytes (a row of no columns) that one block may claim.
constexpr int64_t kEmptyRecordsMax = int64_t{1} << 20;

}  // namespace

Result<std::unique_ptr<AvroReader>> AvroReader::Open(std::shared_ptr<InputFile> file) {
  std::unique_ptr<AvroReader> reader(new AvroReader(std::move(file)));
  FIRN_ASSIGN(reader->file_size_, reader->file_->Size());
  FIRN_RETURN_IF_ERROR(reader->ReadHeader());
  return reader;
}

const std::string* AvroReader::FindMetadata(std::string_view key) const {
  for (const auto& [name, value] : metadata_) {
    if (name == key) return &value;
  }
  return nullptr;
}

Result<std::span<const std::byte>> AvroReader::Window(int64_t offset, int64_t length) {
  const int64_t wanted = std::min(length, file_size_ - offset);
  if (wanted <= 0) return std::span<const std::byte>();
  const auto window_size = static_cast<int64_t>(window_.size());
  if (offset < window_offset_ || offset + wanted > window_offset_ + window_size) {
    const int64_t size = std::min(std::max(wanted, kWindowBytes), file_size_ - offset);
    Buffer fresh(static_cast<size_t>(size));
    FIRN_ASSIGN(const int64_t read, file_->ReadAt(offset, fresh.span()));
    fresh.Truncate(static_cast<size_t>(read));
    window_ = std::move(fresh);
    window_offset_ = offset;
    // The recorded size was wrong: the file ends here.
    if (read < size) file_size_ = offset + read;
  }
  const auto start = static_cast<size_t>(offset - window_offset_);
  const size_t available = window_.size() - std::min(start, window_.size());
  return window_.span().subspan(start, std::min(static_cast<size_t>(wanted), available));
}

Status AvroReader::ReadHeader() {
  for (int64_t length = kWindowBytes;; length *= 4) {
    FIRN_ASSIGN(const auto bytes, Window(0, std::min(length, kHeaderBytesMax)));
    FIRN_ASSIGN(const bool is_complete, ParseHeader(bytes));
    if (is_complete) break;
    if (length >= kHeaderBytesMax || static_cast<int64_t>(bytes.size()) >= file_size_) {
      return MakeError(ErrorCode::kCorrupt, "{}: the Avro header is cut off or damaged", uri());
    }
  }
  const std::string* json = FindMetadata("avro.schema");
  if (json == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "{}: the Avro header has no 'avro.schema'", uri());
  }
  FIRN_ASSIGN(schema_, ParseAvroSchema(*json, uri()));
  if (const std::string* codec = FindMetadata("avro.codec")) {
    FIRN_ASSIGN(codec_, ParseAvroCodec(*codec), "{}", uri());
  }
  next_offset_ = header_size_;
  return {};
}

// False if `bytes` end before the header does.
Result<bool> AvroReader::ParseHeader(std::span<const std::byte> bytes) {
  if (!AsText(bytes).starts_with(kMagic)) {
    return MakeError(ErrorCode::kCorrupt, "{}: not an Avro file: starts with 0x{}, expected 'Obj1'",
                     uri(), FormatHex(bytes.first(std::min<size_t>(bytes.size(), 4))));
  }
  metadata_.clear();
  AvroCursor cursor(bytes.subspan(kMagic.size()));
  while (int64_t count = cursor.ReadItemCount(2)) {
    for (; count > 0 && cursor.ok(); --count) {
      const std::string_view key = cursor.ReadBytes();
      const std::string_view value = cursor.ReadBytes();
      if (cursor.ok()) metadata_.emplace_back(key, value);
    }
  }
  const std::string_view sync = cursor.ReadFixed(kAvroSyncBytes);
  if (!cursor.ok()) return false;
  std::memcpy(sync_.data(), sync.data(), sync.size());
  header_size_ = static_cast<int64_t>(kMagic.size() + cursor.position());
  return true;
}

Error AvroReader::BlockError(const AvroBlock& block, std::string_view problem) const {
  return MakeError(ErrorCode::kCorrupt, "{}: block {} at byte {}: {}", uri(), block.index,
                   block.offset, problem);
}

Result<bool> AvroReader::NextBlock(AvroBlock& block) {
  block = {.index = block_count_, .offset = next_offset_};
  FIRN_ASSIGN(const auto prefix, Window(next_offset_, kBlockPrefixBytesMax));
  if (prefix.empty()) return false;
  AvroCursor cursor(prefix);
  block.record_count = cursor.ReadLong();
  const int64_t size = cursor.ReadLong();
  if (!cursor.ok()) return BlockError(block, "the file ends inside the header of the block");
  const int64_t start = next_offset_ + static_cast<int64_t>(cursor.position());
  const int64_t left = file_size_ - start;
  if (block.record_count < 0 || size < 0 || size > left - kAvroSyncBytes) {
    return BlockError(block, fmt::format("it claims {} records in {} bytes, the file has {} left",
                                         block.record_count, size, left));
  }
  FIRN_ASSIGN(const auto stored, Window(start, size + kAvroSyncBytes));
  if (static_cast<int64_t>(stored.size()) < size + kAvroSyncBytes) {
    return BlockError(block, fmt::format("the file ends at byte {}, inside it", file_size_));
  }
  if (std::memcmp(stored.data() + size, sync_.data(), sync_.size()) != 0) {
    return BlockError(block, "it does not end with the sync marker of the file");
  }
  auto bytes = decompressor_.DecompressAvro(codec_, stored.first(static_cast<size_t>(size)));
  if (!bytes.ok()) return BlockError(block, bytes.error().message());
  block.bytes = *bytes;
  const int64_t record_count_max =
      schema_->min_size > 0 ? static_cast<int64_t>(block.bytes.size()) / schema_->min_size
                            : kEmptyRecordsMax;
  if (block.record_count > record_count_max) {
    return BlockError(block, fmt::format("it claims {} records, its {} bytes hold at most {}",
                                         block.record_count, block.bytes.size(), record_count_max));
  }
  next_offset_ = start + size + kAvroSyncBytes;
  ++block_count_;
  return true;
}

Status AvroReader::SeekToBlock(int64_t offset) {
  // The header ends with a marker too.
  if (offset <= header_size_ - kAvroSyncBytes) {
    next_offset_ = header_size_;
    return {};
  }
  const std::string_view marker(reinterpret_cast<const char*>(sync_.data()), sync_.size());
  for (int64_t position = offset; position < file_size_;) {
    FIRN_ASSIGN(const auto bytes, Window(position, kWindowBytes));
    const size_t found = AsText(bytes).find(marker);
    if (found != std::string_view::npos) {
      next_offset_ = position + static_cast<int64_t>(found) + kAvroSyncBytes;
      return {};
    }
    const auto step = static_cast<int64_t>(bytes.size()) - (kAvroSyncBytes - 1);
    if (step <= 0) break;
    position += step;
  }
  next_offset_ = file_size_;
  return {};
}

}  // namespace firn
