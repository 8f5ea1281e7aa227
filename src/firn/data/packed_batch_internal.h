#pragma once

#include <memory>

#include <arrow/buffer_builder.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

/// Batches in fewer bytes than they have in memory, at little cost: for rows that go to a scratch
/// file and come back.

namespace firn {

/// Append `batch` to `out`, which is empty: numbers as distances from the least one in as many
/// bytes as the largest needs, lengths of texts instead of offsets, no bitmaps where there are no
/// nulls; nested columns as Arrow's IPC format has them.
arrow::Status PackBatch(const arrow::RecordBatch& batch, arrow::MemoryPool* pool,
                        arrow::BufferBuilder& out);

/// What was packed. The batch may share `bytes`. Errors: Invalid: bytes that PackBatch did not
/// make.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> UnpackBatch(
    const std::shared_ptr<arrow::Schema>& schema, const std::shared_ptr<arrow::Buffer>& bytes,
    arrow::MemoryPool* pool);

}  // namespace firn
