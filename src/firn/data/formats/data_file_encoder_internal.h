#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/executor.h"
#include "firn/base/result.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/metrics/metrics_mode_internal.h"
#include "firn/data/render/render.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/parquet/parquet.h"

/// The bytes of one data or delete file, of any format, written batch by batch.

namespace firn {

/// What only the finished file tells.
struct EncodedFile {
  int64_t row_count = 0;
  FieldMap<int64_t> column_sizes;
  std::vector<int64_t> split_offsets;
  std::optional<FileMetrics> metrics;  ///< If the encoder knows them.
};

/// After an error the file is given up: nothing of it is used again, and its memory is free.
class DataFileEncoder {
 public:
  virtual ~DataFileEncoder() = default;

  /// Append rows; columns have the Arrow types of the fields. Errors: kInvalidInput: a required
  /// column has a null; kResourceExhausted; those of the sink.
  virtual Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) = 0;

  /// Bytes the file would have if it ended here, nearly.
  virtual int64_t estimated_bytes() const = 0;
  /// Bytes held in memory.
  virtual int64_t buffered_bytes() const = 0;

  /// Give memory back by writing out what can be.
  virtual Status Flush() = 0;

  /// Write the end of the file.
  virtual Result<EncodedFile> Finish() = 0;
};

/// What the encoders of all files of one operation share; referenced objects outlive them.
struct EncodeContext {
  const Schema* schema = nullptr;
  std::string uri;  ///< Of the file, for its sync marker and messages.
  const ByteSink* sink = nullptr;
  BudgetPool* pool = nullptr;
  Executor* executor = nullptr;     ///< Columns are encoded on it; null: on the calling thread.
  PageCodecPool* codecs = nullptr;  ///< Shared by all files of an operation.
  /// What metrics are wanted of each field; null: none.
  const std::map<int32_t, MetricsMode>* metrics_modes = nullptr;
};

/// Errors: kInvalidInput, naming a required column of which rows have no value.
Status CheckRequiredColumns(const std::vector<NestedField>& fields,
                            const arrow::RecordBatch& batch);

}  // namespace firn
