#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

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

/// The same in pieces, which are to be written one after the other: large texts are not copied, so
/// that the pieces end with `batch` or the next use of `out`.
arrow::Result<std::vector<std::span<const std::byte>>> PackInPieces(const arrow::RecordBatch& batch,
                                                                    arrow::MemoryPool* pool,
                                                                    arrow::BufferBuilder& out);

/// What was packed. The batch may share `bytes`. Errors: Invalid: bytes that PackBatch did not
/// make.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> UnpackBatch(
    const std::shared_ptr<arrow::Schema>& schema, const std::shared_ptr<arrow::Buffer>& bytes,
    arrow::MemoryPool* pool);

}  // namespace firn
