#include <algorithm>
#include <cstring>

#include "firn/parquet/page_stream_internal.h"

namespace firn {
namespace {

constexpr size_t kPrefix = sizeof(uint32_t);
// Headers have less, unless they hold statistics of long texts.
constexpr size_t kHeaderBytes = 256;
constexpr size_t kHeaderBytesMax = size_t{16} << 20;

}  // namespace

PageStream::PageStream(const FlatLeaf& leaf, const FlatReadOptions& options, PageCodec& codec)
    : leaf_(leaf),
      verifies_checksums_(options.verifies_checksums),
      codec_(codec),
      window_(*options.file, options.make_store(), options.read_bytes),
      dictionary_(options.make_store()),
      body_(options.make_store()) {}

Result<ParsedPageHeader> PageStream::ReadHeader(size_t offset) {
  size_t size = kHeaderBytes;
  while (true) {
    FIRN_ASSIGN(const auto bytes, window_.At(offset, size));
    auto parsed = ParsePageHeader(bytes);
    if (parsed.ok()) {
      FIRN_RETURN_IF_ERROR(CheckSizes(parsed->header));
      const size_t rest = window_.size() - offset - parsed->header_bytes;
      if (static_cast<size_t>(parsed->header.compressed_size) <= rest) return parsed;
      // Old writers forget the header of the dictionary page; Arrow knows which.
      return MakeError(ErrorCode::kUnsupported,
                       "a page of {} bytes is longer than its column chunk",
                       parsed->header.compressed_size);
    }
    // It may be cut off.
    size = bytes.size() * 4;
    if (offset + bytes.size() == window_.size() || size > kHeaderBytesMax) return parsed;
  }
}

Status PageStream::CheckSizes(const PageHeader& header) const {
  if (header.uncompressed_size <= kPageBytesMax && header.num_values <= kPageValuesMax) return {};
  return MakeError(ErrorCode::kUnsupported, "a page of {} bytes and {} values",
                   header.uncompressed_size, header.num_values);
}

Result<std::optional<PageBody>> PageStream::Begin(const FlatChunk& chunk) {
  chunk_ = chunk;
  window_.Begin(chunk.range);
  next_ = 0;
  rows_seen_ = 0;
  if (window_.size() == 0) return std::optional<PageBody>();
  FIRN_ASSIGN(const ParsedPageHeader parsed, ReadHeader(0));
  const PageHeader& header = parsed.header;
  if (header.type != PageType::kDictionary) return std::optional<PageBody>();
  next_ = parsed.header_bytes + static_cast<size_t>(header.compressed_size);
  FIRN_ASSIGN(auto stored, Stored(header, parsed.header_bytes), "dictionary page");
  const auto size = static_cast<size_t>(header.uncompressed_size);
  if (chunk_.codec == ParquetCodec::kUncompressed) {
    // The window goes on, but the dictionary stays.
    if (stored.size() != size) {
      return MakeError(ErrorCode::kCorrupt, "a dictionary page of {} bytes has {}", size,
                       stored.size());
    }
    FIRN_ASSIGN(std::byte * copy, dictionary_->Hold(size, 0));
    if (size > 0) std::memcpy(copy, stored.data(), size);
    stored = {copy, size};
  } else {
    FIRN_ASSIGN(stored, Decompress(header, stored, size, *dictionary_), "dictionary page");
    window_.DropIfLarge();
  }
  return std::optional<PageBody>(PageBody{.encoding = header.encoding,
                                          .value_count = static_cast<size_t>(header.num_values),
                                          .values = stored});
}

Result<std::optional<size_t>> PageStream::Next() {
  while (rows_seen_ < chunk_.row_count) {
    if (next_ >= window_.size()) {
      return MakeError(ErrorCode::kCorrupt, "the pages hold {} values, the footer tells {}",
                       rows_seen_, chunk_.row_count);
    }
    FIRN_ASSIGN(const ParsedPageHeader parsed, ReadHeader(next_));
    header_ = parsed.header;
    offset_ = next_ + parsed.header_bytes;
    next_ = offset_ + static_cast<size_t>(header_.compressed_size);
    if (header_.type == PageType::kIndex) continue;
    if (header_.type == PageType::kDictionary) {
      return MakeError(ErrorCode::kCorrupt, "a dictionary page in the middle of a column chunk");
    }
    rows_seen_ += header_.num_values;
    if (rows_seen_ > chunk_.row_count) {
      return MakeError(ErrorCode::kCorrupt, "the pages hold more values than the footer tells, {}",
                       chunk_.row_count);
    }
    return std::optional<size_t>(static_cast<size_t>(header_.num_values));
  }
  return std::optional<size_t>();
}

std::optional<PageBody> PageStream::Peek() {
  if (rows_seen_ >= chunk_.row_count || next_ >= window_.size()) return std::nullopt;
  if (!window_.Holds(next_, kHeaderBytes)) return std::nullopt;
  const auto bytes = window_.At(next_, kHeaderBytes);
  if (!bytes.ok()) return std::nullopt;
  const auto parsed = ParsePageHeader(*bytes);
  if (!parsed.ok()) return std::nullopt;
  return PageBody{.encoding = parsed->header.encoding,
                  .value_count = static_cast<size_t>(parsed->header.num_values)};
}

// The bytes of a page as they are in the file.
Result<std::span<const std::byte>> PageStream::Stored(const PageHeader& header, size_t offset) {
  const auto size = static_cast<size_t>(header.compressed_size);
  FIRN_ASSIGN(const auto bytes, window_.At(offset, size));
  if (verifies_checksums_) FIRN_RETURN_IF_ERROR(CheckChecksum(header, bytes.first(size)));
  return bytes.first(size);
}

// The first `plain_bytes` of `stored` are taken over as they are.
Result<std::span<const std::byte>> PageStream::Decompress(const PageHeader& header,
                                                          std::span<const std::byte> stored,
                                                          size_t plain_bytes, ByteStore& to) {
  const auto size = static_cast<size_t>(header.uncompressed_size);
  FIRN_ASSIGN(std::byte * body, to.Hold(size, 0));
  if (header.type != PageType::kDataV2) plain_bytes = 0;
  if (plain_bytes > 0) std::memcpy(body, stored.data(), plain_bytes);
  const std::span<std::byte> values(body + plain_bytes, size - plain_bytes);
  // An empty part needs no decompressing, and some writers store no byte for it.
  if (!values.empty()) {
    FIRN_RETURN_IF_ERROR(codec_.Decompress(chunk_.codec, stored.subspan(plain_bytes), values));
  }
  return std::span<const std::byte>(body, size);
}

Result<PageBody> PageStream::Open() {
  FIRN_ASSIGN(auto body, Stored(header_, offset_));
  const auto size = static_cast<size_t>(header_.uncompressed_size);
  const size_t levels = header_.type == PageType::kDataV2
                            ? static_cast<size_t>(header_.definition_bytes) +
                                  static_cast<size_t>(header_.repetition_bytes)
                            : 0;
  if (levels > body.size() || levels > size) {
    return MakeError(ErrorCode::kCorrupt, "the levels are longer than the page");
  }
  const bool is_compressed = chunk_.codec != ParquetCodec::kUncompressed &&
                             (header_.type == PageType::kData || header_.is_compressed);
  if (is_compressed) {
    FIRN_ASSIGN(body, Decompress(header_, body, levels, *body_));
    window_.DropIfLarge();
  } else if (body.size() != size) {
    return MakeError(ErrorCode::kCorrupt, "a page of {} bytes has {}", size, body.size());
  }
  return Split(body);
}

void PageStream::Close() {
  window_.DropIfLarge();
  body_->DropIfLarge();
}

// Cut the levels off.
Result<PageBody> PageStream::Split(std::span<const std::byte> body) const {
  PageBody page{.encoding = header_.encoding,
                .value_count = static_cast<size_t>(header_.num_values)};
  size_t length = 0;
  if (header_.type == PageType::kDataV2) {
    body = body.subspan(static_cast<size_t>(header_.repetition_bytes));
    length = static_cast<size_t>(header_.definition_bytes);
  } else if (leaf_.is_optional) {
    if (header_.definition_encoding != ParquetEncoding::kRle) {
      return MakeError(ErrorCode::kUnsupported, "levels of encoding {}",
                       static_cast<int>(header_.definition_encoding));
    }
    uint32_t prefix = 0;
    if (body.size() < kPrefix) return MakeError(ErrorCode::kCorrupt, "a page has no levels");
    std::memcpy(&prefix, body.data(), kPrefix);
    body = body.subspan(kPrefix);
    length = prefix;
  }
  if (length > body.size()) {
    return MakeError(ErrorCode::kCorrupt, "the levels are longer than the page");
  }
  if (leaf_.is_optional) page.levels = body.first(length);
  page.values = body.subspan(length);
  return page;
}

}  // namespace firn
