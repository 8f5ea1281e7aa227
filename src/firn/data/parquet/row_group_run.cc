#include <algorithm>

#include <parquet/schema.h>
#include <parquet/size_statistics.h>
#include <parquet/types.h>

#include "firn/data/parquet/row_group_run_internal.h"
#include "firn/parquet/page_sizes.h"

// What reading a row group takes: the stored chunks (or a buffer of each, where the row group is
// too large to hold), a page of each column with its dictionary, and the batches in flight. A
// footer tells the chunks only. Pages of small chunks are taken to be as large as writers make
// them; those of others are measured, since one value may be as large as a whole chunk.

namespace firn {
namespace {

constexpr int64_t kBatchRowsMin = 1;
constexpr int64_t kStreamBufferBytesMax = int64_t{256} << 10;
constexpr int64_t kStreamBufferBytesMin = int64_t{4} << 10;
// Data pages and dictionaries of all common writers end at this size unless told otherwise.
constexpr int64_t kPageBytes = int64_t{1} << 20;
// Chunks below this size are small enough whatever their pages are.
constexpr int64_t kMeasuredBytesMin = int64_t{2} << 20;
// A large value exists twice: decoded, and in use.
constexpr int64_t kValueCopies = 2;
// What reads and decodes a column takes besides.
constexpr int64_t kColumnBytes = int64_t{16} << 10;
// Bytes of one column chunk that an estimate counts at most.
constexpr int64_t kChunkBytesMax = int64_t{1} << 40;
constexpr int64_t kChunkValuesMax = int64_t{1} << 48;
// Batches of a part that exist at one time: one being decoded, those waiting, one in use.
constexpr int64_t kBatchesInFlight = 4;
// A text that stands in a dictionary, if the footer does not tell the bytes of all texts.
constexpr int64_t kRepeatedTextBytes = 32;

int64_t ValueBytes(const parquet::ColumnDescriptor& column, bool has_dictionary) {
  switch (column.physical_type()) {
    case parquet::Type::BOOLEAN:
      return 1;
    case parquet::Type::INT32:
    case parquet::Type::FLOAT:
      return 4;
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return std::clamp(column.type_length(), 16, 1024);
    case parquet::Type::BYTE_ARRAY:
      return has_dictionary ? kRepeatedTextBytes : 8;
    case parquet::Type::INT64:
    case parquet::Type::DOUBLE:
    case parquet::Type::INT96:
    case parquet::Type::UNDEFINED:
      return 8;
  }
  return 8;
}

int64_t DecodedBytes(const parquet::ColumnChunkMetaData& chunk,
                     const parquet::ColumnDescriptor& column) {
  constexpr int64_t kOffsetBytes = 4;
  const int64_t values = std::clamp<int64_t>(chunk.num_values(), 0, kChunkValuesMax);
  const auto sizes = chunk.size_statistics();
  if (sizes != nullptr && sizes->unencoded_byte_array_data_bytes) {
    const int64_t text =
        std::clamp<int64_t>(*sizes->unencoded_byte_array_data_bytes, 0, kChunkBytesMax);
    return std::min(text + values * kOffsetBytes, kChunkBytesMax);
  }
  const int64_t value_bytes = ValueBytes(column, chunk.has_dictionary_page());
  return std::clamp<int64_t>(std::max(chunk.total_uncompressed_size(), values * value_bytes), 0,
                             kChunkBytesMax);
}

struct RowGroupBytes {
  int64_t stored = 0;
  int64_t decoded = 0;
  int64_t pages = 0;  // A page of each column, decompressed, and the dictionary it refers to.
  int64_t value = 0;  // Of the largest text, if that may be large.
};

PageSizes PageSizesOf(const parquet::ColumnChunkMetaData& chunk, InputFile& file) {
  const int64_t plain = std::clamp<int64_t>(chunk.total_uncompressed_size(), 0, kChunkBytesMax);
  const int64_t usual = std::min(plain, kPageBytes);
  PageSizes sizes{.dictionary = chunk.has_dictionary_page() ? usual : 0, .data = usual};
  if (plain < kMeasuredBytesMin) return sizes;
  ByteRange range{chunk.data_page_offset(), chunk.total_compressed_size()};
  if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0) {
    range.offset = std::min(range.offset, chunk.dictionary_page_offset());
  }
  if (range.offset < 0 || range.length < 0) return sizes;
  const auto measured = MeasurePages(file, range, plain, kPageBytes);
  if (!measured.ok()) return sizes;  // Reading tells what is wrong.
  sizes.dictionary = std::max(sizes.dictionary, measured->dictionary);
  sizes.data = std::max(sizes.data, measured->data);
  sizes.stored = measured->stored > kPageBytes ? measured->stored : 0;
  return sizes;
}

RowGroupBytes MeasureRowGroup(const parquet::FileMetaData& file, int index,
                              const std::set<int>& leaves, InputFile& input) {
  const auto row_group = file.RowGroup(index);
  RowGroupBytes bytes;
  for (const int leaf : leaves) {
    const auto chunk = row_group->ColumnChunk(leaf);
    bytes.stored += std::clamp<int64_t>(chunk->total_compressed_size(), 0, kChunkBytesMax);
    bytes.decoded += DecodedBytes(*chunk, *file.schema()->Column(leaf));
    const PageSizes pages = PageSizesOf(*chunk, input);
    bytes.pages += pages.dictionary + pages.data + pages.stored;
    const int64_t largest = std::max(pages.dictionary, pages.data);
    const bool is_text = file.schema()->Column(leaf)->physical_type() == parquet::Type::BYTE_ARRAY;
    if (is_text && largest > kPageBytes) bytes.value = std::max(bytes.value, largest);
  }
  return bytes;
}

}  // namespace

parquet::ReaderProperties RowGroupRun::ReadProperties(arrow::MemoryPool* pool) const {
  parquet::ReaderProperties properties(pool);
  properties.set_page_checksum_verification(verifies_checksums);
  if (stream_buffer_bytes > 0) {
    properties.enable_buffered_stream();
    properties.set_buffer_size(stream_buffer_bytes);
  }
  return properties;
}

int64_t DecodedBytesOf(const parquet::FileMetaData& file, int row_group, int leaf) {
  return DecodedBytes(*file.RowGroup(row_group)->ColumnChunk(leaf), *file.schema()->Column(leaf));
}

void AddRowGroup(const parquet::FileMetaData& file, int index, const std::set<int>& leaves,
                 const DataFileRequest& request, RowGroupRun& run, FilePart& part) {
  const RowGroupBytes bytes = MeasureRowGroup(file, index, leaves, *request.file);
  const int64_t rows = file.RowGroup(index)->num_rows();
  const int64_t row_bytes = bytes.decoded / rows + 1;
  const int64_t batch_rows = std::clamp(request.batch_bytes_max / row_bytes, kBatchRowsMin,
                                        std::max(request.batch_rows, kBatchRowsMin));
  run.batch_rows = part.row_count == 0 ? batch_rows : std::min(run.batch_rows, batch_rows);
  run.batch_bytes_max = request.batch_bytes_max;
  run.row_groups.push_back(index);
  run.verifies_checksums = request.verifies_checksums;
  const auto columns = static_cast<int64_t>(leaves.size());
  int64_t held = bytes.stored;
  if (bytes.stored > request.part_bytes_max) {
    const int64_t buffer =
        std::clamp(request.part_bytes_max / columns, kStreamBufferBytesMin, kStreamBufferBytesMax);
    held = columns * buffer;
    run.stream_buffer_bytes = std::max(run.stream_buffer_bytes, buffer);
  }
  part.row_count += rows;
  part.value_bytes = std::max(part.value_bytes, bytes.value);
  part.memory_bytes = std::max(
      part.memory_bytes, columns * kColumnBytes + held + bytes.pages + kValueCopies * bytes.value +
                             kBatchesInFlight * std::min(row_bytes * batch_rows, bytes.decoded));
}

}  // namespace firn
