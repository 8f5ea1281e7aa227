#include "firn/data/sort/row_sorter.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>

#include "firn/base/task_group.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/arrow/gather_rows_internal.h"
#include "firn/data/arrow/read_ahead_internal.h"
#include "firn/data/arrow/row_sizes_internal.h"
#include "firn/data/sort/key_order_internal.h"
#include "firn/data/sort/sorted_runs_internal.h"

namespace firn {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

constexpr int64_t kBudgetShare = 2;
constexpr int64_t kBytesMin = int64_t{2} << 20;
constexpr int64_t kBytesMax = int64_t{1} << 30;
// Runs that are sorted while the rows of another are read, at most.
constexpr size_t kSortedAtOnceMax = 4;
// Of a batch of a run on disk, and how many of these the share should hold at least.
constexpr int64_t kBlockBytesMin = int64_t{64} << 10;
constexpr int64_t kBlockBytesMax = int64_t{1} << 20;
constexpr int64_t kBlocksMin = 64;
// Blocks that the merged rows take: those that are ready, and the one in work.
constexpr int64_t kOutputBlocks = 4;
constexpr size_t kMergedAhead = 2;
// Blocks that a batch has at most where rows differ much: of what comes out, and of a run on disk,
// of which the merge holds many at once. It holds no larger row than that either.
constexpr int64_t kBatchBlocks = 16;
constexpr int64_t kRunBlocks = 4;
// A row of such a share of what may be gathered is large: no run is gathered beside one of them.
constexpr int64_t kLargeRowShare = 8;

int64_t SizeOf(const arrow::RecordBatch& batch) {
  const auto size = arrow::util::ReferencedBufferSize(batch);
  return size.ok() ? *size : arrow::util::TotalBufferSize(batch);
}

// Rows that are sorted as one run.
struct Gathered {
  std::vector<BatchPtr> batches;
  RowKeys keys;
  int64_t batch_bytes = 0;

  // Including what sorting takes.
  int64_t memory_bytes() const {
    constexpr auto kPerRow = static_cast<int64_t>(sizeof(KeyedRow) + sizeof(RowPlace));
    return batch_bytes + keys.memory_bytes() + static_cast<int64_t>(keys.size()) * kPerRow;
  }
};

// Rows of some batches in an order, made batch by batch.
class OrderedRows final : public BatchStream {
 public:
  OrderedRows(std::shared_ptr<arrow::Schema> schema, std::vector<BatchPtr> batches,
              std::vector<RowPlace> order, BatchLimits limits, arrow::MemoryPool* pool)
      : schema_(std::move(schema)),
        batches_(std::move(batches)),
        order_(std::move(order)),
        limits_(limits),
        pool_(pool) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<BatchPtr> Next() override {
    if (next_ == order_.size()) return BatchPtr();
    size_t count = std::min(static_cast<size_t>(limits_.rows), order_.size() - next_);
    std::span<const RowPlace> places = std::span(order_).subspan(next_, count);
    if (limits_.bytes > 0) {
      count = CountRowsWithin(batches_, places, limits_.bytes);
      places = places.first(count);
    }
    next_ += count;
    if (AreConsecutive(places)) {
      return batches_[places[0].batch]->Slice(places[0].row, static_cast<int64_t>(count));
    }
    return GatherRows(batches_, places, pool_);
  }

 private:
  static bool AreConsecutive(std::span<const RowPlace> places) {
    for (size_t i = 1; i < places.size(); ++i) {
      const bool follows = places[i].batch == places[0].batch && places[i].row == places[0].row + i;
      if (!follows) return false;
    }
    return true;
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<BatchPtr> batches_;
  std::vector<RowPlace> order_;
  const BatchLimits limits_;
  arrow::MemoryPool* pool_;
  size_t next_ = 0;
};

std::vector<RowPlace> PlacesOf(const std::vector<BatchPtr>& batches) {
  std::vector<RowPlace> places;
  for (size_t batch = 0; batch < batches.size(); ++batch) {
    for (int64_t row = 0; row < batches[batch]->num_rows(); ++row)
      places.push_back({static_cast<uint32_t>(batch), static_cast<uint32_t>(row)});
  }
  return places;
}

// A run that is being sorted and written.
struct RunInWork {
  std::optional<SpilledRun> run;  // Written, unless the status is an error.
  Status status;
  std::atomic<bool> is_done = false;
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
      if (batch->num_rows() == 0) continue;
      FIRN_RETURN_IF_ERROR(encoder_->AppendKeys(*batch, pool_.get(), gathered_.keys));
      const int64_t bytes = SizeOf(*batch);
      largest_row_ = std::max(largest_row_, LargestRowBytes(*batch));
      for (auto row = gathered_.keys.size() - static_cast<size_t>(batch->num_rows());
           row < gathered_.keys.size(); ++row)
        largest_key_ = std::max(largest_key_, std::ssize(gathered_.keys.at(row)));
      gathered_.batch_bytes += bytes;
      gathered_.batches.push_back(std::move(batch));
      // The next batch may be as large.
      const int64_t more = has_large_rows() ? bytes : 0;
      if (gathered_.memory_bytes() + more >= bytes_max_) FIRN_RETURN_IF_ERROR(Spill());
    }
    rows_ = nullptr;
    if (block_rows_ == 0) {
      sorted_ = SortGathered(std::move(gathered_), LimitsOf(context_.batch_rows_max, kBatchBlocks));
    } else {
      FIRN_RETURN_IF_ERROR(Spill());
      FIRN_RETURN_IF_ERROR(TakeRuns(0));
      FIRN_RETURN_IF_ERROR(MergeDown());
    }
    memory_.ShrinkTo(std::max(bytes_max_, merge_bytes()));
    return {};
  }

  // Rows that are gathered, and runs that are sorted meanwhile.
  int64_t copies() const { return static_cast<int64_t>(sorted_at_once_) + 1; }
  int64_t merge_bytes() const { return copies() * bytes_max_ / 2; }

  // Takes less than its share if that is not free, and the least it works with in any case.
  void TakeShare() {
    if (context_.executor != nullptr) {
      sorted_at_once_ = std::clamp<size_t>(context_.executor->concurrency(), 1, kSortedAtOnceMax);
    }
    bytes_max_ =
        std::clamp(context_.budget->total_bytes() / kBudgetShare / copies(), kBytesMin, kBytesMax);
    while (true) {
      Result<MemoryReservation> memory = context_.budget->TryReserve(copies() * bytes_max_);
      if (memory.ok()) memory_ = std::move(*memory);
      if (memory.ok() || bytes_max_ <= kBytesMin) break;
      bytes_max_ = std::max(bytes_max_ / 2, kBytesMin);
    }
    block_bytes_ = std::clamp(bytes_max_ / kBlocksMin, kBlockBytesMin, kBlockBytesMax);
  }

  bool has_large_rows() const { return largest_row_ > bytes_max_ / kLargeRowShare; }

  // Bytes are counted only where rows may differ much.
  BatchLimits LimitsOf(int64_t rows, int64_t blocks) const {
    const int64_t bytes = blocks * block_bytes_;
    const bool may_be_large = largest_row_ > 0 && rows > bytes / largest_row_;
    return {.rows = rows, .bytes = may_be_large ? bytes : 0};
  }

  std::unique_ptr<BatchStream> SortGathered(Gathered gathered, BatchLimits limits) const {
    const std::vector<RowPlace> places = PlacesOf(gathered.batches);
    std::vector<RowPlace> order;
    order.reserve(places.size());
    for (const uint32_t row : SortKeys(gathered.keys))
      order.push_back(places[row]);
    return std::make_unique<OrderedRows>(schema_, std::move(gathered.batches), std::move(order),
                                         limits, pool_.get());
  }

  // Rows as they come are read on while those gathered so far are sorted and written.
  Status Spill() {
    if (gathered_.batches.empty()) return {};
    FIRN_RETURN_IF_ERROR(TakeRuns(sorted_at_once_ - 1));
    if (file_ == nullptr) {
      FIRN_ASSIGN(file_, SpillFile::Make(context_.spill_folder), "sorting rows");
    }
    const auto rows = std::max<int64_t>(static_cast<int64_t>(gathered_.keys.size()), 1);
    const int64_t row_bytes = (gathered_.batch_bytes + gathered_.keys.memory_bytes()) / rows;
    block_rows_ = std::clamp<int64_t>(block_bytes_ / std::max<int64_t>(row_bytes, 1), 1,
                                      context_.batch_rows_max);
    in_work_.push_back(std::make_unique<RunInWork>());
    const auto write = [this, work = in_work_.back().get(),
                        limits = LimitsOf(block_rows_, kRunBlocks),
                        gathered = std::make_shared<Gathered>(std::exchange(gathered_, {}))] {
      const auto sorted = SortGathered(std::move(*gathered), limits);
      work->status = WriteRun(*sorted, work->run);
      work->is_done = true;
    };
    if (context_.executor == nullptr) {
      write();
      return {};
    }
    if (writing_ == nullptr) writing_ = std::make_unique<TaskGroup>(*context_.executor);
    writing_->Submit(write);
    return has_large_rows() ? TakeRuns(0) : Status();
  }

  // Takes over the oldest runs in work until `left_max` are left, since equal rows keep the order
  // of their runs.
  Status TakeRuns(size_t left_max) {
    while (in_work_.size() > left_max) {
      RunInWork& oldest = *in_work_.front();
      if (writing_ != nullptr) {
        while (!oldest.is_done && writing_->RunOne()) {
        }  // Unless other threads have begun them.
        writing_->WaitFor([&oldest] { return oldest.is_done.load(); });
      }
      FIRN_RETURN_IF_ERROR(oldest.status);
      runs_.push_back(*std::move(oldest.run));
      in_work_.pop_front();
    }
    return {};
  }

  Status WriteRun(BatchStream& rows, std::optional<SpilledRun>& written) {
    SpilledRun& run = written.emplace(file_, schema_);
    while (true) {
      FIRN_RETURN_IF_ERROR(context_.cancel.Check());
      FIRN_ASSIGN(const BatchPtr batch, rows.Next());
      if (batch == nullptr) break;
      FIRN_RETURN_IF_ERROR(run.Append(*batch, pool_.get()), "sorting rows");
    }
    run.Finish();
    return {};
  }

  // Merges neighbouring runs until the rest can be merged in one go.
  Status MergeDown() {
    const int64_t held_bytes = kRunBlocks * block_bytes_;
    const int64_t run_bytes = std::max(block_bytes_, std::min(largest_row_, held_bytes)) +
                              std::min(largest_key_, held_bytes);
    const auto fan_in =
        static_cast<size_t>(std::max<int64_t>(merge_bytes() / run_bytes - kOutputBlocks, 2));
    while (runs_.size() > fan_in) {
      FIRN_ASSIGN(file_, SpillFile::Make(context_.spill_folder), "sorting rows");
      std::vector<SpilledRun> merged;
      for (size_t begin = 0; begin < runs_.size(); begin += fan_in) {
        const size_t end = std::min(begin + fan_in, runs_.size());
        std::vector<SpilledRun> inputs(
            std::make_move_iterator(runs_.begin() + static_cast<int64_t>(begin)),
            std::make_move_iterator(runs_.begin() + static_cast<int64_t>(end)));
        const auto rows = MergeRuns(std::move(inputs), schema_, *encoder_,
                                    LimitsOf(block_rows_, kRunBlocks), held_bytes, pool_.get());
        std::optional<SpilledRun> run;
        FIRN_RETURN_IF_ERROR(WriteRun(*rows, run));
        merged.push_back(*std::move(run));
      }
      runs_ = std::move(merged);
    }
    sorted_ = MergeRuns(std::move(runs_), schema_, *encoder_, LimitsOf(block_rows_, kBatchBlocks),
                        held_bytes, pool_.get());
    if (context_.executor != nullptr && !has_large_rows()) {
      sorted_ = ReadAhead(*context_.executor, std::move(sorted_), kMergedAhead);
    }
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
  int64_t block_rows_ = 0;  // Of runs on disk; 0: there are none.
  int64_t largest_row_ = 0;
  int64_t largest_key_ = 0;
  Gathered gathered_;
  size_t sorted_at_once_ = 1;
  std::shared_ptr<SpillFile> file_;  // Of the newest runs.
  std::deque<std::unique_ptr<RunInWork>> in_work_;
  std::vector<SpilledRun> runs_;
  std::unique_ptr<BatchStream> sorted_;
  std::unique_ptr<TaskGroup> writing_;  // The last member: it waits for what uses the others.
};

}  // namespace

std::unique_ptr<BatchStream> SortRows(const RowSortContext& context,
                                      std::unique_ptr<RowKeyEncoder> encoder,
                                      std::unique_ptr<BatchStream> rows) {
  return std::make_unique<RowSorter>(context, std::move(encoder), std::move(rows));
}

}  // namespace firn
