#include "firn/parquet/chunk_copy.h"

#include <utility>

#include "firn/parquet/compression_internal.h"
#include "firn/parquet/page_header_internal.h"
#include "firn/parquet/thrift_compact_internal.h"
#include "firn/parquet/value_conversion_internal.h"

namespace firn {
namespace {

// The data pages of a chunk, by their headers.
Result<std::vector<PageEntry>> FindPages(std::span<const std::byte> bytes,
                                         const ColumnChunk& chunk) {
  std::vector<PageEntry> pages;
  int64_t values = 0;
  size_t position = 0;
  while (position < bytes.size()) {
    FIRN_ASSIGN(const ParsedPageHeader parsed, ParsePageHeader(bytes.subspan(position)));
    const size_t stored = parsed.header_bytes + static_cast<size_t>(parsed.header.compressed_size);
    if (stored > bytes.size() - position) {
      return MakeError(ErrorCode::kCorrupt, "a page is longer than its column chunk");
    }
    if (stored > static_cast<size_t>(kPageBytesMax)) {
      return MakeError(ErrorCode::kUnsupported, "a page of {} bytes", stored);
    }
    FIRN_RETURN_IF_ERROR(CheckChecksum(
        parsed.header, bytes.subspan(position).first(stored).subspan(parsed.header_bytes)));
    const PageType type = parsed.header.type;
    if (type == PageType::kData || type == PageType::kDataV2) {
      pages.push_back({.offset = static_cast<int64_t>(position),
                       .stored_bytes = static_cast<int32_t>(stored),
                       .first_row = values});
      values += parsed.header.num_values;
    }
    position += stored;
  }
  if (values != chunk.num_values) {
    return MakeError(ErrorCode::kCorrupt, "the pages hold {} values, the footer tells {}", values,
                     chunk.num_values);
  }
  return pages;
}

// How many pages an encoded ColumnIndex has bounds of.
Result<size_t> CountIndexedPages(std::string_view column_index) {
  ThriftReader in(AsBytes(column_index));
  size_t pages = 0;
  (void)in.EnterStruct();
  for (ThriftField field = in.NextField(); !field.is_stop(); field = in.NextField()) {
    if (field.id == 1 && field.type == ThriftType::kList) {
      const ThriftList null_pages = in.ReadList();
      pages = null_pages.size;
      for (uint32_t i = 0; i < null_pages.size; ++i)
        in.Skip(ThriftType::kByte);
    } else {
      in.Skip(field.type);
    }
  }
  FIRN_RETURN_IF_ERROR(in.status(), "column index");
  return pages;
}

}  // namespace

bool CanCopyChunk(const FileFooter& file, const LeafNode& from, const ColumnChunk& chunk,
                  const LeafNode& to, ParquetCodec codec) {
  const bool is_float = chunk.type == PhysicalType::kFloat || chunk.type == PhysicalType::kDouble;
  if (chunk.codec != codec || from.repetitions != to.repetitions || is_float) return false;
  if (FindConversion(from.element, to.element) != ValueConversion::kNone) return false;
  const ChunkStatistics& statistics = chunk.statistics;
  if (!statistics.null_count || !file.has_column_orders) return false;
  if (!statistics.is_min_exact.value_or(true) || !statistics.is_max_exact.value_or(true)) {
    return false;
  }
  const bool has_values = *statistics.null_count < chunk.num_values;
  return !has_values || (statistics.min_value && statistics.max_value);
}

Result<EncodedChunk> CopyChunk(const ChunkInput& input, const LeafNode& to, Buffer bytes,
                               std::string column_index) {
  FIRN_ASSIGN(std::vector<PageEntry> pages, FindPages(bytes.span(), *input.chunk));
  const bool is_flat = to.max_repetition_level == 0;
  if (is_flat && input.chunk->num_values != input.row_count) {
    return MakeError(ErrorCode::kCorrupt, "the pages hold {} values of {} rows",
                     input.chunk->num_values, input.row_count);
  }
  EncodedChunk copy{.metadata = *input.chunk,
                    .row_count = input.row_count,
                    .null_count = *input.chunk->statistics.null_count};
  const int64_t start = input.chunk->start_offset();
  ColumnChunk& metadata = copy.metadata;
  metadata.path_in_schema = to.path;
  if (metadata.dictionary_page_offset) {
    const bool has_dictionary = start == *metadata.dictionary_page_offset;
    metadata.dictionary_page_offset = has_dictionary ? std::optional<int64_t>(0) : std::nullopt;
  }
  metadata.data_page_offset -= start;
  metadata.column_index = std::nullopt;
  metadata.offset_index = std::nullopt;
  if (*metadata.statistics.null_count < metadata.num_values) {
    copy.min = metadata.statistics.min_value;
    copy.max = metadata.statistics.max_value;
  }
  // Where lists are, page headers do not tell which rows a page has.
  if (is_flat && !column_index.empty()) {
    FIRN_ASSIGN(const size_t indexed, CountIndexedPages(column_index));
    // An index of other pages would let readers pass over rows.
    if (indexed == pages.size()) {
      copy.pages = std::move(pages);
      copy.column_index = std::move(column_index);
    }
  }
  copy.pieces.push_back(std::move(bytes));
  return copy;
}

}  // namespace firn
