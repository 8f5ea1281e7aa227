#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/data/encode_pool_internal.h"
#include "firn/data/render.h"
#include "firn/format/manifest.h"
#include "firn/format/table_metadata.h"

/// One Parquet file of an Iceberg table, written batch by batch.

namespace firn {

/// `write.parquet.*` of a table.
struct ParquetWriteOptions {
  std::string codec = "zstd";  ///< uncompressed, snappy, gzip, zstd, lz4 or brotli.
  std::optional<int> compression_level;
  int64_t row_group_bytes = 134217728;  ///< As stored; larger ones take more memory to write.
  int64_t page_bytes = 1048576;
  int64_t page_rows = 20000;
  int64_t dictionary_bytes = 2097152;
};

/// Errors: kInvalidInput, naming the property.
Result<ParquetWriteOptions> ParquetOptionsFrom(const TableMetadata& metadata);

/// What only the finished file tells.
struct ParquetFileSummary {
  int64_t row_count = 0;
  FieldMap<int64_t> column_sizes;
  std::vector<int64_t> split_offsets;
};

/// After an error the file is given up: nothing of Arrow's writer is used again, and its memory is
/// free.
class ParquetFileWriter {
 public:
  virtual ~ParquetFileWriter() = default;

  /// Append rows; columns have the Arrow types of the writer's fields. Errors: kInvalidInput: a
  /// required column has a null.
  virtual Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) = 0;

  /// Bytes the file would have if it ended here, nearly.
  virtual int64_t estimated_bytes() const = 0;
  /// Bytes held in memory.
  virtual int64_t buffered_bytes() const = 0;

  /// Give the memory of the row group back by writing it out.
  virtual Status EndRowGroup() = 0;

  /// Write the footer.
  virtual Result<ParquetFileSummary> Finish() = 0;
};

/// Fields get Parquet's types of the spec and their ids, lists and maps three levels; unknown
/// columns are left out. The schema's JSON goes to the key `iceberg.schema`. `sink` and `pool`
/// outlive the writer, as `encoders` does, on which columns are encoded at the same time (null: one
/// by one). Errors: kUnsupported, naming a column that cannot be written.
Result<std::unique_ptr<ParquetFileWriter>> MakeParquetFileWriter(const Schema& schema,
                                                                 const ParquetWriteOptions& options,
                                                                 const ByteSink& sink,
                                                                 arrow::MemoryPool* pool,
                                                                 EncodePool* encoders = nullptr);

}  // namespace firn
