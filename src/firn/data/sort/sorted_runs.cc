#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/gather_rows_internal.h"
#include "firn/data/arrow/row_sizes_internal.h"
#include "firn/data/sort/key_order_internal.h"
#include "firn/data/sort/packed_batch_internal.h"
#include "firn/data/sort/sorted_runs_internal.h"

namespace firn {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// Of the key of a row that is not held.
constexpr size_t kHeldKeyBytes = size_t{64} << 10;

// Reads a run and knows the key of its next row.
class RunCursor {
 public:
  RunCursor(SpilledRun run, RowKeyEncoder& encoder, int64_t held_bytes_max, arrow::MemoryPool* pool)
      : run_(std::move(run)), encoder_(&encoder), held_bytes_max_(held_bytes_max), pool_(pool) {}

  /// Go to the first row of the next batch; false at the end.
  Result<bool> LoadBatch() {
    batch_ = nullptr;
    row_ = 0;
    keys_.Clear();
    if (next_ == run_.size()) return false;
    FIRN_ASSIGN(batch_, run_.Read(next_, pool_));
    FIRN_RETURN_IF_ERROR(encoder_->AppendKeys(*batch_, pool_, keys_));
    prefix_ = PrefixOf(keys_.at(0));
    is_cut_ = false;
    if (keys_.size() == 1 && run_.bytes(next_) > held_bytes_max_) LetGo();
    ++next_;
    return true;
  }

  /// Null: the next row is one that is too large to be held.
  const BatchPtr& batch() const { return batch_; }
  Result<BatchPtr> ReadAgain() const { return run_.Read(next_ - 1, pool_); }

  size_t row() const { return row_; }
  /// False: that was the last row of the batch.
  bool Advance() {
    if (++row_ == keys_.size()) return false;
    prefix_ = PrefixOf(keys_.at(row_));
    return true;
  }

  /// Of the keys of the next rows: below 0, 0 or above. Errors: those of reading.
  Result<int> Compare(const RunCursor& other) const {
    if (prefix_ != other.prefix_) return prefix_ < other.prefix_ ? -1 : 1;
    const std::string_view key = keys_.at(row_);
    const std::string_view others = other.keys_.at(other.row_);
    const bool is_known =
        (!is_cut_ || key.size() > others.size()) && (!other.is_cut_ || others.size() > key.size());
    const size_t shared = std::min(key.size(), others.size());
    if (is_known || key.substr(0, shared) != others.substr(0, shared)) return key.compare(others);
    FIRN_ASSIGN(const RowKeys whole, WholeKey());
    FIRN_ASSIGN(const RowKeys others_whole, other.WholeKey());
    return whole.at(0).compare(others_whole.at(0));
  }

 private:
  void LetGo() {
    batch_ = nullptr;
    is_cut_ = keys_.at(0).size() > kHeldKeyBytes;
    if (!is_cut_) return;
    RowKeys cut;
    cut.bytes() = keys_.at(0).substr(0, kHeldKeyBytes);
    cut.EndRow();
    keys_ = std::move(cut);
  }

  // Of the next row.
  Result<RowKeys> WholeKey() const {
    RowKeys keys;
    if (is_cut_) {
      FIRN_ASSIGN(const BatchPtr batch, ReadAgain());
      FIRN_RETURN_IF_ERROR(encoder_->AppendKeys(*batch, pool_, keys));
    } else {
      keys.bytes() = keys_.at(row_);
      keys.EndRow();
    }
    return keys;
  }

  SpilledRun run_;
  RowKeyEncoder* encoder_;
  int64_t held_bytes_max_;
  arrow::MemoryPool* pool_;
  size_t next_ = 0;
  BatchPtr batch_;
  RowKeys keys_;
  size_t row_ = 0;
  KeyPrefix prefix_;
  bool is_cut_ = false;  // The key, of which only the beginning is held.
};

class MergedRuns final : public BatchStream {
 public:
  MergedRuns(std::vector<SpilledRun> runs, std::shared_ptr<arrow::Schema> schema,
             RowKeyEncoder& encoder, BatchLimits limits, int64_t held_bytes_max,
             arrow::MemoryPool* pool)
      : schema_(std::move(schema)), limits_(limits), pool_(pool) {
    for (SpilledRun& run : runs)
      cursors_.emplace_back(std::move(run), encoder, held_bytes_max, pool);
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<BatchPtr> Next() override {
    if (!is_open_) FIRN_RETURN_IF_ERROR(Open());
    // Whoever had that row has let it go.
    if (std::exchange(is_first_done_, false)) FIRN_RETURN_IF_ERROR(LoadFirst());
    std::vector<BatchPtr> batches;
    std::vector<RowPlace> places;
    places.reserve(static_cast<size_t>(limits_.rows));
    int64_t bytes = 0;
    constexpr uint32_t kNone = UINT32_MAX;
    std::vector<uint32_t> open(cursors_.size(), kNone);  // Cursor to its batch among `batches`.
    while (!heap_.empty() && std::ssize(places) < limits_.rows) {
      const size_t first = heap_.front();
      RunCursor& cursor = cursors_[first];
      if (cursor.batch() == nullptr) {
        if (!places.empty()) break;
        is_first_done_ = true;
        return cursor.ReadAgain();
      }
      if (limits_.bytes > 0) {
        bytes += RowBytes(*cursor.batch(), static_cast<int64_t>(cursor.row()));
        if (bytes > limits_.bytes && !places.empty()) break;
      }
      if (open[first] == kNone) {
        open[first] = static_cast<uint32_t>(batches.size());
        batches.push_back(cursor.batch());
      }
      places.push_back({open[first], static_cast<uint32_t>(cursor.row())});
      if (cursor.Advance()) {
        SinkFirst();
        FIRN_RETURN_IF_ERROR(comparing_);
      } else {
        open[first] = kNone;
        FIRN_RETURN_IF_ERROR(LoadFirst());
      }
    }
    if (places.empty()) return BatchPtr();
    return GatherRows(batches, places, pool_);
  }

 private:
  // An error is told by Next.
  bool IsAfter(size_t a, size_t b) {
    const Result<int> order = cursors_[a].Compare(cursors_[b]);
    if (!order.ok() && comparing_.ok()) comparing_ = order.error();
    return order.ok() && *order != 0 ? *order > 0 : a > b;
  }

  Status Open() {
    is_open_ = true;
    for (size_t i = 0; i < cursors_.size(); ++i) {
      FIRN_ASSIGN(const bool has_rows, cursors_[i].LoadBatch());
      if (has_rows) heap_.push_back(i);
    }
    std::make_heap(heap_.begin(), heap_.end(),
                   [this](size_t a, size_t b) { return IsAfter(a, b); });
    return comparing_;
  }

  // The first of the heap goes to its next batch, or out of the heap.
  Status LoadFirst() {
    FIRN_ASSIGN(const bool has_rows, cursors_[heap_.front()].LoadBatch());
    if (!has_rows) {
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    SinkFirst();
    return comparing_;
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
  Status comparing_;
  bool is_first_done_ = false;  // Its row, which was all of its batch, was handed out.
};

}  // namespace

Result<std::shared_ptr<SpillFile>> SpillFile::Make(const std::string& folder) {
  FIRN_ASSIGN(auto file, ScratchFile::Make(folder));
  return std::make_shared<SpillFile>(std::move(file));
}

Result<int64_t> SpillFile::Append(std::span<const std::span<const std::byte>> pieces) {
  const std::lock_guard lock(mutex_);
  const int64_t offset = file_->size();
  for (const std::span<const std::byte> piece : pieces)
    FIRN_RETURN_IF_ERROR(file_->Append(piece));
  return offset;
}

Status SpilledRun::Append(const arrow::RecordBatch& batch, arrow::MemoryPool* pool) {
  // One room for all blocks: memory from the system anew for each would cost more than the copy.
  if (room_ == nullptr) room_ = std::make_shared<arrow::BufferBuilder>(pool);
  room_->Rewind(0);
  FIRN_ASSIGN(const auto pieces, GuardArrowResult(ErrorCode::kInternal, [&] {
                return PackInPieces(batch, pool, *room_);
              }));
  int64_t length = 0;
  for (const std::span<const std::byte> piece : pieces)
    length += std::ssize(piece);
  FIRN_ASSIGN(const int64_t offset, file_->Append(pieces));
  blocks_.push_back({.offset = offset, .length = length});
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
                                       int64_t held_bytes_max, arrow::MemoryPool* pool) {
  return std::make_unique<MergedRuns>(std::move(runs), std::move(schema), encoder, limits,
                                      held_bytes_max, pool);
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
