#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "firn/data/render/render.h"

namespace firn {

/// Turns batches into bytes of one format. The sink outlives it.
class RowRenderer {
 public:
  virtual ~RowRenderer() = default;
  virtual Status Add(const std::shared_ptr<arrow::RecordBatch>& batch) = 0;
  virtual Status Finish() = 0;
};

/// An aligned table: widths come from the first thousand rows; longer cells stick out.
std::unique_ptr<RowRenderer> MakeTableRenderer(TypePtr type, const ByteSink& sink);

/// A line for each column of a row, and for each element of a list or map; an empty line between
/// rows.
std::unique_ptr<RowRenderer> MakeRecordRenderer(TypePtr type, const ByteSink& sink);

/// An Arrow IPC stream.
Result<std::unique_ptr<RowRenderer>> MakeArrowRenderer(const std::shared_ptr<arrow::Schema>& schema,
                                                       const ByteSink& sink);

/// A Parquet file, as tables get them.
Result<std::unique_ptr<RowRenderer>> MakeParquetRenderer(TypePtr type, int64_t memory_bytes,
                                                         const ByteSink& sink);

}  // namespace firn
