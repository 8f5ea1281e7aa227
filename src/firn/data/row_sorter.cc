#include "firn/data/row_sorter.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>

#include "firn/base/byte_prefix.h"
#include "firn/data/arrow_bridge.h"
#include "firn/data/budget_pool.h"
#include "firn/data/sorted_runs_internal.h"

namespace firn {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

constexpr int64_t kBudgetShare = 4;
constexpr int64_t kBytesMin = int64_t{2} << 20;
// Texts of one column stay below the 2 GiB that 32-bit offsets reach.
constexpr int64_t kBytesMax = int64_t{1} << 30;
// The batches, and the one that is made of them.
constexpr int64_t kCopies = 2;
// Of a batch of a run on disk, and how many of these the share should hold at least.
constexpr int64_t kBlockBytesMin = int64_t{64} << 10;
constexpr int64_t kBlockBytesMax = int64_t{1} << 20;
constexpr int64_t kBlocksMin = 64;
// Blocks of the share that the merged rows take.
constexpr int64_t kOutputBlocks = 4;

int64_t SizeOf(const arrow::RecordBatch& batch) {
  const auto size = arrow::util::ReferencedBufferSize(batch);
  return size.ok() ? *size : arrow::util::TotalBufferSize(batch);
}

size_t CommonPrefix(const RowKeys& keys) {
  if (keys.size() == 0) return 0;
  const std::string_view first = keys.at(0);
  size_t length = first.size();
  for (size_t row = 1; row < keys.size() && length > 0; ++row) {
    const std::string_view key = keys.at(row).substr(0, length);
    if (key == first.substr(0, length)) continue;
    length = static_cast<size_t>(
        std::mismatch(key.begin(), key.end(), first.begin(), first.end()).first - key.begin());
  }
  return length;
}

// The rows of `keys` in order; equal ones stay as they are.
std::vector<int64_t> SortRowsByKeys(const RowKeys& keys) {
  struct Entry {
    uint64_t prefix;  // Spares most looks at the keys themselves.
    int64_t row;
  };
  const size_t common = CommonPrefix(keys);
  std::vector<Entry> entries(keys.size());
  for (size_t row = 0; row < keys.size(); ++row)
    entries[row] = {BytePrefix(keys.at(row).substr(common)), static_cast<int64_t>(row)};
  const auto is_before = [&keys](const Entry& a, const Entry& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order =
        keys.at(static_cast<size_t>(a.row)).compare(keys.at(static_cast<size_t>(b.row)));
    return order != 0 ? order < 0 : a.row < b.row;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), is_before)) {
    std::sort(entries.begin(), entries.end(), is_before);
  }
  std::vector<int64_t> rows;
  rows.reserve(entries.size());
  for (const Entry& entry : entries)
    rows.push_back(entry.row);
  return rows;
}

// Rows of a batch in an order, made batch by batch.
class OrderedRows final : public BatchStream {
 public:
  OrderedRows(BatchPtr rows, std::vector<int64_t> order, int64_t batch_rows,
              arrow::MemoryPool* pool)
      : rows_(std::move(rows)), order_(std::move(order)), batch_rows_(batch_rows), pool_(pool) {
    is_in_order_ = std::is_sorted(order_.begin(), order_.end());
    if (is_in_order_) order_ = {};
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return rows_->schema(); }

  Result<BatchPtr> Next() override {
    if (next_ >= rows_->num_rows()) return BatchPtr();
    const int64_t count = std::min(batch_rows_, rows_->num_rows() - next_);
    const int64_t first = std::exchange(next_, next_ + count);
    if (is_in_order_) return rows_->Slice(first, count);
    const auto begin = order_.begin() + first;
    return TakeRows(rows_, std::vector<int64_t>(begin, begin + count), pool_);
  }

 private:
  BatchPtr rows_;
  std::vector<int64_t> order_;
  const int64_t batch_rows_;
  arrow::MemoryPool* pool_;
  bool is_in_order_ = false;
  int64_t next_ = 0;
};

class RowSorter final : public BatchStream {
 public:
  RowSorter(const RowSortContext& context, std::unique_ptr<RowKeyEncoder> encoder,
            std::unique_ptr<BatchStream> rows)
      : context_(context),
        encoder_(std::move(encoder)),
        rows_(std::move(rows)),
        schema_(rows_->schema()),
        pool_(BudgetPool::Make(context.budget->total_bytes())) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<BatchPtr> Next() override {
    if (sorted_ == nullptr) FIRN_RETURN_IF_ERROR(Sort());
    FIRN_RETURN_IF_ERROR(context_.cancel.Check());
    return sorted_->Next();
  }

 private:
  Status Sort() {
    TakeShare();
    while (true) {
      FIRN_RETURN_IF_ERROR(context_.cancel.Check());
      FIRN_ASSIGN(BatchPtr batch, rows_->Next());
      if (batch == nullptr) break;
      FIRN_RETURN_IF_ERROR(encoder_->AppendKeys(*batch, pool_.get(), keys_));
      bytes_ += SizeOf(*batch);
      batches_.push_back(std::move(batch));
      if (bytes_ + keys_.memory_bytes() >= bytes_max_) FIRN_RETURN_IF_ERROR(Spill());
    }
    rows_ = nullptr;
    if (runs_.empty()) {
      FIRN_ASSIGN(sorted_, SortGathered(context_.batch_rows_max));
    } else {
      FIRN_RETURN_IF_ERROR(Spill());
      FIRN_RETURN_IF_ERROR(MergeDown());
    }
    memory_.ShrinkTo(bytes_max_);
    return {};
  }

  // Takes less than its share if that is not free, and the least it works with in any case.
  void TakeShare() {
    bytes_max_ = std::clamp(context_.budget->total_bytes() / kBudgetShare, kBytesMin, kBytesMax);
    while (true) {
      Result<MemoryReservation> memory = context_.budget->TryReserve(kCopies * bytes_max_);
      if (memory.ok()) memory_ = std::move(*memory);
      if (memory.ok() || bytes_max_ <= kBytesMin) break;
      bytes_max_ = std::max(bytes_max_ / 2, kBytesMin);
    }
    block_bytes_ = std::clamp(bytes_max_ / kBlocksMin, kBlockBytesMin, kBlockBytesMax);
  }

  // The rows that were gathered, sorted; none are gathered after it.
  Result<std::unique_ptr<BatchStream>> SortGathered(int64_t batch_rows) {
    const std::vector<BatchPtr> batches = std::exchange(batches_, {});
    bytes_ = 0;
    std::vector<int64_t> order = SortRowsByKeys(keys_);
    keys_.Clear();
    BatchPtr all;
    if (batches.size() == 1) {
      all = batches[0];
    } else if (batches.empty()) {
      FIRN_ASSIGN(all, GuardArrowResult(ErrorCode::kInternal, [this] {
                    return arrow::RecordBatch::MakeEmpty(schema_, pool_.get());
                  }));
    } else {
      FIRN_ASSIGN(all, GuardArrowResult(ErrorCode::kInternal, [&] {
                    return arrow::ConcatenateRecordBatches(batches, pool_.get());
                  }));
    }
    return std::make_unique<OrderedRows>(std::move(all), std::move(order), batch_rows, pool_.get());
  }

  Status Spill() {
    if (batches_.empty()) return {};
    const int64_t row_bytes =
        (bytes_ + keys_.memory_bytes()) / std::max<int64_t>(static_cast<int64_t>(keys_.size()), 1);
    block_rows_ = std::clamp<int64_t>(block_bytes_ / std::max<int64_t>(row_bytes, 1), 1,
                                      context_.batch_rows_max);
    FIRN_ASSIGN(const auto rows, SortGathered(block_rows_));
    return WriteRun(*rows, runs_);
  }

  Status WriteRun(BatchStream& rows, std::vector<SpilledRun>& runs) {
    if (runs.empty()) {
      FIRN_ASSIGN(file_, ScratchFile::Make(context_.spill_folder), "sorting rows");
    }
    SpilledRun run(file_, schema_);
    while (true) {
      FIRN_RETURN_IF_ERROR(context_.cancel.Check());
      FIRN_ASSIGN(const BatchPtr batch, rows.Next());
      if (batch == nullptr) break;
      FIRN_RETURN_IF_ERROR(run.Append(*batch, pool_.get()), "sorting rows");
    }
    runs.push_back(std::move(run));
    return {};
  }

  // Merges neighbouring runs until the rest can be merged in one go.
  Status MergeDown() {
    const auto fan_in =
        static_cast<size_t>(std::max<int64_t>(bytes_max_ / block_bytes_ - kOutputBlocks, 2));
    while (runs_.size() > fan_in) {
      std::vector<SpilledRun> merged;
      for (size_t begin = 0; begin < runs_.size(); begin += fan_in) {
        const size_t end = std::min(begin + fan_in, runs_.size());
        std::vector<SpilledRun> inputs(
            std::make_move_iterator(runs_.begin() + static_cast<int64_t>(begin)),
            std::make_move_iterator(runs_.begin() + static_cast<int64_t>(end)));
        const auto rows =
            MergeRuns(std::move(inputs), schema_, *encoder_, block_rows_, pool_.get());
        FIRN_RETURN_IF_ERROR(WriteRun(*rows, merged));
      }
      runs_ = std::move(merged);
    }
    sorted_ = MergeRuns(std::move(runs_), schema_, *encoder_, block_rows_, pool_.get());
    return {};
  }

  const RowSortContext context_;
  std::unique_ptr<RowKeyEncoder> encoder_;
  std::unique_ptr<BatchStream> rows_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<BudgetPool> pool_;
  MemoryReservation memory_;
  int64_t bytes_max_ = 0;
  int64_t block_bytes_ = 0;
  int64_t block_rows_ = 1;
  std::vector<BatchPtr> batches_;
  RowKeys keys_;  // Of `batches_`.
  int64_t bytes_ = 0;
  std::shared_ptr<ScratchFile> file_;  // Of the newest runs.
  std::vector<SpilledRun> runs_;
  std::unique_ptr<BatchStream> sorted_;
};

}  // namespace

std::unique_ptr<BatchStream> SortRows(const RowSortContext& context,
                                      std::unique_ptr<RowKeyEncoder> encoder,
                                      std::unique_ptr<BatchStream> rows) {
  return std::make_unique<RowSorter>(context, std::move(encoder), std::move(rows));
}

}  // namespace firn
