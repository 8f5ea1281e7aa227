#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/parquet/chunk_testing_internal.h"
#include "firn/parquet/rle_internal.h"
#include "firn/parquet/thrift_compact_internal.h"
#include "firn/parquet/value_order_internal.h"

namespace firn {
namespace {

std::string LengthOf(size_t size) { return PlainOf(static_cast<uint32_t>(size)); }

std::string FormatVersion2(const PageHeader& header) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  out.WriteI32(1, static_cast<int32_t>(PageType::kDataV2));
  out.WriteI32(2, header.uncompressed_size);
  out.WriteI32(3, header.compressed_size);
  out.BeginStructField(8);
  const int16_t inner = out.EnterStruct();
  out.WriteI32(1, header.num_values);
  out.WriteI32(2, 0);
  out.WriteI32(3, 0);
  out.WriteI32(4, static_cast<int32_t>(header.encoding));
  out.WriteI32(5, header.definition_bytes);
  out.WriteI32(6, header.repetition_bytes);
  out.LeaveStruct(inner);
  out.LeaveStruct(outer);
  return out.Take();
}

std::string Compressed(ParquetCodec codec, const std::string& bytes) {
  PageBuffer out;
  EXPECT_TRUE(PageCodec().Compress(codec, std::nullopt, AsBytes(bytes), out).ok());
  return std::string(AsText(out.span()));
}

}  // namespace

LeafNode MakeLeaf(PhysicalType type, std::vector<FieldRepetition> repetitions, LeafMeaning meaning,
                  int32_t type_length) {
  LeafNode leaf{.element = {.type = type,
                            .type_length = type_length,
                            .repetition = repetitions.back(),
                            .name = "a",
                            .meaning = meaning},
                .path = std::vector<std::string>(repetitions.size(), "a"),
                .repetitions = repetitions};
  for (const FieldRepetition repetition : repetitions) {
    if (repetition != FieldRepetition::kRequired) ++leaf.max_definition_level;
    if (repetition == FieldRepetition::kRepeated) ++leaf.max_repetition_level;
  }
  return leaf;
}

TestRow FlatRow(const LeafNode& leaf, const std::optional<std::string>& value) {
  TestRow row{.definition = {static_cast<uint8_t>(value ? leaf.max_definition_level : 0)},
              .repetition = {0}};
  if (value) row.values = {*value};
  return row;
}

std::string ChunkBuilder::LevelRuns(const std::vector<uint8_t>& levels, int level_max,
                                    bool has_length) const {
  if (level_max == 0) return {};
  PageBuffer runs;
  EncodeRle(std::span<const uint8_t>(levels), BitWidth(static_cast<uint64_t>(level_max)), runs);
  return (has_length ? LengthOf(runs.size()) : "") + std::string(AsText(runs.span()));
}

std::string ChunkBuilder::ValueBytes(const std::vector<std::string>& values, Values form) const {
  PageBuffer runs;
  if (form == Values::kDictionary) {
    std::vector<uint32_t> indices;
    for (const std::string& value : values) {
      const auto found = std::find(dictionary_.begin(), dictionary_.end(), value);
      EXPECT_NE(found, dictionary_.end());
      indices.push_back(static_cast<uint32_t>(found - dictionary_.begin()));
    }
    const int width = BitWidth(std::max<size_t>(dictionary_.size(), 1) - 1);
    EncodeRle(std::span<const uint32_t>(indices), width, runs);
    return static_cast<char>(width) + std::string(AsText(runs.span()));
  }
  if (form == Values::kRle) {
    std::vector<uint8_t> bits;
    for (const std::string& value : values)
      bits.push_back(static_cast<uint8_t>(value[0]));
    EncodeRle(std::span<const uint8_t>(bits), 1, runs);
    return LengthOf(runs.size()) + std::string(AsText(runs.span()));
  }
  std::string bytes;
  if (leaf_.element.type == PhysicalType::kBoolean) {
    bytes.resize((values.size() + 7) / 8);
    for (size_t i = 0; i < values.size(); ++i)
      bytes[i / 8] = static_cast<char>(bytes[i / 8] | (values[i][0] << (i % 8)));
    return bytes;
  }
  for (const std::string& value : values) {
    if (leaf_.element.type == PhysicalType::kByteArray) bytes += LengthOf(value.size());
    bytes += value;
  }
  return bytes;
}

void ChunkBuilder::AddRaw(const std::string& header, const std::string& body) {
  if (chunk_.bytes.empty()) chunk_.metadata.data_page_offset = 4;
  chunk_.bytes += header + body;
}

void ChunkBuilder::AddDictionary(const std::vector<std::string>& values) {
  dictionary_ = values;
  const std::string plain = ValueBytes(values, Values::kPlain);
  const std::string stored = Compressed(chunk_.metadata.codec, plain);
  chunk_.bytes += FormatPageHeader({.type = PageType::kDictionary,
                                    .uncompressed_size = static_cast<int32_t>(plain.size()),
                                    .compressed_size = static_cast<int32_t>(stored.size()),
                                    .num_values = static_cast<int32_t>(values.size())}) +
                  stored;
}

void ChunkBuilder::AddPage(const std::vector<TestRow>& rows, Values form, bool is_version2,
                           size_t skip, size_t rest) {
  std::vector<uint8_t> definition;
  std::vector<uint8_t> repetition;
  std::vector<std::string> values;
  const auto defined = static_cast<uint8_t>(leaf_.max_definition_level);
  size_t level_count = 0;
  for (const TestRow& row : rows)
    level_count += row.definition.size();
  size_t level = 0;
  for (const TestRow& row : rows) {
    size_t value = 0;
    for (size_t i = 0; i < row.definition.size(); ++i, ++level) {
      const bool has_value = row.definition[i] == defined;
      if (has_value) ++value;
      if (level < skip || level >= level_count - rest) continue;
      definition.push_back(row.definition[i]);
      repetition.push_back(row.repetition[i]);
      if (has_value) values.push_back(row.values[value - 1]);
    }
  }
  const std::string repetition_runs =
      LevelRuns(repetition, leaf_.max_repetition_level, !is_version2);
  const std::string definition_runs =
      LevelRuns(definition, leaf_.max_definition_level, !is_version2);
  const std::string value_bytes = ValueBytes(values, form);
  const ParquetCodec codec = chunk_.metadata.codec;
  const std::string levels = repetition_runs + definition_runs;
  const std::string stored = is_version2 ? levels + Compressed(codec, value_bytes)
                                         : Compressed(codec, levels + value_bytes);
  PageHeader header{.uncompressed_size = static_cast<int32_t>(levels.size() + value_bytes.size()),
                    .compressed_size = static_cast<int32_t>(stored.size()),
                    .num_values = static_cast<int32_t>(definition.size()),
                    .definition_bytes = static_cast<int32_t>(definition_runs.size()),
                    .repetition_bytes = static_cast<int32_t>(repetition_runs.size())};
  header.encoding = form == Values::kPlain        ? ParquetEncoding::kPlain
                    : form == Values::kDictionary ? ParquetEncoding::kRleDictionary
                                                  : ParquetEncoding::kRle;
  ++(form == Values::kDictionary ? dictionary_pages_ : plain_pages_);
  AddRaw(is_version2 ? FormatVersion2(header) : FormatPageHeader(header), stored);
  chunk_.metadata.num_values += header.num_values;
}

TestChunk ChunkBuilder::Finish(int64_t rows, bool tells_encodings) {
  ColumnChunk& metadata = chunk_.metadata;
  metadata.total_compressed_size = static_cast<int64_t>(chunk_.bytes.size());
  metadata.encodings = {ParquetEncoding::kPlain, ParquetEncoding::kRle,
                        ParquetEncoding::kRleDictionary};
  if (tells_encodings) {
    metadata.encoding_stats = {
        {static_cast<int32_t>(PageType::kDictionary), ParquetEncoding::kPlain, 1},
        {static_cast<int32_t>(PageType::kData), ParquetEncoding::kRleDictionary, dictionary_pages_},
        {static_cast<int32_t>(PageType::kData), ParquetEncoding::kPlain, plain_pages_}};
  }
  chunk_.row_count = rows;
  return chunk_;
}

Result<std::vector<TestRow>> ReadRows(const LeafNode& leaf, std::span<const std::byte> bytes,
                                      const ColumnChunk& metadata) {
  PageCodec codec;
  ChunkReader reader(bytes, metadata, leaf, codec);
  FIRN_ASSIGN(const auto dictionary, reader.ReadDictionary());
  const size_t width = ValueWidth(leaf.element);
  std::vector<TestRow> rows;
  while (true) {
    FIRN_ASSIGN(const auto page, reader.Next());
    if (!page) return rows;
    std::span<const std::byte> plain = page->plain;
    size_t value = 0;
    for (size_t i = 0; i < page->level_count; ++i) {
      const uint8_t repetition = page->repetition.empty() ? 0 : page->repetition[i];
      const uint8_t definition = page->definition.empty()
                                     ? static_cast<uint8_t>(leaf.max_definition_level)
                                     : page->definition[i];
      if (repetition == 0) rows.emplace_back();
      rows.back().repetition.push_back(repetition);
      rows.back().definition.push_back(definition);
      if (definition != leaf.max_definition_level) continue;
      if (page->is_dictionary_encoded) {
        rows.back().values.emplace_back(dictionary->At(page->indices[value++]));
        continue;
      }
      size_t size = width;
      if (width == 0) {
        uint32_t length = 0;
        std::memcpy(&length, plain.data(), sizeof(length));
        plain = plain.subspan(sizeof(length));
        size = length;
      }
      rows.back().values.emplace_back(AsText(plain.first(size)));
      plain = plain.subspan(size);
    }
  }
}

std::string JoinPieces(const EncodedChunk& chunk) {
  std::string bytes;
  for (const Buffer& piece : chunk.pieces)
    bytes += piece.view();
  return bytes;
}

}  // namespace firn
