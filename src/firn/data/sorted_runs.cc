#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow_bridge.h"
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
    return encoder_->AppendKeys(*batch_, pool_, keys_);
  }

  const BatchPtr& batch() const { return batch_; }
  size_t row() const { return row_; }
  std::string_view key() const { return keys_.at(row_); }
  bool is_batch_done() const { return row_ == keys_.size(); }
  void Advance() { ++row_; }

 private:
  SpilledRun run_;
  RowKeyEncoder* encoder_;
  arrow::MemoryPool* pool_;
  size_t next_ = 0;
  BatchPtr batch_;
  RowKeys keys_;
  size_t row_ = 0;
};

// Rows that go from one batch of a run into one batch of the result: they follow one another there.
struct Piece {
  BatchPtr batch;
  size_t first = 0;
  size_t count = 0;
};

class MergedRuns final : public BatchStream {
 public:
  MergedRuns(std::vector<SpilledRun> runs, std::shared_ptr<arrow::Schema> schema,
             RowKeyEncoder& encoder, int64_t batch_rows, arrow::MemoryPool* pool)
      : schema_(std::move(schema)), batch_rows_(static_cast<size_t>(batch_rows)), pool_(pool) {
    for (SpilledRun& run : runs)
      cursors_.emplace_back(std::move(run), encoder, pool);
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<BatchPtr> Next() override {
    if (!is_open_) FIRN_RETURN_IF_ERROR(Open());
    std::vector<Piece> pieces;
    std::vector<size_t> order;  // The piece of each row of the result.
    std::vector<size_t> open_pieces(cursors_.size(), SIZE_MAX);
    const auto is_after = [this](size_t a, size_t b) { return IsAfter(a, b); };
    while (!heap_.empty() && order.size() < batch_rows_) {
      std::pop_heap(heap_.begin(), heap_.end(), is_after);
      const size_t first = heap_.back();
      RunCursor& cursor = cursors_[first];
      size_t& piece = open_pieces[first];
      if (piece == SIZE_MAX) {
        piece = pieces.size();
        pieces.push_back({.batch = cursor.batch(), .first = cursor.row()});
      }
      ++pieces[piece].count;
      order.push_back(piece);
      cursor.Advance();
      if (cursor.is_batch_done()) {
        piece = SIZE_MAX;
        FIRN_RETURN_IF_ERROR(cursor.LoadBatch());
      }
      if (cursor.batch() == nullptr) {
        heap_.pop_back();
      } else {
        std::push_heap(heap_.begin(), heap_.end(), is_after);
      }
    }
    if (order.empty()) return BatchPtr();
    return Gather(pieces, order);
  }

 private:
  bool IsAfter(size_t a, size_t b) const {
    const int order = cursors_[a].key().compare(cursors_[b].key());
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

  Result<BatchPtr> Gather(const std::vector<Piece>& pieces, const std::vector<size_t>& order) {
    arrow::RecordBatchVector slices;
    std::vector<int64_t> places;  // Of the next row of each piece among all slices.
    int64_t rows = 0;
    for (const Piece& piece : pieces) {
      const auto count = static_cast<int64_t>(piece.count);
      slices.push_back(piece.batch->Slice(static_cast<int64_t>(piece.first), count));
      places.push_back(rows);
      rows += count;
    }
    if (slices.size() == 1) return slices[0];
    FIRN_ASSIGN(const BatchPtr all, GuardArrowResult(ErrorCode::kInternal, [&] {
                  return arrow::ConcatenateRecordBatches(slices, pool_);
                }));
    std::vector<int64_t> taken;
    taken.reserve(order.size());
    for (const size_t piece : order)
      taken.push_back(places[piece]++);
    return TakeRows(all, taken, pool_);
  }

  std::shared_ptr<arrow::Schema> schema_;
  const size_t batch_rows_;
  arrow::MemoryPool* pool_;
  std::vector<RunCursor> cursors_;
  std::vector<size_t> heap_;  // Of cursors that have a row; the least on top.
  bool is_open_ = false;
};

}  // namespace

Status SpilledRun::Append(const arrow::RecordBatch& batch, arrow::MemoryPool* pool) {
  arrow::ipc::IpcWriteOptions options;
  options.memory_pool = pool;
  options.use_threads = false;
  FIRN_ASSIGN(const auto buffer, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::ipc::SerializeRecordBatch(batch, options);
              }));
  blocks_.push_back({.offset = file_->size(), .length = buffer->size()});
  return file_->Append(
      {reinterpret_cast<const std::byte*>(buffer->data()), static_cast<size_t>(buffer->size())});
}

Result<BatchPtr> SpilledRun::Read(size_t index, arrow::MemoryPool* pool) const {
  const Block& block = blocks_[index];
  FIRN_ASSIGN(std::shared_ptr<arrow::Buffer> buffer, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::AllocateBuffer(block.length, pool);
              }));
  FIRN_RETURN_IF_ERROR(file_->ReadAll(
      block.offset,
      {reinterpret_cast<std::byte*>(buffer->mutable_data()), static_cast<size_t>(block.length)}));
  return GuardArrowResult(ErrorCode::kInternal, [&] {
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.memory_pool = pool;
    options.use_threads = false;
    arrow::io::BufferReader reader(buffer);
    const arrow::ipc::DictionaryMemo dictionaries;
    return arrow::ipc::ReadRecordBatch(schema_, &dictionaries, options, &reader);
  });
}

std::unique_ptr<BatchStream> MergeRuns(std::vector<SpilledRun> runs,
                                       std::shared_ptr<arrow::Schema> schema,
                                       RowKeyEncoder& encoder, int64_t batch_rows,
                                       arrow::MemoryPool* pool) {
  return std::make_unique<MergedRuns>(std::move(runs), std::move(schema), encoder, batch_rows,
                                      pool);
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
