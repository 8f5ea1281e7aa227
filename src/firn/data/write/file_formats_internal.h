#pragma once

#include "firn/data/formats/avro_file_encoder_internal.h"
#include "firn/data/formats/orc_file_encoder_internal.h"
#include "firn/data/parquet/parquet_file_encoder_internal.h"

/// Files of the format that the table wants.

namespace firn {

struct EncodeOptions {
  FileFormat format = FileFormat::kParquet;
  ParquetWriteOptions parquet;  ///< Those of the other formats are not looked at.
  AvroWriteOptions avro;
  OrcWriteOptions orc;
};

/// The options of `write.format.default` for rows of `schema`, within a budget of `memory_bytes`
/// and for files of `file_bytes` (0: any). Errors: kInvalidInput, naming the property.
Result<EncodeOptions> EncodeOptionsFrom(const WriteProperties& properties, const Schema& schema,
                                        int64_t memory_bytes, int64_t file_bytes);

/// Files that may be open at one time.
size_t OpenFilesMax(const EncodeOptions& options, int64_t memory_bytes);

/// ".parquet"
std::string_view FileSuffix(FileFormat format);

/// Errors: kUnsupported, naming a column that cannot be written; those of the sink.
Result<std::unique_ptr<DataFileEncoder>> MakeEncoder(const EncodeContext& context,
                                                     const EncodeOptions& options);

}  // namespace firn
