#include <algorithm>
#include <cstring>

#include "firn/parquet/chunk_reader_internal.h"
#include "firn/parquet/rle_internal.h"
#include "firn/parquet/value_decoder_internal.h"
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

// Whether `count` byte arrays with their lengths fill `bytes`.
Status CheckByteArrays(std::span<const std::byte> bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (bytes.size() < kPrefix || LoadLength(bytes.data()) > bytes.size() - kPrefix) {
      return MakeError(ErrorCode::kCorrupt, "value {} of {} is longer than its page", i, count);
    }
    bytes = bytes.subspan(kPrefix + LoadLength(bytes.data()));
  }
  if (IsPagePadding(bytes)) return {};
  return MakeError(ErrorCode::kCorrupt, "{} bytes behind the last of {} values", bytes.size(),
                   count);
}

// A definition level that the other leaf does not have: a null of a required column.
constexpr uint8_t kNoLevel = UINT8_MAX;

// What becomes of the definition levels of a leaf. A level below the greatest tells which node of
// the way, but for the required ones, is the first that is missing. Below `shared_nodes` (0: all)
// nothing is there.
std::vector<uint8_t> MapLevels(const LeafNode& from, const LeafNode& to, size_t shared_nodes) {
  if (shared_nodes == 0 && from.repetitions == to.repetitions) return {};
  std::vector<uint8_t> map;
  uint8_t level = 0;
  for (size_t i = 0; i < from.repetitions.size(); ++i) {
    const bool is_shared = i < to.repetitions.size() && (shared_nodes == 0 || i < shared_nodes);
    if (!is_shared) {
      if (from.repetitions[i] != FieldRepetition::kRequired) map.push_back(level);
      continue;
    }
    const bool may_end = to.repetitions[i] != FieldRepetition::kRequired;
    if (from.repetitions[i] != FieldRepetition::kRequired) {
      map.push_back(may_end ? level : kNoLevel);
    }
    if (may_end) ++level;
  }
  map.push_back(level);
  return map;
}

}  // namespace

ChunkReader::ChunkReader(std::span<const std::byte> bytes, const ColumnChunk& chunk,
                         const LeafNode& leaf, PageCodec& codec, int64_t page_bytes_max)
    : ChunkReader(ChunkInput{.leaf = &leaf, .chunk = &chunk, .bytes = bytes}, leaf, codec,
                  page_bytes_max) {}

ChunkReader::ChunkReader(const ChunkInput& input, const LeafNode& to, PageCodec& codec,
                         int64_t page_bytes_max)
    : bytes_(input.bytes),
      chunk_(*input.chunk),
      leaf_(*input.leaf),
      to_(to),
      codec_(codec),
      page_bytes_max_(std::min(page_bytes_max, kPageBytesMax)),
      shared_nodes_(input.shared_nodes),
      definition_map_(MapLevels(leaf_, to_, shared_nodes_)) {
  if (FindConversion(leaf_.element, to_.element)) converter_.emplace(leaf_.element, to_.element);
}

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
  if (shared_nodes_ > 0) {
    position_ += static_cast<size_t>(header.compressed_size);
    return std::optional<DictionaryValues>();
  }
  if (!converter_) return MakeError(ErrorCode::kUnsupported, "values of another type");
  if (header.encoding != ParquetEncoding::kPlain &&
      header.encoding != ParquetEncoding::kPlainDictionary) {
    return UnsupportedEncoding(header.encoding);
  }
  FIRN_ASSIGN(auto body, Body(header, dictionary_body_), "dictionary page");
  position_ += static_cast<size_t>(header.compressed_size);
  DictionaryValues values{.count = static_cast<size_t>(header.num_values),
                          .width = ValueWidth(to_.element)};
  FIRN_RETURN_IF_ERROR(CheckPlain(body, values.count), "dictionary page");
  FIRN_ASSIGN(body, converter_->Convert(body, values.count, dictionary_values_), "dictionary page");
  values.fixed = body.data();
  if (values.width == 0) {
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

Result<int64_t> ChunkReader::SkipPages(int64_t rows) {
  int64_t passed = 0;
  while (leaf_.max_repetition_level == 0 && values_read_ < chunk_.num_values &&
         position_ < bytes_.size()) {
    const size_t start = position_;
    FIRN_ASSIGN(const PageHeader header, NextHeader());
    const bool is_data = header.type == PageType::kData || header.type == PageType::kDataV2;
    if (!is_data || header.num_values > std::min(rows - passed, chunk_.num_values - values_read_)) {
      position_ = start;
      break;
    }
    position_ += static_cast<size_t>(header.compressed_size);
    values_read_ += header.num_values;
    passed += header.num_values;
  }
  return passed;
}

Result<std::optional<DataPage>> ChunkReader::Next() {
  if (!converter_ && shared_nodes_ == 0) {
    return MakeError(ErrorCode::kUnsupported, "values of another type");
  }
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
    if (shared_nodes_ > 0) {
      KeepShared(page);
    } else {
      FIRN_RETURN_IF_ERROR(ReadValues(header, body, page));
    }
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
  return definition_map_.empty() ? Status() : MapDefinition(page.definition);
}

Status ChunkReader::MapDefinition(std::span<const uint8_t>& levels) {
  uint8_t largest = 0;
  for (uint8_t& level : definition_) {
    level = definition_map_[level];
    largest = std::max(largest, level);
  }
  if (largest == kNoLevel) {
    return MakeError(ErrorCode::kCorrupt, "a null where the table requires a value");
  }
  // Nothing of what is left can be missing.
  if (to_.max_definition_level == 0) levels = {};
  return {};
}

// Of a leaf beside the wanted one only those levels stay that tell of the group of both.
void ChunkReader::KeepShared(DataPage& page) {
  const auto nodes = to_.repetitions.begin();
  const auto lists = std::count(nodes, nodes + static_cast<std::ptrdiff_t>(shared_nodes_),
                                FieldRepetition::kRepeated);
  definition_.resize(page.level_count);
  repetition_.resize(page.level_count);
  size_t kept = 0;
  for (size_t i = 0; i < page.level_count; ++i) {
    const uint8_t repetition = page.repetition.empty() ? uint8_t{0} : repetition_[i];
    if (repetition > lists) continue;
    definition_[kept] = page.definition.empty() ? definition_map_.back() : definition_[i];
    repetition_[kept++] = repetition;
  }
  page.level_count = kept;
  page.value_count = 0;
  page.definition = std::span(definition_).first(kept);
  page.repetition = std::span(repetition_).first(to_.max_repetition_level > 0 ? kept : 0);
}

Status ChunkReader::ReadValues(const PageHeader& header, std::span<const std::byte> body,
                               DataPage& page) {
  if (leaf_.element.type == PhysicalType::kBoolean) return ReadBooleans(header, body, page);
  if (HoldsIndices(header.encoding)) {
    if (!has_dictionary_) return MakeError(ErrorCode::kCorrupt, "a page without its dictionary");
    return ReadIndices(body, page);
  }
  if (header.encoding != ParquetEncoding::kPlain) {
    FIRN_ASSIGN(body, Rewrite(header.encoding, body, page.value_count));
  }
  FIRN_RETURN_IF_ERROR(CheckPlain(body, page.value_count));
  FIRN_ASSIGN(page.plain, converter_->Convert(body, page.value_count, values_));
  return {};
}

Status ChunkReader::ReadIndices(std::span<const std::byte> body, DataPage& page) {
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

// Deltas and split byte streams as PLAIN.
Result<std::span<const std::byte>> ChunkReader::Rewrite(ParquetEncoding encoding,
                                                        std::span<const std::byte> body,
                                                        size_t count) {
  const SchemaElement& element = leaf_.element;
  const bool has_values = element.type == PhysicalType::kByteArray || ValueWidth(element) > 0;
  if (!IsRewritten(encoding) || element.type == PhysicalType::kInt96 || !has_values) {
    return UnsupportedEncoding(encoding);
  }
  if (count == 0) return std::span<const std::byte>();
  if (plain_.values == nullptr) {
    plain_ = {.values = MakeHeapStore(), .lengths = MakeHeapStore(), .bytes_max = page_bytes_max_};
  }
  const FlatLeaf leaf{.type = *element.type, .type_length = element.type_length};
  return ToPlain(encoding, leaf, body, count, plain_);
}

// Whether `count` values lie in `values`.
Status ChunkReader::CheckPlain(std::span<const std::byte> values, size_t count) const {
  const size_t width = ValueWidth(leaf_.element);
  if (width == 0) return CheckByteArrays(values, count);
  const bool fits = values.size() / width >= count;
  if (fits && IsPagePadding(values.subspan(count * width))) return {};
  return MakeError(ErrorCode::kCorrupt, "{} values of {} bytes in a page of {}", count, width,
                   values.size());
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
    const size_t needed = (page.value_count + 7) / 8;
    if (body.size() < needed || !IsPagePadding(body.subspan(needed))) {
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
