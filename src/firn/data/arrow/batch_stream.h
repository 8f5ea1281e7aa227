#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/base/row_stream.h"

/// Record batches behind the C stream interface, with firn's errors on both sides.

namespace firn {

/// What stands behind a RowStream. Single-threaded.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  /// Null at the end; after an error it is not called again.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Next() = 0;
};

/// Hand `stream` out as a C stream. `get_last_error` is the error as `Error::Format` writes it.
RowStream ExportBatches(std::unique_ptr<BatchStream> stream);

/// All rows of the streams, one stream after the other; their schemas are those of the first.
/// There is one at least. Errors: those of the first stream's schema.
Result<RowStream> ConcatenateRows(std::vector<RowStream> streams);

/// Read a C stream as RowStreamReader does. Errors: those of the stream's schema.
Result<std::unique_ptr<BatchStream>> ImportBatches(RowStream stream);

/// Reads any C stream. An error that names a code of firn ("corrupt: ...") gets it back; others are
/// kInternal.
class RowStreamReader {
 public:
  /// Errors: those of the stream's schema.
  static Result<RowStreamReader> Open(RowStream stream);

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  /// Null at the end.
  Result<std::shared_ptr<arrow::RecordBatch>> Next();

 private:
  RowStreamReader(RowStream stream, std::shared_ptr<arrow::Schema> schema)
      : stream_(std::move(stream)), schema_(std::move(schema)) {}
  RowStream stream_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace firn
