#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/c/bridge.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>

#include <gtest/gtest.h>

#include "firn/base/row_stream_error.h"
#include "firn/engine/engine.h"

/// Rows for tests of the engine, as Arrow's JSON.

namespace firn {

using BatchVector = std::vector<std::shared_ptr<arrow::RecordBatch>>;

inline RowStream StreamOf(std::shared_ptr<arrow::RecordBatchReader> reader) {
  RowStream stream(new ArrowArrayStream{});
  EXPECT_TRUE(arrow::ExportRecordBatchReader(std::move(reader), stream.get()).ok());
  return stream;
}

inline RowStream StreamOf(const BatchVector& batches) {
  return StreamOf(*arrow::RecordBatchReader::Make(batches, batches.at(0)->schema()));
}

/// `[[1, "a"], [2, "b"]]`.
inline std::shared_ptr<arrow::RecordBatch> MakeBatch(const arrow::FieldVector& fields,
                                                     const std::string& json) {
  const auto rows = arrow::json::ArrayFromJSONString(arrow::struct_(fields), json);
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  return *arrow::RecordBatch::FromStructArray(*rows);
}

/// All rows as one table. Errors: of the stream, as StreamError.
inline Result<std::shared_ptr<arrow::Table>> ReadAll(RowStream rows) {
  ArrowSchema schema{};
  if (rows->get_schema(rows.get(), &schema) != 0) return StreamError(*rows);
  const auto imported = *arrow::ImportSchema(&schema);
  BatchVector batches;
  while (true) {
    ArrowArray array{};
    if (rows->get_next(rows.get(), &array) != 0) return StreamError(*rows);
    if (array.release == nullptr) break;
    batches.push_back(*arrow::ImportRecordBatch(&array, imported));
  }
  return *(*arrow::Table::FromRecordBatches(imported, batches))->CombineChunks();
}

}  // namespace firn
