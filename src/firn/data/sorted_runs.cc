#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow_bridge.h"
#include "firn/data/gather_rows_internal.h"
#include "firn/data/key_order_internal.h"
#include "firn/data/packed_batch_internal.h"
#include "firn/data/row_sizes_internal.h"
#include "firn/data/sorted_runs_internal.h"

namespace firn {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// Reads a run and knows the key of its next row.
class RunCursor {
 public:
  RunCursor(SpilledRun run, RowKeyEncoder& encoder, arrow::MemoryPool* pool)
      : run_(std::move(run)), encoder_(&encoder), pool_(pool) {}

  /// Go to the first row of the next batch; at the end there is no batch.
  Status LoadBatch() {
    batch_ = nullptr;
    row_ = 0;
    keys_.Clear();
    if (next_ == run_.size()) return {};
    FIRN_ASSIGN(batch_, run_.Read(next_++, pool_));
    FIRN_RETURN_IF_ERROR(encoder_->AppendKeys(*batch_, pool_, keys_));
    prefix_ = PrefixOf(keys_.at(0));
    return {};
  }

  const BatchPtr& batch() const { return batch_; }
  size_t row() const { return row_; }
  /// False: that was the last row of the batch.
  bool Advance() {
    if (++row_ == keys_.size()) return false;
    prefix_ = PrefixOf(keys_.at(row_));
    return true;
  }

  /// Of the keys of the next rows: below 0, 0 or above.
  int Compare(const RunCursor& other) const {
    if (prefix_ != other.prefix_) return prefix_ < other.prefix_ ? -1 : 1;
    return keys_.at(row_).compare(other.keys_.at(other.row_));
  }

 private:
  SpilledRun run_;
  RowKeyEncoder* encoder_;
  arrow::MemoryPool* pool_;
  size_t next_ = 0;
  BatchPtr batch_;
  RowKeys keys_;
  size_t row_ = 0;
  KeyPrefix prefix_;
};

class MergedRuns final : public BatchStream {
 public:
  MergedRuns(std::vector<SpilledRun> runs, std::shared_ptr<arrow::Schema> schema,
             RowKeyEncoder& encoder, BatchLimits limits, arrow::MemoryPool* pool)
      : schema_(std::move(schema)), limits_(limits), pool_(pool) {
    for (SpilledRun& run : runs)
      cursors_.emplace_back(std::move(run), encoder, pool);
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<BatchPtr> Next() override {
    if (!is_open_) FIRN_RETURN_IF_ERROR(Open());
    std::vector<BatchPtr> batches;
    std::vector<RowPlace> places;
    places.reserve(static_cast<size_t>(limits_.rows));
    int64_t bytes = 0;
    constexpr uint32_t kNone = UINT32_MAX;
    std::vector<uint32_t> open(cursors_.size(), kNone);  // Cursor to its batch among `batches`.
    while (!heap_.empty() && std::ssize(places) < limits_.rows) {
      const size_t first = heap_.front();
      RunCursor& cursor = cursors_[first];
      if (limits_.bytes > 0) {
        bytes += RowBytes(*cursor.batch(), static_cast<int64_t>(cursor.row()));
        if (bytes > limits_.bytes && !places.empty()) break;
      }
      if (open[first] == kNone) {
        open[first] = static_cast<uint32_t>(batches.size());
        batches.push_back(cursor.batch());
      }
      places.push_back({open[first], static_cast<uint32_t>(cursor.row())});
      if (!cursor.Advance()) {
        open[first] = kNone;
        FIRN_RETURN_IF_ERROR(cursor.LoadBatch());
        if (cursor.batch() == nullptr) {
          heap_.front() = heap_.back();
          heap_.pop_back();
        }
      }
      SinkFirst();
    }
    if (places.empty()) return BatchPtr();
    return GatherRows(batches, places, pool_);
  }

 private:
  bool IsAfter(size_t a, size_t b) const {
    const int order = cursors_[a].Compare(cursors_[b]);
    return order != 0 ? order > 0 : a > b;
  }

  Status Open() {
    is_open_ = true;
    for (size_t i = 0; i < cursors_.size(); ++i) {
      FIRN_RETURN_IF_ERROR(cursors_[i].LoadBatch());
      if (cursors_[i].batch() != nullptr) heap_.push_back(i);
    }
    std::make_heap(heap_.begin(), heap_.end(),
                   [this](size_t a, size_t b) { return IsAfter(a, b); });
    return {};
  }

  // Only the first of the heap may be at the wrong place: it goes down to its own.
  void SinkFirst() {
    size_t at = 0;
    while (true) {
      size_t child = 2 * at + 1;
      if (child >= heap_.size()) return;
      if (child + 1 < heap_.size() && IsAfter(heap_[child], heap_[child + 1])) ++child;
      if (!IsAfter(heap_[at], heap_[child])) return;
      std::swap(heap_[at], heap_[child]);
      at = child;
    }
  }

  std::shared_ptr<arrow::Schema> schema_;
  const BatchLimits limits_;
  arrow::MemoryPool* pool_;
  std::vector<RunCursor> cursors_;
  std::vector<size_t> heap_;  // Of cursors that have a row; the least on top.
  bool is_open_ = false;
};

}  // namespace

Result<std::shared_ptr<SpillFile>> SpillFile::Make(const std::string& folder) {
  FIRN_ASSIGN(auto file, ScratchFile::Make(folder));
  return std::make_shared<SpillFile>(std::move(file));
}

Result<int64_t> SpillFile::Append(std::span<const std::byte> block) {
  const std::lock_guard lock(mutex_);
  const int64_t offset = file_->size();
  FIRN_RETURN_IF_ERROR(file_->Append(block));
  return offset;
}

Status SpilledRun::Append(const arrow::RecordBatch& batch, arrow::MemoryPool* pool) {
  // One room for all blocks: memory from the system anew for each would cost more than the copy.
  if (room_ == nullptr) room_ = std::make_shared<arrow::BufferBuilder>(pool);
  room_->Rewind(0);
  FIRN_RETURN_IF_ERROR(
      GuardArrow(ErrorCode::kInternal, [&] { return PackBatch(batch, pool, *room_); }));
  const std::span block(reinterpret_cast<const std::byte*>(room_->data()),
                        static_cast<size_t>(room_->length()));
  FIRN_ASSIGN(const int64_t offset, file_->Append(block));
  blocks_.push_back({.offset = offset, .length = room_->length()});
  return {};
}

Result<BatchPtr> SpilledRun::Read(size_t index, arrow::MemoryPool* pool) const {
  const Block& block = blocks_[index];
  FIRN_ASSIGN(std::shared_ptr<arrow::Buffer> buffer, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::AllocateBuffer(block.length, pool);
              }));
  FIRN_RETURN_IF_ERROR(file_->ReadAll(
      block.offset,
      {reinterpret_cast<std::byte*>(buffer->mutable_data()), static_cast<size_t>(block.length)}));
  return GuardArrowResult(ErrorCode::kInternal, [&] { return UnpackBatch(schema_, buffer, pool); });
}

std::unique_ptr<BatchStream> MergeRuns(std::vector<SpilledRun> runs,
                                       std::shared_ptr<arrow::Schema> schema,
                                       RowKeyEncoder& encoder, BatchLimits limits,
                                       arrow::MemoryPool* pool) {
  return std::make_unique<MergedRuns>(std::move(runs), std::move(schema), encoder, limits, pool);
}

Result<BatchPtr> TakeRows(const BatchPtr& batch, const std::vector<int64_t>& rows,
                          arrow::MemoryPool* pool) {
  FIRN_RETURN_IF_ERROR(InitializeArrowCompute());
  return GuardArrowResult(ErrorCode::kInternal, [&]() -> arrow::Result<BatchPtr> {
    const arrow::Int64Array indices(static_cast<int64_t>(rows.size()), arrow::Buffer::Wrap(rows));
    arrow::compute::ExecContext context(pool);
    context.set_use_threads(false);
    ARROW_ASSIGN_OR_RAISE(
        const arrow::Datum taken,
        arrow::compute::Take(batch, indices, arrow::compute::TakeOptions::NoBoundsCheck(),
                             &context));
    return taken.record_batch();
  });
}

}  // namespace firn
