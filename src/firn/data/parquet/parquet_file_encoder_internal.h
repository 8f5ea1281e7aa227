#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "firn/data/formats/data_file_encoder_internal.h"
#include "firn/data/formats/write_properties_internal.h"
#include "firn/parquet/parquet.h"

namespace firn {

/// What `write.parquet.*.column.NAME` say of one column.
struct ParquetColumnOptions {
  bool has_bloom_filter = false;
  double bloom_filter_fpp = 0.01;           ///< Share of values that are found though missing.
  std::optional<int64_t> bloom_filter_ndv;  ///< Distinct values to expect in a row group.
  std::optional<bool> has_dictionary;
  std::optional<bool> has_statistics;
};

/// `write.parquet.*` of a table.
struct ParquetWriteOptions {
  std::string codec = "zstd";  ///< uncompressed, snappy, gzip, zstd, lz4 or brotli.
  std::optional<int> compression_level;
  int64_t row_group_bytes = 134217728;  ///< As stored; larger ones take more memory to write.
  int64_t page_bytes = 1048576;
  int64_t page_rows = 20000;
  int64_t dictionary_bytes = 2097152;
  int page_version = 1;
  int64_t held_bytes_max = INT64_MAX;               ///< Of memory, until the row group ends.
  int64_t waiting_bytes_max = int64_t{64} << 20;    ///< Of rows that wait to be encoded.
  int64_t bloom_filter_bytes_max = 1048576;         ///< Of one column in one row group.
  std::map<int32_t, ParquetColumnOptions> columns;  ///< By field id; others have the defaults.

  /// Memory that the Bloom filters of one open file take.
  int64_t BloomFilterBytes() const;
};

/// How the chunks of a column are written; `column` may be null: as the others.
ChunkOptions MakeChunkOptions(const ParquetWriteOptions& options,
                              const ParquetColumnOptions* column);

/// Properties of columns that `schema` lacks are of no concern. Errors: kInvalidInput, naming the
/// property.
Result<ParquetWriteOptions> ParquetOptionsFrom(const WriteProperties& properties,
                                               const Schema& schema);

/// Fields get Parquet's types of the spec and their ids, lists and maps three levels; unknown
/// columns are left out. The schema's JSON goes to the key `iceberg.schema`. Errors: kUnsupported,
/// naming a column that cannot be written.
Result<std::unique_ptr<DataFileEncoder>> MakeParquetEncoder(const EncodeContext& context,
                                                            const ParquetWriteOptions& options);

}  // namespace firn
