#include <array>
#include <string_view>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/data/parquet_file_writer_internal.h"

namespace firn {
namespace {

constexpr std::array<std::string_view, 6> kCodecs = {"brotli", "gzip",         "lz4",
                                                     "snappy", "uncompressed", "zstd"};

Result<int64_t> PositiveProperty(const TableMetadata& metadata, std::string_view key,
                                 int64_t fallback) {
  FIRN_ASSIGN(const int64_t value, metadata.IntProperty(key, fallback));
  if (value > 0) return value;
  return MakeError(ErrorCode::kInvalidInput, "table property '{}' is {}, expected >= 1", key,
                   value);
}

Result<std::string> CodecProperty(const TableMetadata& metadata) {
  constexpr std::string_view kKey = "write.parquet.compression-codec";
  const std::string codec = LowerAscii(metadata.Property(kKey, "zstd"));
  if (codec == "none") return std::string("uncompressed");
  for (const std::string_view known : kCodecs) {
    if (codec == known) return codec;
  }
  std::string names;
  for (const std::string_view known : kCodecs)
    names += (names.empty() ? "" : ", ") + std::string(known);
  return MakeError(ErrorCode::kInvalidInput, "table property '{}' is '{}', expected one of {}",
                   kKey, codec, names);
}

}  // namespace

Result<ParquetWriteOptions> ParquetOptionsFrom(const TableMetadata& metadata) {
  ParquetWriteOptions options;
  FIRN_ASSIGN(options.codec, CodecProperty(metadata));
  constexpr std::string_view kLevelKey = "write.parquet.compression-level";
  const std::string level = metadata.Property(kLevelKey, "");
  if (!level.empty() && level != "null") {
    const std::optional<int32_t> parsed = ParseInt32(level);
    if (!parsed) {
      return MakeError(ErrorCode::kInvalidInput, "table property '{}' is '{}', expected a number",
                       kLevelKey, level);
    }
    options.compression_level = *parsed;
  }
  FIRN_ASSIGN(
      options.row_group_bytes,
      PositiveProperty(metadata, "write.parquet.row-group-size-bytes", options.row_group_bytes));
  FIRN_ASSIGN(options.page_bytes,
              PositiveProperty(metadata, "write.parquet.page-size-bytes", options.page_bytes));
  FIRN_ASSIGN(options.page_rows,
              PositiveProperty(metadata, "write.parquet.page-row-limit", options.page_rows));
  FIRN_ASSIGN(options.dictionary_bytes, PositiveProperty(metadata, "write.parquet.dict-size-bytes",
                                                         options.dictionary_bytes));
  return options;
}

}  // namespace firn
