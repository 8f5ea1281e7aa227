#include "firn/parquet/file_output.h"

#include <algorithm>
#include <utility>

#include "firn/parquet/thrift_compact_internal.h"

namespace firn {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr int32_t kFormatVersion = 1;
constexpr size_t kFooterBytesMax = size_t{1} << 30;

std::string FormatOffsetIndex(const std::vector<PageEntry>& pages, int64_t chunk_offset) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  out.BeginList(1, ThriftType::kStruct, pages.size());
  for (const PageEntry& page : pages) {
    const int16_t inner = out.EnterStruct();
    out.WriteI64(1, chunk_offset + page.offset);
    out.WriteI32(2, page.stored_bytes);
    out.WriteI64(3, page.first_row);
    out.LeaveStruct(inner);
  }
  out.LeaveStruct(outer);
  return out.Take();
}

// A page whose values are all NaN, or NaN and nulls, has no bounds that the index could tell, and
// must not be told as one of nulls.
bool CanIndex(const std::vector<PageEntry>& pages) {
  return std::all_of(pages.begin(), pages.end(), [](const PageEntry& page) {
    if (!page.has_bounds) return !page.has_values;
    return !page.has_long_bounds;
  });
}

std::string FormatColumnIndex(const std::vector<PageEntry>& pages) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  out.BeginList(1, ThriftType::kTrue, pages.size());
  for (const PageEntry& page : pages)
    out.WriteElement(!page.has_values);
  out.BeginList(2, ThriftType::kBinary, pages.size());
  for (const PageEntry& page : pages)
    out.WriteElement(std::string_view(page.min));
  out.BeginList(3, ThriftType::kBinary, pages.size());
  for (const PageEntry& page : pages)
    out.WriteElement(std::string_view(page.max));
  out.WriteI32(4, 0);  // In no order that readers may rely on.
  out.BeginList(5, ThriftType::kI64, pages.size());
  for (const PageEntry& page : pages)
    out.WriteElement(page.null_count);
  out.LeaveStruct(outer);
  return out.Take();
}

}  // namespace

ParquetFileOutput::ParquetFileOutput(FileFooter footer, Sink sink)
    : footer_(std::move(footer)), sink_(std::move(sink)) {
  footer_.version = kFormatVersion;
  footer_.num_rows = 0;
  footer_.row_groups.clear();
  leaf_count_ = static_cast<size_t>(
      std::count_if(footer_.schema.begin(), footer_.schema.end(),
                    [](const SchemaElement& element) { return element.type.has_value(); }));
}

Status ParquetFileOutput::Start() { return bytes_written_ > 0 ? Status() : Write(AsBytes(kMagic)); }

Status ParquetFileOutput::Write(std::span<const std::byte> bytes) {
  bytes_written_ += static_cast<int64_t>(bytes.size());
  return sink_(bytes);
}

void ParquetFileOutput::BeginRowGroup(int64_t rows) {
  footer_.row_groups.push_back({.num_rows = rows});
  footer_.num_rows += rows;
  pages_.emplace_back();
}

Status ParquetFileOutput::Append(EncodedChunk chunk) {
  FIRN_RETURN_IF_ERROR(Start());
  RowGroup& group = footer_.row_groups.back();
  if (chunk.row_count != group.num_rows) {
    return MakeError(ErrorCode::kInternal, "column {} has {} rows, its row group {}",
                     group.columns.size(), chunk.row_count, group.num_rows);
  }
  const int64_t offset = bytes_written_;
  for (const Buffer& piece : chunk.pieces)
    FIRN_RETURN_IF_ERROR(Write(piece.span()));
  ColumnChunk metadata = std::move(chunk.metadata);
  metadata.data_page_offset += offset;
  if (metadata.dictionary_page_offset) *metadata.dictionary_page_offset += offset;
  group.total_byte_size += metadata.total_uncompressed_size;
  group.columns.push_back(std::move(metadata));
  pages_.back().push_back(
      {std::move(chunk.pages), std::move(chunk.column_index), chunk.has_bounds});
  bloom_filters_.push_back(std::move(chunk.bloom_filter));
  return group.columns.size() == leaf_count_ ? WriteBloomFilters() : Status();
}

Status ParquetFileOutput::WriteBloomFilters() {
  for (size_t leaf = 0; leaf < bloom_filters_.size(); ++leaf) {
    const std::string& filter = bloom_filters_[leaf];
    if (filter.empty()) continue;
    footer_.row_groups.back().columns[leaf].bloom_filter =
        ByteRange{bytes_written_, static_cast<int64_t>(filter.size())};
    FIRN_RETURN_IF_ERROR(Write(AsBytes(filter)));
  }
  bloom_filters_.clear();
  return {};
}

Status ParquetFileOutput::WriteIndexes() {
  for (size_t i = 0; i < footer_.row_groups.size(); ++i) {
    for (size_t j = 0; j < pages_[i].size(); ++j) {
      const ChunkPages& chunk = pages_[i][j];
      if (chunk.pages.empty() || !chunk.has_bounds) continue;
      if (!chunk.column_index && !CanIndex(chunk.pages)) continue;
      const std::string index =
          chunk.column_index ? *chunk.column_index : FormatColumnIndex(chunk.pages);
      footer_.row_groups[i].columns[j].column_index =
          ByteRange{bytes_written_, static_cast<int64_t>(index.size())};
      FIRN_RETURN_IF_ERROR(Write(AsBytes(index)));
    }
  }
  for (size_t i = 0; i < footer_.row_groups.size(); ++i) {
    for (size_t j = 0; j < pages_[i].size(); ++j) {
      ColumnChunk& chunk = footer_.row_groups[i].columns[j];
      if (pages_[i][j].pages.empty()) continue;
      const std::string index = FormatOffsetIndex(pages_[i][j].pages, chunk.start_offset());
      chunk.offset_index = ByteRange{bytes_written_, static_cast<int64_t>(index.size())};
      FIRN_RETURN_IF_ERROR(Write(AsBytes(index)));
    }
  }
  return {};
}

Status ParquetFileOutput::Finish() {
  FIRN_RETURN_IF_ERROR(Start());
  for (const RowGroup& group : footer_.row_groups) {
    if (group.columns.size() == leaf_count_) continue;
    return MakeError(ErrorCode::kInternal, "a row group has {} of {} columns", group.columns.size(),
                     leaf_count_);
  }
  FIRN_RETURN_IF_ERROR(WriteIndexes());
  const std::string footer = FormatFooter(footer_);
  FIRN_RETURN_IF_ERROR(Write(AsBytes(footer)));
  if (footer.size() > kFooterBytesMax) {
    return MakeError(ErrorCode::kUnsupported, "a footer of {} bytes, expected at most {}",
                     footer.size(), kFooterBytesMax);
  }
  const auto length = static_cast<uint32_t>(footer.size());
  FIRN_RETURN_IF_ERROR(Write({reinterpret_cast<const std::byte*>(&length), sizeof(length)}));
  return Write(AsBytes(kMagic));
}

}  // namespace firn
