#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/task_group.h"
#include "firn/data/parquet/leaf_shredder_internal.h"
#include "firn/data/parquet/parquet_schema_internal.h"

namespace firn {

/// Makes the column chunks of one row group after the other. Rows are taken in at once and encoded
/// on the executor, leaf by leaf, each in the order of the rows: while the caller gets the next
/// rows. What it tells of sizes does not depend on who was quicker.
class LeafPipeline {
 public:
  /// `layout`, of files with `fields`, and `options`, by leaf, outlive the pipeline. `executor` may
  /// be null: rows are encoded at once.
  LeafPipeline(const ParquetLayout& layout, const std::vector<NestedField>& fields,
               const std::vector<ChunkOptions>& options, PageCodecPool& codecs, Executor* executor);

  /// Give up what has not begun, and wait for what has.
  ~LeafPipeline();

  /// Of a row group so far.
  struct Sizes {
    int64_t rows = 0;
    int64_t file_bytes = 0;  ///< As if it ended here, about.
    int64_t held_bytes = 0;  ///< Memory.
  };
  /// Of the rows that are encoded.
  const Sizes& sizes() const { return sizes_; }
  /// With those that are not encoded yet.
  int64_t rows_taken() const { return rows_taken_; }

  /// Begin a row group of about `rows_expected` rows. Errors: kUnsupported: a type.
  Status Begin(int64_t rows_expected);

  /// Rows that are not encoded when Add returns have `bytes_max` at most.
  void LimitWaiting(int64_t bytes_max) { waiting_bytes_max_ = bytes_max; }

  /// Add rows of `bytes`; waits while those that are not encoded yet are too many. Errors,
  /// of earlier rows too: kInvalidInput: a required field is null; kUnsupported: a row is too
  /// large.
  Status Add(std::vector<std::shared_ptr<arrow::Array>> columns, int64_t rows, int64_t bytes);

  /// Call `take` with each chunk of the row group, by leaf. Errors: as above; those of `take`.
  Status Finish(const std::function<Status(size_t leaf, EncodedChunk chunk)>& take);

 private:
  struct Batch {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    size_t leaves_left = 0;
    int64_t bytes = 0;
    Sizes sizes;  // After these rows; bytes are summed up over the leaves.
  };
  struct Leaf {
    explicit Leaf(LeafShredder leaf_shredder) : shredder(std::move(leaf_shredder)) {}

    LeafShredder shredder;
    std::unique_ptr<ChunkWriter> writer;
    std::deque<std::shared_ptr<Batch>> waiting;
    bool is_running = false;
    std::optional<Result<EncodedChunk>> chunk;
  };

  void Submit(std::function<void()> task);
  template <typename Ready>
  void WaitFor(const Ready& is_ready);
  void EncodeLeaf(size_t index);
  Status EncodeBatch(Leaf& leaf, const Batch& batch);
  void FinishLeaf(size_t index);
  Status TakeOldest();
  Status status();

  const ParquetLayout& layout_;
  const std::vector<ChunkOptions>& options_;
  PageCodecPool& codecs_;
  std::vector<Leaf> leaves_;
  std::deque<std::shared_ptr<Batch>> batches_;  // Under way, oldest first.
  Sizes sizes_;
  int64_t rows_taken_ = 0;
  int64_t waiting_bytes_ = 0;  // Of `batches_`.
  int64_t waiting_bytes_max_ = INT64_MAX;
  std::atomic<bool> is_stopping_ = false;

  std::mutex mutex_;  // Guards queues and chunks of leaves, what batches lack, and the status.
  Status status_;
  std::optional<TaskGroup> jobs_;  // Ends first.
};

}  // namespace firn
