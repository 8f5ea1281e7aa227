#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/parquet/column_set_internal.h"

namespace firn {
namespace {

class ArrowColumnSet final : public ColumnSet {
 public:
  ArrowColumnSet(std::unique_ptr<arrow::RecordBatchReader> batches, std::shared_ptr<void> owner,
                 arrow::MemoryPool* pool)
      : owner_(std::move(owner)), batches_(std::move(batches)), pool_(pool) {}

  Result<Columns> Read(int64_t rows) override {
    return GuardArrowResult(ErrorCode::kCorrupt, [&] { return Take(rows); });
  }

  Result<Columns> Pick(int64_t rows, std::span<const uint32_t> picks) override {
    FIRN_ASSIGN(Columns columns, Read(rows));
    for (std::shared_ptr<arrow::ArrayData>& column : columns) {
      FIRN_ASSIGN(column, PickRows(column, picks, pool_));
    }
    return columns;
  }

  Status Skip(int64_t rows) override {
    return GuardArrow(ErrorCode::kCorrupt, [&] { return Drop(rows); });
  }

 private:
  int64_t left() const { return batch_ == nullptr ? 0 : batch_->num_rows() - next_; }

  // Go to a batch that has rows left.
  arrow::Status Reach() {
    while (left() == 0) {
      ARROW_RETURN_NOT_OK(batches_->ReadNext(&batch_));
      next_ = 0;
      if (batch_ == nullptr) {
        return arrow::Status::Invalid("column '", batches_->schema()->field(0)->name(),
                                      "' does not have the rows that the footer tells");
      }
    }
    return arrow::Status::OK();
  }

  arrow::Result<Columns> Take(int64_t rows) {
    std::vector<std::shared_ptr<arrow::RecordBatch>> pieces;
    do {
      ARROW_RETURN_NOT_OK(Reach());
      const int64_t step = std::min(rows, left());
      pieces.push_back(batch_->Slice(next_, step));
      next_ += step;
      rows -= step;
    } while (rows > 0);
    Columns columns;
    for (int i = 0; i < pieces[0]->num_columns(); ++i) {
      arrow::ArrayVector parts;
      for (const auto& piece : pieces)
        parts.push_back(piece->column(i));
      if (parts.size() == 1) {
        columns.push_back(parts[0]->data());
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(const auto joined, arrow::Concatenate(parts));
      columns.push_back(joined->data());
    }
    return columns;
  }

  arrow::Status Drop(int64_t rows) {
    while (rows > 0) {
      ARROW_RETURN_NOT_OK(Reach());
      const int64_t step = std::min(rows, left());
      next_ += step;
      rows -= step;
    }
    return arrow::Status::OK();
  }

  std::shared_ptr<void> owner_;  // `batches_` reads through it.
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  int64_t next_ = 0;  // In the batch.
};

}  // namespace

Result<std::shared_ptr<arrow::ArrayData>> PickRows(const std::shared_ptr<arrow::ArrayData>& column,
                                                   std::span<const uint32_t> picks,
                                                   arrow::MemoryPool* pool) {
  FIRN_RETURN_IF_ERROR(InitializeArrowCompute());
  return GuardArrowResult(
      ErrorCode::kInternal, [&]() -> arrow::Result<std::shared_ptr<arrow::ArrayData>> {
        const arrow::UInt32Array places(static_cast<int64_t>(picks.size()),
                                        arrow::Buffer::Wrap(picks.data(), picks.size()));
        arrow::compute::ExecContext context(pool);
        ARROW_ASSIGN_OR_RAISE(
            const arrow::Datum picked,
            arrow::compute::Take(column, places.data(),
                                 arrow::compute::TakeOptions::NoBoundsCheck(), &context));
        return picked.array();
      });
}

std::unique_ptr<ColumnSet> MakeArrowColumnSet(std::unique_ptr<arrow::RecordBatchReader> batches,
                                              std::shared_ptr<void> owner,
                                              arrow::MemoryPool* pool) {
  return std::make_unique<ArrowColumnSet>(std::move(batches), std::move(owner), pool);
}

}  // namespace firn
