#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <arrow/buffer_builder.h>
#include <arrow/type_fwd.h>

#include "firn/base/cancel.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/sort/sort_keys.h"
#include "firn/io/scratch_file.h"

/// Sorted rows on disk, and their merge.

namespace firn {

/// A scratch file that several threads append blocks to; none is read meanwhile.
class SpillFile {
 public:
  /// Errors: those of ScratchFile.
  static Result<std::shared_ptr<SpillFile>> Make(const std::string& folder);
  explicit SpillFile(std::shared_ptr<ScratchFile> file) : file_(std::move(file)) {}

  /// Append a block that is in pieces. Returns where it begins. Errors: kResourceExhausted: the
  /// disk is full.
  Result<int64_t> Append(std::span<const std::span<const std::byte>> pieces);
  /// Errors: kUnavailable.
  Status ReadAll(int64_t offset, std::span<std::byte> out) { return file_->ReadAll(offset, out); }

 private:
  std::mutex mutex_;
  std::shared_ptr<ScratchFile> file_;
};

/// Sorted batches, written once and read in order. Runs of one file share it.
class SpilledRun {
 public:
  SpilledRun(std::shared_ptr<SpillFile> file, std::shared_ptr<arrow::Schema> schema)
      : file_(std::move(file)), schema_(std::move(schema)) {}

  /// Errors: kResourceExhausted: disk or memory; kUnavailable.
  Status Append(const arrow::RecordBatch& batch, arrow::MemoryPool* pool);
  /// No more is appended.
  void Finish() { room_ = nullptr; }
  size_t size() const { return blocks_.size(); }
  int64_t bytes(size_t index) const { return blocks_[index].length; }
  Result<std::shared_ptr<arrow::RecordBatch>> Read(size_t index, arrow::MemoryPool* pool) const;

 private:
  struct Block {
    int64_t offset = 0;
    int64_t length = 0;
  };

  std::shared_ptr<SpillFile> file_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<Block> blocks_;
  std::shared_ptr<arrow::BufferBuilder> room_;
};

/// What a batch has at most; one row in any case.
struct BatchLimits {
  int64_t rows = 0;
  int64_t bytes = 0;  ///< 0: they need not be counted.
};

/// Merge sorted runs; of rows with equal keys, those of earlier runs come first. Holds a batch of
/// each run, but of one that is a row of more than `held_bytes_max` only the beginning of its key:
/// it is read again when its turn comes, and comes alone. `encoder` and `pool` outlive the stream.
std::unique_ptr<BatchStream> MergeRuns(std::vector<SpilledRun> runs,
                                       std::shared_ptr<arrow::Schema> schema,
                                       RowKeyEncoder& encoder, BatchLimits limits,
                                       int64_t held_bytes_max, arrow::MemoryPool* pool);

/// `rows` of `batch` in that order. Errors: kResourceExhausted.
Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(
    const std::shared_ptr<arrow::RecordBatch>& batch, const std::vector<int64_t>& rows,
    arrow::MemoryPool* pool);

}  // namespace firn
