#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>
#include <parquet/properties.h>
#include <parquet/type_fwd.h>

#include "firn/base/result.h"
#include "firn/data/file_schema_internal.h"

namespace arrow::io {
class RandomAccessFile;
}

namespace firn {

/// What Arrow tells of a Parquet file before its rows are read.
struct ParquetFooter {
  std::shared_ptr<parquet::FileMetaData> metadata;
  std::vector<FileField> fields;  ///< With the ids that the file carries, leaves numbered.
};

/// How Arrow reads Parquet columns for firn.
parquet::ArrowReaderProperties ArrowReadOptions(int64_t batch_rows);

/// Errors: kCorrupt; kUnsupported: an encrypted file.
Result<ParquetFooter> ReadParquetFooter(const std::shared_ptr<arrow::io::RandomAccessFile>& input,
                                        arrow::MemoryPool* pool);

/// Arrow takes an encrypted file for a damaged one: kUnsupported where its error says so.
Error TellEncryption(const Error& error);

}  // namespace firn
