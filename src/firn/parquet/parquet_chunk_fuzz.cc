#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "firn/base/check.h"
#include "firn/parquet/chunk_copy.h"
#include "firn/parquet/chunk_reader_internal.h"
#include "firn/parquet/transcode.h"
#include "firn/parquet/value_conversion_internal.h"
#include "firn/parquet/value_order_internal.h"

// Any bytes as a column chunk: the first ones choose leaf, the leaf that it becomes, codec, what
// the footer claims and which rows are kept. What is accepted has the rows that are wanted, and
// says the same of itself when it is transcoded again.

namespace firn {
namespace {

constexpr size_t kHead = 8;

LeafNode LeafOf(uint8_t choice) {
  using R = FieldRepetition;
  static const std::vector<std::vector<R>> kShapes = {
      {R::kRequired},
      {R::kOptional},
      {R::kOptional, R::kRepeated, R::kOptional},
      {R::kOptional, R::kRepeated, R::kOptional, R::kRepeated, R::kRequired}};
  LeafNode leaf{.element = {.type = static_cast<PhysicalType>(choice % 8), .type_length = 5},
                .path = {"a"},
                .repetitions = kShapes[choice / 8 % kShapes.size()]};
  if (choice >= 128) leaf.element.meaning.kind = LeafMeaning::Kind::kDecimal;
  for (const R repetition : leaf.repetitions) {
    if (repetition != R::kRequired) ++leaf.max_definition_level;
    if (repetition == R::kRepeated) ++leaf.max_repetition_level;
  }
  return leaf;
}

// What the values become, if there is a conversion; else they stay.
LeafNode TargetOf(uint8_t choice, LeafNode& from) {
  using Kind = LeafMeaning::Kind;
  using P = PhysicalType;
  static const std::vector<SchemaElement> kTargets = {
      {.type = P::kInt64},
      {.type = P::kDouble},
      {.type = P::kInt32, .meaning = {.kind = Kind::kDecimal, .precision = 9}},
      {.type = P::kInt64, .meaning = {.kind = Kind::kDecimal, .precision = 18}},
      {.type = P::kFixedLenByteArray,
       .type_length = 9,
       .meaning = {.kind = Kind::kDecimal, .precision = 20}},
      {.type = P::kByteArray, .meaning = {.kind = Kind::kString}},
      {.type = P::kByteArray},
      {.type = P::kFixedLenByteArray, .type_length = 16, .meaning = {.kind = Kind::kUuid}},
      {.type = P::kFixedLenByteArray, .type_length = 5},
      {.type = P::kInt64, .meaning = {.kind = Kind::kTimestampMicros}},
      {.type = P::kInt64, .meaning = {.kind = Kind::kTimestampNanos}}};
  LeafNode to = from;
  if (choice == 0) return to;
  to.element = kTargets[choice % kTargets.size()];
  const bool becomes_time = to.element.meaning.kind == Kind::kTimestampMicros ||
                            to.element.meaning.kind == Kind::kTimestampNanos;
  if (becomes_time && from.element.type == P::kInt32) from.element.meaning.kind = Kind::kDate;
  if (becomes_time && from.element.type == P::kInt64) {
    from.element.meaning.kind = Kind::kTimestampMillis;
  }
  if (!FindConversion(from.element, to.element)) return from;
  // What may be missing may not any more, and the other way round.
  FieldRepetition& last = to.repetitions.back();
  to.max_definition_level += last == FieldRepetition::kRequired ? 1 : -1;
  last =
      last == FieldRepetition::kRequired ? FieldRepetition::kOptional : FieldRepetition::kRequired;
  return to;
}

// Rows [0, rows) but for one in `one_in`.
std::vector<RowSpan> SpansWithout(int64_t rows, int64_t one_in) {
  std::vector<RowSpan> spans;
  for (int64_t row = 0; row < rows; row += one_in)
    spans.push_back({row, std::min(rows, row + one_in - 1)});
  return spans;
}

std::vector<std::byte> Join(const EncodedChunk& chunk) {
  std::vector<std::byte> bytes;
  for (const Buffer& piece : chunk.pieces)
    bytes.insert(bytes.end(), piece.span().begin(), piece.span().end());
  return bytes;
}

void Transcode(std::span<const std::byte> head, std::span<const std::byte> bytes) {
  const auto at = [head](size_t i) { return static_cast<uint8_t>(head[i]); };
  LeafNode leaf = LeafOf(at(0));
  const LeafNode to = TargetOf(at(1) / 8 % 16, leaf);
  ColumnChunk chunk{.type = *leaf.element.type,
                    .codec = static_cast<ParquetCodec>(at(1) % 8),
                    .num_values = at(2) | at(3) << 8,
                    .total_compressed_size = static_cast<int64_t>(bytes.size())};
  if (at(1) >= 128) {
    chunk.encoding_stats = {{.encoding = ParquetEncoding::kRleDictionary, .count = 1}};
  }
  ChunkInput input{.leaf = &leaf, .chunk = &chunk, .bytes = bytes, .row_count = at(4) | at(5) << 8};
  const std::vector<RowSpan> kept = SpansWithout(input.row_count, at(6) / 2 + 1);
  if (at(6) % 2 != 0) input.kept = &kept;
  const ChunkOptions options{.codec = static_cast<ParquetCodec>(at(7) % 3),
                             .page_bytes = 100,
                             .page_rows = 1 + at(7) / 4,
                             .dictionary_bytes_max = at(7) % 2 == 0 ? 0 : 1000,
                             .input_page_bytes_max = 1 << 16};
  const auto made = TranscodeChunk(to, std::vector{input}, options);
  if (made.ok()) {
    const std::vector<std::byte> once = Join(*made);
    const ChunkInput again{
        .leaf = &to, .chunk = &made->metadata, .bytes = once, .row_count = made->row_count};
    ChunkOptions more = options;  // A row is never cut: pages may be larger than those read.
    more.input_page_bytes_max = kPageBytesMax;
    const auto twice = TranscodeChunk(to, std::vector{again}, more);
    FIRN_CHECK(twice.ok());
    FIRN_CHECK(made->row_count == input.kept_rows());
    FIRN_CHECK(twice->min == made->min && twice->max == made->max);
    FIRN_CHECK(twice->metadata.num_values == made->metadata.num_values);
    FIRN_CHECK(twice->nan_count == made->nan_count);
  }
  chunk.statistics.null_count = chunk.num_values;
  (void)CopyChunk(input, leaf, Buffer::CopyOf(bytes), std::string(AsText(bytes)));
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < firn::kHead) return 0;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  firn::Transcode(bytes.first(firn::kHead), bytes.subspan(firn::kHead));
  return 0;
}
