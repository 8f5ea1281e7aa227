#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/data/parquet/parquet_file_encoder_internal.h"

namespace firn {
namespace {

struct Codec {
  std::string_view name;
  int level_min = 0;  // Both 0: it has no levels.
  int level_max = 0;
};
constexpr std::array<Codec, 6> kCodecs = {
    {{"brotli", 0, 11}, {"gzip", 1, 9}, {"lz4"}, {"snappy"}, {"uncompressed"}, {"zstd", 1, 22}}};

Error BadValue(const std::string& name, std::string_view text, std::string_view expected) {
  return MakeError(ErrorCode::kInvalidInput, "table property '{}' is '{}', expected {}", name, text,
                   expected);
}

Result<Codec> CodecFrom(const WriteProperties& properties) {
  constexpr std::string_view kKey = "parquet.compression-codec";
  std::string codec = LowerAscii(properties.Text(kKey, "zstd"));
  if (codec == "none") codec = "uncompressed";
  if (codec == "lz4_raw") codec = "lz4";
  std::string names;
  for (const Codec& known : kCodecs) {
    if (codec == known.name) return known;
    names += (names.empty() ? "one of " : ", ") + std::string(known.name);
  }
  return BadValue(properties.NameOf(kKey), codec, names);
}

Result<std::optional<int>> LevelFrom(const WriteProperties& properties, const Codec& codec) {
  constexpr std::string_view kKey = "parquet.compression-level";
  const std::string text = properties.Text(kKey, "");
  if (text.empty() || text == "null") return std::optional<int>();
  const std::optional<int32_t> level = ParseInt32(text);
  if (!level) return BadValue(properties.NameOf(kKey), text, "a number");
  const bool has_levels = codec.level_max > 0;
  if (has_levels && (*level < codec.level_min || *level > codec.level_max)) {
    return BadValue(properties.NameOf(kKey), text,
                    fmt::format("{} to {} for {}", codec.level_min, codec.level_max, codec.name));
  }
  return has_levels ? std::optional<int>(*level) : std::nullopt;
}

Result<std::optional<bool>> FlagFrom(const WriteProperties& properties, const std::string& key) {
  const std::string text = properties.Text(key, "");
  if (text.empty()) return std::optional<bool>();
  if (EqualsIgnoreCase(text, "true")) return std::optional<bool>(true);
  if (EqualsIgnoreCase(text, "false")) return std::optional<bool>(false);
  return BadValue(properties.NameOf(key), text, "true or false");
}

Status ReadBloomFilter(const WriteProperties& properties, const std::string& column,
                       ParquetColumnOptions& options) {
  FIRN_ASSIGN(const std::optional<bool> is_enabled,
              FlagFrom(properties, "parquet.bloom-filter-enabled.column." + column));
  options.has_bloom_filter = is_enabled.value_or(false);
  const std::string fpp_key = "parquet.bloom-filter-fpp.column." + column;
  const std::string fpp = properties.Text(fpp_key, "");
  if (!fpp.empty()) {
    const std::optional<double> parsed = ParseDouble(fpp);
    if (!parsed || !(*parsed > 0 && *parsed < 1)) {
      return BadValue(properties.NameOf(fpp_key), fpp, "a number between 0 and 1");
    }
    options.bloom_filter_fpp = *parsed;
  }
  const std::string ndv_key = "parquet.bloom-filter-ndv.column." + column;
  if (properties.Text(ndv_key, "").empty()) return {};
  FIRN_ASSIGN(options.bloom_filter_ndv, properties.Positive(ndv_key, 1));
  return {};
}

// What is said of the leaves among `fields`, by their full names.
Status ReadColumns(const WriteProperties& properties, const Schema& schema,
                   const std::vector<NestedField>& fields, ParquetWriteOptions& options) {
  for (const NestedField& field : fields) {
    if (field.type->is_nested()) {
      FIRN_RETURN_IF_ERROR(ReadColumns(properties, schema, field.type->fields(), options));
      continue;
    }
    const std::string name = schema.FullName(field.id);
    ParquetColumnOptions column;
    FIRN_RETURN_IF_ERROR(ReadBloomFilter(properties, name, column));
    FIRN_ASSIGN(column.has_dictionary,
                FlagFrom(properties, "parquet.dict-encoding-enabled.column." + name));
    FIRN_ASSIGN(column.has_statistics,
                FlagFrom(properties, "parquet.stats-enabled.column." + name));
    const bool says_nothing =
        !column.has_bloom_filter && !column.has_dictionary && !column.has_statistics;
    if (!says_nothing) options.columns[field.id] = column;
  }
  return {};
}

Result<int> PageVersionFrom(const WriteProperties& properties) {
  constexpr std::string_view kKey = "parquet.page-version";
  const std::string text = LowerAscii(properties.Text(kKey, "v1"));
  if (text == "v1") return 1;
  if (text == "v2") return 2;
  return BadValue(properties.NameOf(kKey), text, "v1 or v2");
}

ParquetCodec CodecOf(std::string_view name) {
  if (name == "brotli") return ParquetCodec::kBrotli;
  if (name == "gzip") return ParquetCodec::kGzip;
  if (name == "lz4") return ParquetCodec::kLz4Raw;
  if (name == "snappy") return ParquetCodec::kSnappy;
  if (name == "zstd") return ParquetCodec::kZstd;
  return ParquetCodec::kUncompressed;
}

// Powers of two; as large as the distinct values want it (the formula of split block filters, of 8
// bits a value), or as it may get.
int64_t BloomFilterBytesOf(const ParquetColumnOptions& column, int64_t bytes_max) {
  constexpr uint64_t kBlockBytes = 32;
  auto bytes = std::bit_floor(static_cast<uint64_t>(bytes_max));
  if (column.bloom_filter_ndv) {
    const double wanted = -static_cast<double>(*column.bloom_filter_ndv) /
                          std::log(1 - std::pow(column.bloom_filter_fpp, 1.0 / 8));
    if (wanted < static_cast<double>(bytes)) bytes = std::bit_ceil(static_cast<uint64_t>(wanted));
  }
  return static_cast<int64_t>(std::max(bytes, kBlockBytes));
}

}  // namespace

int64_t ParquetWriteOptions::BloomFilterBytes() const {
  int64_t bytes = 0;
  for (const auto& [id, column] : columns)
    bytes += column.has_bloom_filter ? bloom_filter_bytes_max : 0;
  return bytes;
}

ChunkOptions MakeChunkOptions(const ParquetWriteOptions& options,
                              const ParquetColumnOptions* column) {
  ChunkOptions chunk{.codec = CodecOf(options.codec),
                     .compression_level = options.compression_level,
                     .page_bytes = options.page_bytes,
                     .page_rows = options.page_rows,
                     .dictionary_bytes_max = options.dictionary_bytes,
                     .page_version = options.page_version};
  if (column == nullptr) return chunk;
  if (!column->has_dictionary.value_or(true)) chunk.dictionary_bytes_max = 0;
  chunk.has_statistics = column->has_statistics.value_or(true);
  if (column->has_bloom_filter) {
    chunk.bloom_filter_bytes = BloomFilterBytesOf(*column, options.bloom_filter_bytes_max);
  }
  return chunk;
}

Result<ParquetWriteOptions> ParquetOptionsFrom(const WriteProperties& properties,
                                               const Schema& schema) {
  ParquetWriteOptions options;
  FIRN_ASSIGN(const Codec codec, CodecFrom(properties));
  options.codec = codec.name;
  FIRN_ASSIGN(options.compression_level, LevelFrom(properties, codec));
  FIRN_ASSIGN(options.row_group_bytes,
              properties.Positive("parquet.row-group-size-bytes", options.row_group_bytes));
  FIRN_ASSIGN(options.page_bytes,
              properties.Positive("parquet.page-size-bytes", options.page_bytes));
  FIRN_ASSIGN(options.page_rows, properties.Positive("parquet.page-row-limit", options.page_rows));
  FIRN_ASSIGN(options.dictionary_bytes,
              properties.Positive("parquet.dict-size-bytes", options.dictionary_bytes));
  FIRN_ASSIGN(options.bloom_filter_bytes_max, properties.Positive("parquet.bloom-filter-max-bytes",
                                                                  options.bloom_filter_bytes_max));
  FIRN_ASSIGN(options.page_version, PageVersionFrom(properties));
  FIRN_RETURN_IF_ERROR(ReadColumns(properties, schema, schema.fields(), options));
  return options;
}

}  // namespace firn
