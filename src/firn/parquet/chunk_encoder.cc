#include <algorithm>
#include <cstring>
#include <utility>

#include "firn/parquet/chunk_encoder_internal.h"
#include "firn/parquet/rle_internal.h"

namespace firn {
namespace {

constexpr size_t kPrefix = sizeof(uint32_t);
// Larger minima and maxima are left out of the footer and of the page index.
constexpr size_t kStatisticsBytesMax = 4096;

// What a page gets beyond its limits: the rest of a row.
constexpr size_t kPageSlack = 2;
// Buffers stay for the next page unless they are larger than this, and than pages should be.
constexpr size_t kIdleBytesMax = size_t{4} << 20;
// Room for levels in front of large values, which are not moved to another buffer.
constexpr size_t kLevelRoom = size_t{64} << 10;

}  // namespace

ChunkEncoder::ChunkEncoder(const LeafNode& leaf, ValueOrder order, const ChunkOptions& options,
                           const ValueDictionary* dictionary, DictionaryState state)
    : leaf_(leaf),
      order_(order),
      options_(options),
      dictionary_(dictionary),
      state_(state),
      uses_dictionary_(dictionary != nullptr),
      width_(ValueWidth(leaf.element)),
      page_rows_max_(std::clamp(options.page_rows, int64_t{1}, kPageValuesMax)),
      page_bytes_max_(std::clamp(options.page_bytes, int64_t{1}, kPageBytesMax)),
      idle_bytes_max_(std::max(kIdleBytesMax, 2 * static_cast<size_t>(page_bytes_max_))),
      page_bounds_(order),
      bounds_(order) {}

Result<int64_t> ChunkEncoder::RoomForRows() {
  if (IsPageFull()) FIRN_RETURN_IF_ERROR(EndPage());
  return page_rows_max_ - row_count_;
}

// Of the page being filled, before run lengths and compression make it smaller.
int64_t ChunkEncoder::PageBytes() const {
  const size_t level_bits =
      static_cast<size_t>(BitWidth(static_cast<uint64_t>(leaf_.max_definition_level)) +
                          BitWidth(static_cast<uint64_t>(leaf_.max_repetition_level)));
  const size_t index_bits =
      indices_.empty() ? 0 : static_cast<size_t>(dictionary_->index_bits()) * indices_.size();
  return static_cast<int64_t>(plain_.size() + (level_count_ * level_bits + index_bits) / 8);
}

int64_t ChunkEncoder::held_bytes() const {
  return stored_bytes_ +
         static_cast<int64_t>(definition_.capacity() + repetition_.capacity() +
                              indices_.capacity() * sizeof(uint32_t) + plain_.capacity() +
                              body_.capacity() + stored_.capacity());
}

Status ChunkEncoder::CheckRoom(size_t levels, size_t value_bytes) const {
  if (level_count_ + levels <= kPageSlack * static_cast<size_t>(kPageValuesMax) &&
      plain_.size() + value_bytes <= kPageSlack * static_cast<size_t>(kPageBytesMax)) {
    return {};
  }
  return MakeError(ErrorCode::kUnsupported, "a page of {} levels and {} bytes",
                   level_count_ + levels, plain_.size() + value_bytes);
}

void ChunkEncoder::AddLevels(size_t count, std::span<const uint8_t> definition,
                             std::span<const uint8_t> repetition, size_t value_count) {
  if (leaf_.max_definition_level > 0) {
    const auto defined = static_cast<uint8_t>(leaf_.max_definition_level);
    if (!definition.empty()) {
      if (definition_.size() < level_count_) definition_.resize(level_count_, defined);
      definition_.insert(definition_.end(), definition.begin(), definition.end());
    } else if (!definition_.empty()) {
      definition_.resize(level_count_ + count, defined);
    }
  }
  if (leaf_.max_repetition_level > 0) {
    repetition_.insert(repetition_.end(), repetition.begin(), repetition.end());
    row_count_ += std::count(repetition.begin(), repetition.end(), uint8_t{0});
  } else {
    row_count_ += static_cast<int64_t>(count);
  }
  level_count_ += count;
  value_count_ += value_count;
}

void ChunkEncoder::AddIndices(std::span<const uint32_t> numbers) {
  indices_.insert(indices_.end(), numbers.begin(), numbers.end());
}

void ChunkEncoder::AddFixed(const std::byte* values, size_t count) {
  plain_.Append({values, count * width_});
  page_bounds_.AddFixed(values, count, width_);
}

void ChunkEncoder::AppendPlain(std::string_view value) {
  const auto length = static_cast<uint32_t>(value.size());
  if (value.size() > idle_bytes_max_) {
    plain_.Reserve(plain_.size() + kPrefix + value.size() + kLevelRoom);
  }
  std::byte* to = plain_.Grow(kPrefix + value.size());
  std::memcpy(to, &length, kPrefix);
  if (!value.empty()) std::memcpy(to + kPrefix, value.data(), value.size());
}

void ChunkEncoder::AddBytes(std::string_view value) {
  AppendPlain(value);
  page_bounds_.AddBytes(value);
}

// Returns the bytes of the levels themselves.
size_t ChunkEncoder::AppendLevelRuns(std::span<const uint8_t> levels, int level_max) {
  if (level_max == 0) return 0;
  const size_t prefix = is_version_2() ? 0 : kPrefix;
  const size_t start = body_.size();
  (void)body_.Grow(prefix);
  const int bits = BitWidth(static_cast<uint64_t>(level_max));
  if (levels.empty()) {
    EncodeRun(static_cast<uint32_t>(level_max), level_count_, bits, body_);
  } else {
    EncodeRle(levels, bits, body_);
  }
  const size_t bytes = body_.size() - start - prefix;
  const auto length = static_cast<uint32_t>(bytes);
  std::memcpy(body_.data() + start, &length, prefix);
  return bytes;
}

void ChunkEncoder::AppendValues() {
  if (uses_dictionary_) {
    const int bits = dictionary_->index_bits();
    *body_.Grow(1) = static_cast<std::byte>(bits);
    EncodeRle(indices_, bits, body_);
  } else if (order_ == ValueOrder::kBoolean) {
    const size_t bytes = (plain_.size() + 7) / 8;
    std::byte* to = body_.Grow(bytes);
    std::memset(to, 0, bytes);
    for (size_t i = 0; i < plain_.size(); ++i)
      to[i / 8] |= (plain_.data()[i] & std::byte{1}) << (i % 8);
  } else if (plain_.size() > idle_bytes_max_) {
    TakeOverValues();
  } else {
    body_.Append(plain_.span());
  }
}

// Levels go in front of large values, rather than these behind levels: there is no second copy.
void ChunkEncoder::TakeOverValues() {
  const size_t levels = body_.size();
  const size_t values = plain_.size();
  (void)plain_.Grow(levels);
  std::memmove(plain_.data() + levels, plain_.data(), values);
  if (levels > 0) std::memcpy(plain_.data(), body_.data(), levels);
  std::swap(plain_, body_);
}

Status ChunkEncoder::LeaveDictionary() {
  if (dictionary_pages_ > 0) {
    FIRN_RETURN_IF_ERROR(EndPage());
  } else {
    for (const uint32_t index : indices_) {
      const std::string_view value = dictionary_->At(index);
      if (width_ == 0)
        AppendPlain(value);
      else
        plain_.Append(AsBytes(value));
    }
    indices_.clear();
  }
  uses_dictionary_ = false;
  return {};
}

// The dictionary is sorted, with NaN at its end.
void ChunkEncoder::FindIndexBounds() {
  uint32_t least = UINT32_MAX;
  uint32_t greatest = 0;
  if (dictionary_->nan_begin() == dictionary_->size()) {
    for (const uint32_t index : indices_) {
      least = std::min(least, index);
      greatest = std::max(greatest, index);
    }
  } else {
    int64_t nans = 0;
    for (const uint32_t index : indices_) {
      if (index >= dictionary_->nan_begin()) {
        ++nans;
        continue;
      }
      least = std::min(least, index);
      greatest = std::max(greatest, index);
    }
    page_bounds_.AddNan(nans);
  }
  if (least <= greatest) page_bounds_.AddRange(dictionary_->At(least), dictionary_->At(greatest));
}

// Levels and values as they stand in the page, which `header` is told of.
void ChunkEncoder::AppendPage(PageHeader& header) {
  body_.Clear();
  const size_t repetition = leaf_.max_repetition_level == 0
                                ? 0
                                : AppendLevelRuns(repetition_, leaf_.max_repetition_level);
  const size_t definition = AppendLevelRuns(definition_, leaf_.max_definition_level);
  AppendValues();
  header.type = is_version_2() ? PageType::kDataV2 : PageType::kData;
  header.num_values = static_cast<int32_t>(level_count_);
  header.encoding = uses_dictionary_ ? ParquetEncoding::kRleDictionary : ParquetEncoding::kPlain;
  header.null_count = static_cast<int32_t>(level_count_ - value_count_);
  header.row_count = static_cast<int32_t>(row_count_);
  header.definition_bytes = static_cast<int32_t>(definition);
  header.repetition_bytes = static_cast<int32_t>(repetition);
}

Status ChunkEncoder::EndPage() {
  if (level_count_ == 0) return {};
  const bool is_first = chunk_.pages.empty();
  const bool is_sorted = uses_dictionary_ && state_ == DictionaryState::kSorted;
  if (is_first && is_sorted) FIRN_RETURN_IF_ERROR(WriteDictionary());
  PageHeader header;
  AppendPage(header);
  if (is_sorted) FindIndexBounds();
  if (is_first) chunk_.metadata.data_page_offset = stored_bytes_;
  const int64_t offset = stored_bytes_;
  const size_t levels = is_version_2() ? static_cast<size_t>(header.definition_bytes) +
                                             static_cast<size_t>(header.repetition_bytes)
                                       : 0;
  FIRN_RETURN_IF_ERROR(WritePage(header, levels));
  AddEntry(offset);
  if (uses_dictionary_) ++dictionary_pages_;
  chunk_.row_count += row_count_;
  chunk_.metadata.num_values += static_cast<int64_t>(level_count_);
  bounds_.Merge(page_bounds_);
  ClearPage();
  return {};
}

// The page that begins at `offset` for the page index.
void ChunkEncoder::AddEntry(int64_t offset) {
  PageEntry entry{.offset = offset,
                  .stored_bytes = static_cast<int32_t>(stored_bytes_ - offset),
                  .first_row = chunk_.row_count,
                  .null_count = static_cast<int64_t>(level_count_ - value_count_),
                  .has_values = value_count_ > 0,
                  .has_bounds = page_bounds_.has_value()};
  if (entry.has_bounds) {
    entry.min = page_bounds_.min();
    entry.max = page_bounds_.max();
    entry.has_long_bounds =
        entry.min.size() > kStatisticsBytesMax || entry.max.size() > kStatisticsBytesMax;
    if (entry.has_long_bounds) {
      entry.min = std::string();
      entry.max = std::string();
    }
  }
  chunk_.pages.push_back(std::move(entry));
}

void ChunkEncoder::ClearPage() {
  page_bounds_ = ValueBounds(order_);
  definition_.clear();
  repetition_.clear();
  indices_.clear();
  plain_.Clear();
  for (PageBuffer* buffer : {&plain_, &body_, &stored_})
    buffer->DropIfAbove(idle_bytes_max_);
  level_count_ = value_count_ = 0;
  row_count_ = 0;
}

// In front of the pages, of which a growing dictionary has some already.
Status ChunkEncoder::WriteDictionary() {
  FIRN_ASSIGN(Buffer piece, MakePage({.type = PageType::kDictionary,
                                      .num_values = static_cast<int32_t>(dictionary_->size()),
                                      .encoding = ParquetEncoding::kPlain},
                                     0, dictionary_->plain(), nullptr));
  const auto bytes = static_cast<int64_t>(piece.size());
  for (PageEntry& page : chunk_.pages)
    page.offset += bytes;
  chunk_.metadata.data_page_offset += bytes;
  chunk_.metadata.dictionary_page_offset = 0;
  stored_bytes_ += bytes;
  chunk_.pieces.insert(chunk_.pieces.begin(), std::move(piece));
  return {};
}

Result<Buffer> ChunkEncoder::MakePage(PageHeader header, size_t levels,
                                      std::span<const std::byte> body, PageBuffer* owner) {
  PageBuffer compressed;
  std::swap(compressed, stored_);
  compressed.Clear();
  compressed.Append(body.first(levels));
  FIRN_RETURN_IF_ERROR(codec_->Compress(options_.codec, options_.compression_level,
                                        body.subspan(levels), compressed));
  // Stored bytes are not much larger than the page, of which CheckRoom knows.
  if (std::max(body.size(), compressed.size()) > kPageBytesMax * size_t{4}) {
    return MakeError(ErrorCode::kUnsupported, "a page of {} bytes", body.size());
  }
  const size_t plain_bytes = body.size();
  if (owner != nullptr) owner->DropIfAbove(idle_bytes_max_);
  header.uncompressed_size = static_cast<int32_t>(plain_bytes);
  header.compressed_size = static_cast<int32_t>(compressed.size());
  header.crc = PageChecksum(compressed.span());
  const std::string head = FormatPageHeader(header);
  Buffer piece(head.size() + compressed.size());
  std::memcpy(piece.data(), head.data(), head.size());
  if (!compressed.empty()) {
    std::memcpy(piece.data() + head.size(), compressed.data(), compressed.size());
  }
  std::swap(compressed, stored_);
  chunk_.metadata.total_uncompressed_size += static_cast<int64_t>(head.size() + plain_bytes);
  return piece;
}

Status ChunkEncoder::WritePage(const PageHeader& header, size_t levels) {
  FIRN_ASSIGN(Buffer piece, MakePage(header, levels, body_.span(), &body_));
  stored_bytes_ += static_cast<int64_t>(piece.size());
  chunk_.pieces.push_back(std::move(piece));
  return {};
}

Result<EncodedChunk> ChunkEncoder::Finish() {
  FIRN_RETURN_IF_ERROR(EndPage());
  if (dictionary_pages_ > 0 && state_ == DictionaryState::kGrowing) {
    FIRN_RETURN_IF_ERROR(WriteDictionary());
  }
  FillMetadata();
  return std::move(chunk_);
}

void ChunkEncoder::FillMetadata() {
  ColumnChunk& metadata = chunk_.metadata;
  metadata.type = *leaf_.element.type;
  metadata.path_in_schema = leaf_.path;
  metadata.codec = options_.codec;
  metadata.total_compressed_size = stored_bytes_;
  FillEncodings();
  chunk_.nan_count = bounds_.nan_count();
  if (bounds_.has_value()) {
    chunk_.min = bounds_.min();
    chunk_.max = bounds_.max();
  }
  chunk_.has_bounds = options_.has_statistics;
  for (const PageEntry& page : chunk_.pages)
    chunk_.null_count += page.null_count;
  if (options_.has_statistics) FillStatistics();
}

void ChunkEncoder::FillEncodings() {
  ColumnChunk& metadata = chunk_.metadata;
  const auto plain_pages = static_cast<int32_t>(chunk_.pages.size()) - dictionary_pages_;
  const auto type = static_cast<int32_t>(is_version_2() ? PageType::kDataV2 : PageType::kData);
  metadata.encodings = {ParquetEncoding::kPlain, ParquetEncoding::kRle};
  if (dictionary_pages_ > 0) {
    metadata.encodings.push_back(ParquetEncoding::kRleDictionary);
    metadata.encoding_stats = {
        {static_cast<int32_t>(PageType::kDictionary), ParquetEncoding::kPlain, 1},
        {type, ParquetEncoding::kRleDictionary, dictionary_pages_}};
  }
  if (plain_pages > 0 || dictionary_pages_ == 0) {
    metadata.encoding_stats.push_back({type, ParquetEncoding::kPlain, plain_pages});
  }
}

void ChunkEncoder::FillStatistics() {
  ChunkStatistics& statistics = chunk_.metadata.statistics;
  statistics.null_count = chunk_.null_count;
  if (chunk_.min && chunk_.min->size() <= kStatisticsBytesMax) {
    statistics.min_value = chunk_.min;
    statistics.is_min_exact = true;
  }
  if (chunk_.max && chunk_.max->size() <= kStatisticsBytesMax) {
    statistics.max_value = chunk_.max;
    statistics.is_max_exact = true;
  }
}

}  // namespace firn
