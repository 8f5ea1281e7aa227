#include <algorithm>
#include <cstring>

#include "firn/parquet/chunk_reader_internal.h"
#include "firn/parquet/rle_internal.h"
#include "firn/parquet/value_order_internal.h"

namespace firn {
namespace {

constexpr size_t kPrefix = sizeof(uint32_t);
// Levels and indices take six bytes of memory, and almost none of the page.
constexpr int64_t kBytesPerValue = 4;

uint32_t LoadLength(const std::byte* bytes) {
  uint32_t length = 0;
  std::memcpy(&length, bytes, sizeof(length));
  return length;
}

bool IsDictionaryEncoding(ParquetEncoding encoding) {
  return encoding == ParquetEncoding::kPlainDictionary ||
         encoding == ParquetEncoding::kRleDictionary;
}

Error UnsupportedEncoding(ParquetEncoding encoding) {
  return MakeError(ErrorCode::kUnsupported, "values of encoding {}", static_cast<int>(encoding));
}

// Whether `count` byte arrays with their lengths fill `bytes`.
Status CheckByteArrays(std::span<const std::byte> bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (bytes.size() < kPrefix || LoadLength(bytes.data()) > bytes.size() - kPrefix) {
      return MakeError(ErrorCode::kCorrupt, "value {} of {} is longer than its page", i, count);
    }
    bytes = bytes.subspan(kPrefix + LoadLength(bytes.data()));
  }
  return {};
}

}  // namespace

ChunkReader::ChunkReader(std::span<const std::byte> bytes, const ColumnChunk& chunk,
                         const LeafNode& leaf, PageCodec& codec, int64_t page_bytes_max)
    : bytes_(bytes),
      chunk_(chunk),
      leaf_(leaf),
      codec_(codec),
      page_bytes_max_(std::min(page_bytes_max, kPageBytesMax)) {}

// The head at the position, which goes on behind it. The page is in the chunk and not too large.
Result<PageHeader> ChunkReader::NextHeader() {
  FIRN_ASSIGN(const ParsedPageHeader parsed, ParsePageHeader(bytes_.subspan(position_)));
  const PageHeader& header = parsed.header;
  position_ += parsed.header_bytes;
  if (static_cast<size_t>(header.compressed_size) > bytes_.size() - position_) {
    return MakeError(ErrorCode::kCorrupt, "a page of {} bytes is longer than its column chunk",
                     header.compressed_size);
  }
  const int64_t values_max = std::min(kPageValuesMax, page_bytes_max_ / kBytesPerValue);
  if (header.uncompressed_size <= page_bytes_max_ && header.num_values <= values_max) return header;
  return MakeError(ErrorCode::kUnsupported, "a page of {} bytes and {} values",
                   header.uncompressed_size, header.num_values);
}

// The bytes of a page as they are in the file.
Result<std::span<const std::byte>> ChunkReader::Stored(const PageHeader& header) {
  const auto stored = bytes_.subspan(position_, static_cast<size_t>(header.compressed_size));
  FIRN_RETURN_IF_ERROR(CheckChecksum(header, stored));
  return stored;
}

// The bytes of a page that is compressed as a whole, decompressed.
Result<std::span<const std::byte>> ChunkReader::Body(const PageHeader& header, PageBuffer& to) {
  FIRN_ASSIGN(const auto stored, Stored(header));
  to.Clear();
  to.Resize(static_cast<size_t>(header.uncompressed_size));
  FIRN_RETURN_IF_ERROR(codec_.Decompress(chunk_.codec, stored, {to.data(), to.size()}));
  return to.span();
}

// Levels are not compressed in version 2.
Result<std::span<const std::byte>> ChunkReader::BodyOfVersion2(const PageHeader& header) {
  const size_t levels =
      static_cast<size_t>(header.definition_bytes) + static_cast<size_t>(header.repetition_bytes);
  FIRN_ASSIGN(const auto stored, Stored(header));
  const auto size = static_cast<size_t>(header.uncompressed_size);
  if (levels > stored.size() || levels > size) {
    return MakeError(ErrorCode::kCorrupt, "the levels are longer than the page");
  }
  body_.Clear();
  body_.Resize(size);
  if (levels > 0) std::memcpy(body_.data(), stored.data(), levels);
  const std::span<std::byte> values{body_.data() + levels, size - levels};
  // An empty part needs no decompressing, and some writers store no byte for it.
  if (values.empty()) return body_.span();
  const ParquetCodec codec = header.is_compressed ? chunk_.codec : ParquetCodec::kUncompressed;
  FIRN_RETURN_IF_ERROR(codec_.Decompress(codec, stored.subspan(levels), values));
  return body_.span();
}

Result<std::optional<DictionaryValues>> ChunkReader::ReadDictionary() {
  if (bytes_.empty()) return std::optional<DictionaryValues>();
  FIRN_ASSIGN(const PageHeader header, NextHeader());
  if (header.type != PageType::kDictionary) {
    position_ = 0;
    return std::optional<DictionaryValues>();
  }
  if (header.encoding != ParquetEncoding::kPlain &&
      header.encoding != ParquetEncoding::kPlainDictionary) {
    return UnsupportedEncoding(header.encoding);
  }
  FIRN_ASSIGN(const auto body, Body(header, dictionary_body_), "dictionary page");
  position_ += static_cast<size_t>(header.compressed_size);
  DictionaryValues values{.count = static_cast<size_t>(header.num_values),
                          .width = ValueWidth(leaf_.element),
                          .fixed = body.data()};
  if (values.width > 0) {
    if (body.size() / values.width < values.count) {
      return MakeError(ErrorCode::kCorrupt, "a dictionary of {} values has {} bytes", values.count,
                       body.size());
    }
  } else {
    FIRN_RETURN_IF_ERROR(CheckByteArrays(body, values.count), "dictionary page");
    values.bytes.reserve(values.count);
    const std::byte* at = body.data();
    for (size_t i = 0; i < values.count; ++i) {
      const uint32_t length = LoadLength(at);
      values.bytes.push_back(AsText({at + kPrefix, length}));
      at += kPrefix + length;
    }
  }
  has_dictionary_ = true;
  dictionary_size_ = values.count;
  return std::optional<DictionaryValues>(std::move(values));
}

Result<std::optional<DataPage>> ChunkReader::Next() {
  while (values_read_ < chunk_.num_values) {
    if (position_ >= bytes_.size()) {
      return MakeError(ErrorCode::kCorrupt, "the pages hold {} values, the footer tells {}",
                       values_read_, chunk_.num_values);
    }
    FIRN_ASSIGN(const PageHeader header, NextHeader());
    if (header.type == PageType::kDictionary) {
      return MakeError(ErrorCode::kCorrupt, "a dictionary page in the middle of a column chunk");
    }
    if (header.type == PageType::kIndex) {
      position_ += static_cast<size_t>(header.compressed_size);
      continue;
    }
    const bool begins_chunk = values_read_ == 0;
    values_read_ += header.num_values;
    if (values_read_ > chunk_.num_values) {
      return MakeError(ErrorCode::kCorrupt, "the pages hold more values than the footer tells, {}",
                       chunk_.num_values);
    }
    DataPage page{.level_count = static_cast<size_t>(header.num_values)};
    std::span<const std::byte> body;
    if (header.type == PageType::kData) {
      FIRN_ASSIGN(body, Body(header, body_));
    } else {
      FIRN_ASSIGN(body, BodyOfVersion2(header));
    }
    position_ += static_cast<size_t>(header.compressed_size);
    FIRN_RETURN_IF_ERROR(SplitLevels(header, body, page));
    // Else its values would become those of the row before, which is another input's.
    if (begins_chunk && !page.repetition.empty() && page.repetition[0] != 0) {
      return MakeError(ErrorCode::kCorrupt, "the first row begins in the middle");
    }
    FIRN_RETURN_IF_ERROR(ReadValues(header, body, page));
    return std::optional<DataPage>(page);
  }
  return std::optional<DataPage>();
}

Status ChunkReader::ReadLevels(std::span<const std::byte> in, int level_max,
                               std::vector<uint8_t>& levels, size_t count,
                               std::span<const uint8_t>& out) {
  levels.resize(count);
  FIRN_RETURN_IF_ERROR(DecodeRle(in, BitWidth(static_cast<uint64_t>(level_max)), levels), "levels");
  if (count > 0 && *std::max_element(levels.begin(), levels.end()) > level_max) {
    return MakeError(ErrorCode::kCorrupt, "a level is above {}", level_max);
  }
  out = levels;
  return {};
}

// Cut the levels off `body`.
Status ChunkReader::SplitLevels(const PageHeader& header, std::span<const std::byte>& body,
                                DataPage& page) {
  const auto cut = [&](ParquetEncoding encoding,
                       int32_t version2_bytes) -> Result<std::span<const std::byte>> {
    size_t length = static_cast<size_t>(version2_bytes);
    if (header.type == PageType::kData) {
      if (encoding != ParquetEncoding::kRle) return UnsupportedEncoding(encoding);
      if (body.size() < kPrefix) return MakeError(ErrorCode::kCorrupt, "a page has no levels");
      length = LoadLength(body.data());
      body = body.subspan(kPrefix);
    }
    if (length > body.size()) {
      return MakeError(ErrorCode::kCorrupt, "the levels are longer than the page");
    }
    const auto levels = body.first(length);
    body = body.subspan(length);
    return levels;
  };
  page.value_count = page.level_count;
  if (leaf_.max_repetition_level > 0 || header.repetition_bytes > 0) {
    FIRN_ASSIGN(const auto levels, cut(header.repetition_encoding, header.repetition_bytes));
    if (leaf_.max_repetition_level > 0) {
      FIRN_RETURN_IF_ERROR(ReadLevels(levels, leaf_.max_repetition_level, repetition_,
                                      page.level_count, page.repetition));
    }
  }
  if (leaf_.max_definition_level == 0 && header.definition_bytes == 0) return {};
  FIRN_ASSIGN(const auto levels, cut(header.definition_encoding, header.definition_bytes));
  if (leaf_.max_definition_level == 0) return {};
  const auto defined = static_cast<uint8_t>(leaf_.max_definition_level);
  if (SingleRun(levels, BitWidth(defined), page.level_count) == defined) return {};
  FIRN_RETURN_IF_ERROR(ReadLevels(levels, defined, definition_, page.level_count, page.definition));
  page.value_count =
      static_cast<size_t>(std::count(definition_.begin(), definition_.end(), defined));
  return {};
}

Status ChunkReader::ReadValues(const PageHeader& header, std::span<const std::byte> body,
                               DataPage& page) {
  if (leaf_.element.type == PhysicalType::kBoolean) return ReadBooleans(header, body, page);
  if (IsDictionaryEncoding(header.encoding)) {
    if (!has_dictionary_) return MakeError(ErrorCode::kCorrupt, "a page without its dictionary");
    page.is_dictionary_encoded = true;
    indices_.resize(page.value_count);
    if (page.value_count == 0) return {};
    if (body.empty()) return MakeError(ErrorCode::kCorrupt, "a page has no dictionary indices");
    FIRN_RETURN_IF_ERROR(DecodeRle(body.subspan(1), static_cast<int>(body[0]), indices_),
                         "dictionary indices");
    uint32_t largest = 0;
    for (const uint32_t index : indices_)
      largest = std::max(largest, index);
    if (largest >= dictionary_size_) {
      return MakeError(ErrorCode::kCorrupt, "dictionary index {}, the dictionary has {} values",
                       largest, dictionary_size_);
    }
    page.indices = indices_;
    return {};
  }
  if (header.encoding != ParquetEncoding::kPlain) return UnsupportedEncoding(header.encoding);
  const size_t width = ValueWidth(leaf_.element);
  if (width == 0) {
    FIRN_RETURN_IF_ERROR(CheckByteArrays(body, page.value_count));
  } else if (body.size() / width < page.value_count) {
    return MakeError(ErrorCode::kCorrupt, "{} values of {} bytes in a page of {}", page.value_count,
                     width, body.size());
  }
  page.plain = body;
  return {};
}

Status ChunkReader::ReadBooleans(const PageHeader& header, std::span<const std::byte> body,
                                 DataPage& page) {
  booleans_.resize(page.value_count);
  if (header.encoding == ParquetEncoding::kRle) {
    if (body.size() < kPrefix || LoadLength(body.data()) > body.size() - kPrefix) {
      return MakeError(ErrorCode::kCorrupt, "a page of booleans ends too early");
    }
    FIRN_RETURN_IF_ERROR(DecodeRle(body.subspan(kPrefix, LoadLength(body.data())), 1, booleans_),
                         "booleans");
  } else if (header.encoding == ParquetEncoding::kPlain) {
    if (body.size() * 8 < page.value_count) {
      return MakeError(ErrorCode::kCorrupt, "{} booleans in a page of {} bytes", page.value_count,
                       body.size());
    }
    for (size_t i = 0; i < page.value_count; ++i)
      booleans_[i] = (static_cast<uint8_t>(body[i / 8]) >> (i % 8)) & 1;
  } else {
    return UnsupportedEncoding(header.encoding);
  }
  page.plain = std::as_bytes(std::span(booleans_));
  return {};
}

}  // namespace firn
