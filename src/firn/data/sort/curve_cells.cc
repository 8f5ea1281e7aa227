#include "firn/data/sort/curve_cells.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

namespace firn {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

class SharedEncoder final : public RowKeyEncoder {
 public:
  explicit SharedEncoder(std::shared_ptr<RowKeyEncoder> encoder) : encoder_(std::move(encoder)) {}

  Status AppendKeys(const arrow::RecordBatch& batch, arrow::MemoryPool* pool,
                    RowKeys& keys) override {
    return encoder_->AppendKeys(batch, pool, keys);
  }

 private:
  const std::shared_ptr<RowKeyEncoder> encoder_;
};

// The place of a row on the curve, by the cells of the finest level.
uint32_t CellOf(std::string_view key) {
  uint32_t bits = 0;
  for (size_t i = 0; i < 4; ++i)
    bits = (bits << 8) | (i < key.size() ? static_cast<uint8_t>(key[i]) : 0U);
  return bits >> (32 - CurveCells::kLevels);
}

class MarkedRows final : public BatchStream {
 public:
  MarkedRows(std::unique_ptr<BatchStream> rows, std::unique_ptr<RowKeyEncoder> encoder,
             std::shared_ptr<CurveCells> cells)
      : rows_(std::move(rows)), encoder_(std::move(encoder)), cells_(std::move(cells)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return rows_->schema(); }

  Result<BatchPtr> Next() override {
    FIRN_ASSIGN(const BatchPtr batch, rows_->Next());
    if (batch == nullptr || batch->num_rows() == 0) return batch;
    FIRN_ASSIGN(const uint32_t first, CellAt(*batch, 0));
    FIRN_ASSIGN(const uint32_t last, CellAt(*batch, batch->num_rows() - 1));
    if (rows_before_ > 0) MarkChange(rows_before_, last_cell_, first);
    FIRN_RETURN_IF_ERROR(MarkBetween(*batch, {0, first}, {batch->num_rows() - 1, last}));
    rows_before_ += batch->num_rows();
    last_cell_ = last;
    return batch;
  }

 private:
  struct Place {
    int64_t row = 0;
    uint32_t cell = 0;
  };

  Result<uint32_t> CellAt(const arrow::RecordBatch& batch, int64_t row) const {
    RowKeys keys;
    FIRN_RETURN_IF_ERROR(
        encoder_->AppendKeys(*batch.Slice(row, 1), arrow::default_memory_pool(), keys));
    return CellOf(keys.at(0));
  }

  void MarkChange(int64_t row, uint32_t before, uint32_t after) const {
    if (before == after) return;
    const int equal_bits = std::countl_zero(before ^ after) - (32 - CurveCells::kLevels);
    cells_->Mark(row, equal_bits + 1);
  }

  // The cells between two rows are in order: halves without a change need no look.
  Status MarkBetween(const arrow::RecordBatch& batch, Place first, Place last) const {
    if (first.cell == last.cell) return {};
    if (last.row == first.row + 1) {
      MarkChange(rows_before_ + last.row, first.cell, last.cell);
      return {};
    }
    const int64_t middle = first.row + (last.row - first.row) / 2;
    FIRN_ASSIGN(const uint32_t cell, CellAt(batch, middle));
    FIRN_RETURN_IF_ERROR(MarkBetween(batch, first, {middle, cell}));
    return MarkBetween(batch, {middle, cell}, last);
  }

  const std::unique_ptr<BatchStream> rows_;
  const std::unique_ptr<RowKeyEncoder> encoder_;
  const std::shared_ptr<CurveCells> cells_;
  int64_t rows_before_ = 0;
  uint32_t last_cell_ = 0;
};

}  // namespace

void CurveCells::Mark(int64_t row, int level) {
  const std::lock_guard lock(mutex_);
  levels_[row] = level;
}

std::optional<int64_t> CurveCells::FindBorder(int64_t begin, int64_t end, int level) const {
  const std::lock_guard lock(mutex_);
  for (auto it = levels_.upper_bound(begin); it != levels_.end() && it->first <= end; ++it) {
    if (it->second <= level) return it->first;
  }
  return std::nullopt;
}

void CurveCells::Forget(int64_t row) {
  const std::lock_guard lock(mutex_);
  levels_.erase(levels_.begin(), levels_.lower_bound(row));
}

std::unique_ptr<RowKeyEncoder> ShareEncoder(std::shared_ptr<RowKeyEncoder> encoder) {
  return std::make_unique<SharedEncoder>(std::move(encoder));
}

std::unique_ptr<BatchStream> MarkCells(std::unique_ptr<BatchStream> rows,
                                       std::unique_ptr<RowKeyEncoder> encoder,
                                       std::shared_ptr<CurveCells> cells) {
  return std::make_unique<MarkedRows>(std::move(rows), std::move(encoder), std::move(cells));
}

}  // namespace firn
