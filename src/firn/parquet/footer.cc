#include "firn/parquet/footer.h"

#include <algorithm>
#include <cstring>

#include "firn/parquet/footer_checksum_internal.h"

namespace firn {
namespace {

constexpr int64_t kMagicBytes = 4;
constexpr int64_t kTailBytes = 8;  // Length of the footer, and the magic.
constexpr int64_t kFirstReadBytes = int64_t{64} << 10;

// Where the footer begins, given the last bytes of a file of `size` bytes.
Result<int64_t> FindFooter(std::span<const std::byte> tail, int64_t size,
                           int64_t footer_bytes_max = kReadFooterBytesMax) {
  if (size < kTailBytes + kMagicBytes || std::ssize(tail) < kTailBytes) {
    return MakeError(ErrorCode::kCorrupt, "{} bytes are too few for a Parquet file", size);
  }
  const std::string_view magic = AsText(tail.last(4));
  if (magic == "PARE") {
    return MakeError(ErrorCode::kUnsupported, "the file is encrypted by Parquet's own means");
  }
  if (magic != "PAR1") {
    return MakeError(ErrorCode::kCorrupt, "the file does not end with 'PAR1'");
  }
  uint32_t length = 0;
  std::memcpy(&length, tail.last(kTailBytes).data(), sizeof(length));
  const int64_t start = size - kTailBytes - static_cast<int64_t>(length);
  if (start < kMagicBytes) {
    return MakeError(ErrorCode::kCorrupt, "a footer of {} bytes does not fit in a file of {}",
                     length, size);
  }
  if (int64_t{length} > footer_bytes_max) {
    return MakeError(ErrorCode::kUnsupported, "a footer of {} bytes, at most {} are read", length,
                     footer_bytes_max);
  }
  return start;
}

Result<std::span<const std::byte>> FooterIn(std::span<const std::byte> tail, int64_t size) {
  FIRN_ASSIGN(const int64_t start, FindFooter(tail, size));
  const int64_t skip = start - (size - std::ssize(tail));
  if (skip < 0) {
    return MakeError(ErrorCode::kInvalidInput, "a footer at {} begins before the last {} bytes",
                     start, tail.size());
  }
  return tail.subspan(static_cast<size_t>(skip), static_cast<size_t>(size - start - kTailBytes));
}

// Column chunks lie between the magic and the footer, which begins at `end`.
Result<FileFooter> ParseFooterAt(std::span<const std::byte> bytes, int64_t end) {
  FIRN_ASSIGN(FileFooter footer, ParseFooter(bytes));
  for (size_t i = 0; i < footer.row_groups.size(); ++i) {
    const std::vector<ColumnChunk>& columns = footer.row_groups[i].columns;
    for (size_t j = 0; j < columns.size(); ++j) {
      const ColumnChunk& chunk = columns[j];
      if (chunk.is_elsewhere || chunk.total_compressed_size == 0) continue;
      const int64_t start = chunk.start_offset();
      if (start >= kMagicBytes && start <= end && chunk.total_compressed_size <= end - start) {
        continue;
      }
      return MakeError(ErrorCode::kCorrupt,
                       "row group {}, column {}: {} bytes at {}, the data end at {}", i, j,
                       chunk.total_compressed_size, start, end);
    }
  }
  return footer;
}

}  // namespace

int64_t ColumnChunk::start_offset() const {
  // Some writers put 0 or an offset behind the data where there is no dictionary.
  const bool has_dictionary = dictionary_page_offset && *dictionary_page_offset > 0 &&
                              *dictionary_page_offset < data_page_offset;
  return has_dictionary ? *dictionary_page_offset : data_page_offset;
}

Result<FileFooter> ReadFooter(std::span<const std::byte> tail, int64_t size) {
  FIRN_ASSIGN(const auto bytes, FooterIn(tail, size));
  return ParseFooterAt(bytes, size - kTailBytes - std::ssize(bytes));
}

Result<std::span<const std::byte>> FindCheckedFooter(std::span<const std::byte> tail,
                                                     int64_t size) {
  FIRN_ASSIGN(const auto bytes, FooterIn(tail, size));
  if (HasFooterChecksum(bytes)) {
    FIRN_RETURN_IF_ERROR(CheckFooterChecksum(bytes));
  } else {
    FIRN_RETURN_IF_ERROR(ParseFooter(bytes));
  }
  return bytes;
}

Result<FileFooter> ReadFooter(std::span<const std::byte> file) {
  return ReadFooter(file, std::ssize(file));
}

Result<Buffer> ReadTail(InputFile& file, int64_t size, int64_t footer_bytes_max) {
  const auto read_from = [&](int64_t start) -> Result<Buffer> {
    Buffer bytes(static_cast<size_t>(size - start));
    FIRN_ASSIGN(const int64_t read, file.ReadAt(start, bytes.span()));
    if (read == size - start) return bytes;
    return MakeError(ErrorCode::kCorrupt, "the file ends at byte {}, expected {}", start + read,
                     size);
  };
  const int64_t tail_start = std::max<int64_t>(0, size - kFirstReadBytes);
  FIRN_ASSIGN(const Buffer tail, read_from(tail_start));
  FIRN_ASSIGN(const int64_t start, FindFooter(tail.span(), size, footer_bytes_max));
  if (start < tail_start) return read_from(start);
  Buffer exact(static_cast<size_t>(size - start));
  std::ranges::copy(tail.span().last(exact.size()), exact.span().begin());
  return exact;
}

}  // namespace firn
