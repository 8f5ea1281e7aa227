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

}  // namespace

ChunkEncoder::ChunkEncoder(const LeafNode& leaf, ValueOrder order, const ChunkOptions& options,
                           const ValueDictionary* dictionary, PageCodec& codec)
    : leaf_(leaf),
      order_(order),
      options_(options),
      dictionary_(dictionary),
      codec_(codec),
      width_(ValueWidth(leaf.element)),
      index_bits_(dictionary == nullptr ? 0 : dictionary->index_bits()),
      page_rows_max_(std::clamp(options.page_rows, int64_t{1}, kPageValuesMax)),
      page_bytes_max_(std::clamp(options.page_bytes, int64_t{1}, kPageBytesMax)),
      page_bounds_(order),
      bounds_(order) {}

Result<int64_t> ChunkEncoder::RoomForRows() {
  const bool is_full = row_count_ >= page_rows_max_ || PageBytes() >= page_bytes_max_;
  if (is_full) FIRN_RETURN_IF_ERROR(EndPage());
  return page_rows_max_ - row_count_;
}

// Of the page being filled, before run lengths and compression make it smaller.
int64_t ChunkEncoder::PageBytes() const {
  const size_t level_bits =
      static_cast<size_t>(BitWidth(static_cast<uint64_t>(leaf_.max_definition_level)) +
                          BitWidth(static_cast<uint64_t>(leaf_.max_repetition_level)));
  const size_t bits =
      level_count_ * level_bits + indices_.size() * static_cast<size_t>(index_bits_);
  return static_cast<int64_t>(plain_.size() + bits / 8);
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
    if (definition.empty()) {
      definition_.insert(definition_.end(), count,
                         static_cast<uint8_t>(leaf_.max_definition_level));
    } else {
      definition_.insert(definition_.end(), definition.begin(), definition.end());
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

void ChunkEncoder::AddBytes(std::string_view value) {
  const auto length = static_cast<uint32_t>(value.size());
  std::byte* to = plain_.Grow(kPrefix + value.size());
  std::memcpy(to, &length, kPrefix);
  if (!value.empty()) std::memcpy(to + kPrefix, value.data(), value.size());
  page_bounds_.AddBytes(value);
}

void ChunkEncoder::AppendLevelRuns(std::span<const uint8_t> levels, int level_max) {
  if (level_max == 0) return;
  const size_t start = body_.size();
  (void)body_.Grow(kPrefix);
  EncodeRle(levels, BitWidth(static_cast<uint64_t>(level_max)), body_);
  const auto length = static_cast<uint32_t>(body_.size() - start - kPrefix);
  std::memcpy(body_.data() + start, &length, kPrefix);
}

void ChunkEncoder::AppendValues() {
  if (dictionary_ != nullptr) {
    *body_.Grow(1) = static_cast<std::byte>(index_bits_);
    EncodeRle(indices_, index_bits_, body_);
  } else if (order_ == ValueOrder::kBoolean) {
    const size_t bytes = (plain_.size() + 7) / 8;
    std::byte* to = body_.Grow(bytes);
    std::memset(to, 0, bytes);
    for (size_t i = 0; i < plain_.size(); ++i)
      to[i / 8] |= (plain_.data()[i] & std::byte{1}) << (i % 8);
  } else {
    body_.Append(plain_.span());
  }
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

Status ChunkEncoder::EndPage() {
  if (level_count_ == 0) return {};
  if (chunk_.pages.empty() && dictionary_ != nullptr) FIRN_RETURN_IF_ERROR(WriteDictionary());
  body_.Clear();
  AppendLevelRuns(repetition_, leaf_.max_repetition_level);
  AppendLevelRuns(definition_, leaf_.max_definition_level);
  AppendValues();
  if (dictionary_ != nullptr) FindIndexBounds();
  if (chunk_.pages.empty()) chunk_.metadata.data_page_offset = stored_bytes_;
  PageEntry entry{.offset = stored_bytes_,
                  .first_row = chunk_.row_count,
                  .null_count = static_cast<int64_t>(level_count_ - value_count_),
                  .has_values = value_count_ > 0,
                  .has_bounds = page_bounds_.has_value()};
  if (entry.has_bounds) {
    entry.min = page_bounds_.min();
    entry.max = page_bounds_.max();
  }
  const ParquetEncoding encoding =
      dictionary_ != nullptr ? ParquetEncoding::kRleDictionary : ParquetEncoding::kPlain;
  FIRN_RETURN_IF_ERROR(WritePage({.type = PageType::kData,
                                  .num_values = static_cast<int32_t>(level_count_),
                                  .encoding = encoding},
                                 body_.span()));
  entry.stored_bytes = static_cast<int32_t>(stored_bytes_ - entry.offset);
  chunk_.pages.push_back(std::move(entry));
  chunk_.row_count += row_count_;
  chunk_.metadata.num_values += static_cast<int64_t>(level_count_);
  bounds_.Merge(page_bounds_);
  page_bounds_ = ValueBounds(order_);
  definition_.clear();
  repetition_.clear();
  indices_.clear();
  plain_.Clear();
  level_count_ = value_count_ = 0;
  row_count_ = 0;
  return {};
}

Status ChunkEncoder::WriteDictionary() {
  chunk_.metadata.dictionary_page_offset = 0;
  return WritePage({.type = PageType::kDictionary,
                    .num_values = static_cast<int32_t>(dictionary_->size()),
                    .encoding = ParquetEncoding::kPlain},
                   dictionary_->plain());
}

Status ChunkEncoder::WritePage(const PageHeader& header, std::span<const std::byte> body) {
  PageBuffer compressed;
  std::swap(compressed, stored_);
  compressed.Clear();
  FIRN_RETURN_IF_ERROR(
      codec_.Compress(options_.codec, options_.compression_level, body, compressed));
  // Stored bytes are not much larger than the page, of which CheckRoom knows.
  if (std::max(body.size(), compressed.size()) > kPageBytesMax * size_t{4}) {
    return MakeError(ErrorCode::kUnsupported, "a page of {} bytes", body.size());
  }
  PageHeader full = header;
  full.uncompressed_size = static_cast<int32_t>(body.size());
  full.compressed_size = static_cast<int32_t>(compressed.size());
  full.crc = PageChecksum(compressed.span());
  const std::string head = FormatPageHeader(full);
  Buffer piece(head.size() + compressed.size());
  std::memcpy(piece.data(), head.data(), head.size());
  if (!compressed.empty()) {
    std::memcpy(piece.data() + head.size(), compressed.data(), compressed.size());
  }
  std::swap(compressed, stored_);
  stored_bytes_ += static_cast<int64_t>(piece.size());
  chunk_.metadata.total_uncompressed_size += static_cast<int64_t>(head.size() + body.size());
  chunk_.pieces.push_back(std::move(piece));
  return {};
}

Result<EncodedChunk> ChunkEncoder::Finish() {
  FIRN_RETURN_IF_ERROR(EndPage());
  FillMetadata();
  return std::move(chunk_);
}

void ChunkEncoder::FillMetadata() {
  ColumnChunk& metadata = chunk_.metadata;
  metadata.type = *leaf_.element.type;
  metadata.path_in_schema = leaf_.path;
  metadata.codec = options_.codec;
  metadata.total_compressed_size = stored_bytes_;
  const auto pages = static_cast<int32_t>(chunk_.pages.size());
  if (dictionary_ != nullptr) {
    metadata.encodings = {ParquetEncoding::kPlain, ParquetEncoding::kRle,
                          ParquetEncoding::kRleDictionary};
    metadata.encoding_stats = {
        {static_cast<int32_t>(PageType::kDictionary), ParquetEncoding::kPlain, 1},
        {static_cast<int32_t>(PageType::kData), ParquetEncoding::kRleDictionary, pages}};
  } else {
    metadata.encodings = {ParquetEncoding::kPlain, ParquetEncoding::kRle};
    metadata.encoding_stats = {
        {static_cast<int32_t>(PageType::kData), ParquetEncoding::kPlain, pages}};
  }
  int64_t nulls = 0;
  for (const PageEntry& page : chunk_.pages)
    nulls += page.null_count;
  metadata.statistics.null_count = nulls;
  chunk_.nan_count = bounds_.nan_count();
  if (!bounds_.has_value()) return;
  chunk_.min = bounds_.min();
  chunk_.max = bounds_.max();
  if (chunk_.min->size() <= kStatisticsBytesMax) {
    metadata.statistics.min_value = chunk_.min;
    metadata.statistics.is_min_exact = true;
  }
  if (chunk_.max->size() <= kStatisticsBytesMax) {
    metadata.statistics.max_value = chunk_.max;
    metadata.statistics.is_max_exact = true;
  }
}

}  // namespace firn
