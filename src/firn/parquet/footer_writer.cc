#include <limits>

#include "firn/parquet/footer.h"
#include "firn/parquet/footer_checksum_internal.h"
#include "firn/parquet/thrift_compact_internal.h"

namespace firn {
namespace {

void WriteStatistics(const ChunkStatistics& statistics, ThriftWriter& out) {
  if (!statistics.null_count && !statistics.min_value && !statistics.max_value) return;
  out.BeginStructField(12);
  const int16_t outer = out.EnterStruct();
  if (statistics.null_count) out.WriteI64(3, *statistics.null_count);
  if (statistics.max_value) out.WriteBinary(5, *statistics.max_value);
  if (statistics.min_value) out.WriteBinary(6, *statistics.min_value);
  if (statistics.is_max_exact) out.WriteBool(7, *statistics.is_max_exact);
  if (statistics.is_min_exact) out.WriteBool(8, *statistics.is_min_exact);
  out.LeaveStruct(outer);
}

void WriteChunkMetadata(const ColumnChunk& chunk, ThriftWriter& out) {
  out.BeginStructField(3);
  const int16_t outer = out.EnterStruct();
  out.WriteI32(1, static_cast<int32_t>(chunk.type));
  out.BeginList(2, ThriftType::kI32, chunk.encodings.size());
  for (const ParquetEncoding encoding : chunk.encodings)
    out.WriteElement(static_cast<int32_t>(encoding));
  out.BeginList(3, ThriftType::kBinary, chunk.path_in_schema.size());
  for (const std::string& name : chunk.path_in_schema)
    out.WriteElement(std::string_view(name));
  out.WriteI32(4, static_cast<int32_t>(chunk.codec));
  out.WriteI64(5, chunk.num_values);
  out.WriteI64(6, chunk.total_uncompressed_size);
  out.WriteI64(7, chunk.total_compressed_size);
  out.WriteI64(9, chunk.data_page_offset);
  if (chunk.dictionary_page_offset) out.WriteI64(11, *chunk.dictionary_page_offset);
  WriteStatistics(chunk.statistics, out);
  if (!chunk.encoding_stats.empty()) {
    out.BeginList(13, ThriftType::kStruct, chunk.encoding_stats.size());
    for (const PageEncodingStats& stats : chunk.encoding_stats) {
      const int16_t inner = out.EnterStruct();
      out.WriteI32(1, stats.page_type);
      out.WriteI32(2, static_cast<int32_t>(stats.encoding));
      out.WriteI32(3, stats.count);
      out.LeaveStruct(inner);
    }
  }
  if (chunk.bloom_filter) {
    out.WriteI64(14, chunk.bloom_filter->offset);
    out.WriteI32(15, static_cast<int32_t>(chunk.bloom_filter->length));
  }
  out.LeaveStruct(outer);
}

void WriteChunk(const ColumnChunk& chunk, ThriftWriter& out) {
  const int16_t outer = out.EnterStruct();
  out.WriteI64(2, 0);  // Where the metadata stands apart; nobody writes it there any more.
  WriteChunkMetadata(chunk, out);
  if (chunk.offset_index) {
    out.WriteI64(4, chunk.offset_index->offset);
    out.WriteI32(5, static_cast<int32_t>(chunk.offset_index->length));
  }
  if (chunk.column_index) {
    out.WriteI64(6, chunk.column_index->offset);
    out.WriteI32(7, static_cast<int32_t>(chunk.column_index->length));
  }
  out.LeaveStruct(outer);
}

void WriteRowGroup(const RowGroup& group, size_t ordinal, ThriftWriter& out) {
  const int16_t outer = out.EnterStruct();
  out.BeginList(1, ThriftType::kStruct, group.columns.size());
  uint64_t compressed = 0;  // Wraps for sizes that cannot be.
  for (const ColumnChunk& chunk : group.columns) {
    compressed += static_cast<uint64_t>(chunk.total_compressed_size);
    WriteChunk(chunk, out);
  }
  out.WriteI64(2, group.total_byte_size);
  out.WriteI64(3, group.num_rows);
  if (!group.columns.empty()) out.WriteI64(5, group.columns[0].start_offset());
  out.WriteI64(6, static_cast<int64_t>(compressed));
  if (ordinal <= static_cast<size_t>(std::numeric_limits<int16_t>::max())) {
    out.WriteField(ThriftType::kI16, 7);
    out.WriteElement(static_cast<int32_t>(ordinal));
  }
  out.LeaveStruct(outer);
}

void WriteKeyValue(std::string_view key, std::optional<std::string_view> value, ThriftWriter& out) {
  const int16_t outer = out.EnterStruct();
  out.WriteBinary(1, key);
  if (value) out.WriteBinary(2, *value);
  out.LeaveStruct(outer);
}

// The last is the checksum, where this is a footer of firn.
void WriteKeyValues(const FileFooter& footer, ThriftWriter& out) {
  const bool has_checksum = IsFooterWriter(footer.created_by);
  const size_t size = footer.key_value_metadata.size() + (has_checksum ? 1 : 0);
  if (size == 0) return;
  out.BeginList(5, ThriftType::kStruct, size);
  for (const auto& [key, value] : footer.key_value_metadata)
    WriteKeyValue(key, value, out);
  if (has_checksum) WriteKeyValue(kFooterChecksumKey, kFooterChecksumBlank, out);
}

}  // namespace

std::string FormatFooter(const FileFooter& footer) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  out.WriteI32(1, footer.version);
  out.BeginList(2, ThriftType::kStruct, footer.schema.size());
  size_t leaves = 0;
  for (const SchemaElement& element : footer.schema) {
    out.WriteRaw(element.raw);
    if (element.type) ++leaves;
  }
  out.WriteI64(3, footer.num_rows);
  out.BeginList(4, ThriftType::kStruct, footer.row_groups.size());
  for (size_t i = 0; i < footer.row_groups.size(); ++i)
    WriteRowGroup(footer.row_groups[i], i, out);
  WriteKeyValues(footer, out);
  out.WriteBinary(6, footer.created_by);
  // Minima and maxima are in the order of each type.
  out.BeginList(7, ThriftType::kStruct, leaves);
  for (size_t i = 0; i < leaves; ++i) {
    const int16_t inner = out.EnterStruct();
    out.BeginStructField(1);
    out.LeaveStruct(out.EnterStruct());
    out.LeaveStruct(inner);
  }
  out.LeaveStruct(outer);
  std::string bytes = out.Take();
  SealFooter(bytes);
  return bytes;
}

}  // namespace firn
