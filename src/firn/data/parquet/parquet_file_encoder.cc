#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/parquet/chunk_metrics_internal.h"
#include "firn/data/parquet/leaf_pipeline_internal.h"
#include "firn/data/parquet/parquet_file_encoder_internal.h"

namespace firn {
namespace {

// Rows between two looks at the sizes, in steps of so many rows, or values where columns are many;
// few steps as long as nothing is known of them.
constexpr int64_t kStepRows = 1024;
constexpr int64_t kStepValues = int64_t{128} << 10;
constexpr int64_t kFirstSteps = 8;
constexpr int64_t kStepsMax = 32;
// Of a row, stored, where no row group tells how many rows it has.
constexpr int64_t kRowBytes = 32;

int64_t SizeOf(const arrow::RecordBatch& rows) {
  const auto size = arrow::util::ReferencedBufferSize(rows);
  return size.ok() ? *size : arrow::util::TotalBufferSize(rows);
}

class ParquetEncoder final : public DataFileEncoder {
 public:
  ParquetEncoder(const EncodeContext& context, const ParquetWriteOptions& options)
      : fields_(context.schema->fields()),
        pool_(*context.pool),
        modes_(context.metrics_modes),
        row_group_bytes_(options.row_group_bytes),
        held_bytes_max_(options.held_bytes_max),
        waiting_bytes_max_(options.waiting_bytes_max),
        rows_expected_(std::max<int64_t>(options.row_group_bytes / kRowBytes, 1)) {}

  ~ParquetEncoder() override {
    pipeline_.reset();
    pool_.Give(claimed_bytes_);
  }

  Status Open(const EncodeContext& context, const ParquetWriteOptions& options) {
    FIRN_ASSIGN(layout_, MakeParquetLayout(*context.schema));
    for (const NestedField& field : layout_.fields) {
      const auto column = options.columns.find(field.id);
      chunk_options_.push_back(
          MakeChunkOptions(options, column == options.columns.end() ? nullptr : &column->second));
    }
    for (size_t i = 0; i < chunk_options_.size(); ++i) {
      // A filter of two values tells nothing.
      if (layout_.fields[i].type->id() == TypeId::kBoolean)
        chunk_options_[i].bloom_filter_bytes = 0;
    }
    output_.emplace(layout_.footer, *context.sink);
    pipeline_.emplace(layout_, fields_, chunk_options_, *context.codecs, context.executor);
    pipeline_->LimitWaiting(waiting_bytes_max_);
    if (modes_ != nullptr) metrics_.emplace(layout_, *modes_);
    return {};
  }

  Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    return GiveUpAfter([&] { return Encode(*batch); });
  }

  int64_t estimated_bytes() const override { return output_->bytes_written() + RowGroupBytes(); }
  int64_t buffered_bytes() const override { return claimed_bytes_; }

  Status Flush() override {
    return GiveUpAfter([this] { return EndRowGroup(); });
  }

  Result<EncodedFile> Finish() override {
    FIRN_RETURN_IF_ERROR(GiveUpAfter([this]() -> Status {
      const Status ended = EndRowGroup();
      return ended.ok() ? output_->Finish() : ended;
    }));
    EncodedFile summary{.row_count = output_->footer().num_rows};
    for (const RowGroup& group : output_->footer().row_groups) {
      if (!group.columns.empty()) summary.split_offsets.push_back(group.columns[0].start_offset());
    }
    if (metrics_) {
      FIRN_ASSIGN(summary.metrics, metrics_->Finish());
    }
    return summary;
  }

 private:
  template <typename Body>
  Status GiveUpAfter(const Body& body) {
    if (is_broken_) return Error(ErrorCode::kInternal, "the file was given up after an error");
    Status status = body();
    if (status.ok()) return status;
    is_broken_ = true;
    pipeline_.reset();
    pool_.Give(std::exchange(claimed_bytes_, 0));
    return status;
  }

  Status Encode(const arrow::RecordBatch& batch) {
    FIRN_RETURN_IF_ERROR(CheckRequiredColumns(fields_, batch));
    for (int64_t row = 0; row < batch.num_rows();) {
      if (pipeline_->rows_taken() == 0) FIRN_RETURN_IF_ERROR(pipeline_->Begin(rows_expected_));
      const auto rows = batch.Slice(row, RowsToTake());
      FIRN_RETURN_IF_ERROR(pipeline_->Add(rows->columns(), rows->num_rows(), SizeOf(*rows)));
      // Where there is no memory for more, a smaller row group makes some.
      const int64_t held_bytes = pipeline_->sizes().held_bytes;
      const bool has_room = held_bytes <= held_bytes_max_ && Claim(held_bytes).ok();
      row += rows->num_rows();
      if (!has_room || RowGroupBytes() >= row_group_bytes_) FIRN_RETURN_IF_ERROR(EndRowGroup());
    }
    return {};
  }

  Status AppendChunk(size_t leaf, EncodedChunk chunk) {
    if (metrics_) FIRN_RETURN_IF_ERROR(metrics_->Add(leaf, chunk));
    return output_->Append(std::move(chunk));
  }

  // With rows that are not encoded yet, as large as the others.
  int64_t RowGroupBytes() const {
    if (!pipeline_) return 0;
    const LeafPipeline::Sizes& sizes = pipeline_->sizes();
    if (sizes.rows == 0) return 0;
    const double share =
        static_cast<double>(pipeline_->rows_taken()) / static_cast<double>(sizes.rows);
    return static_cast<int64_t>(static_cast<double>(sizes.file_bytes) * share);
  }

  int64_t RowsToTake() const {
    const int64_t taken = pipeline_->rows_taken();
    const auto leaves = std::max<int64_t>(std::ssize(layout_.leaves), 1);
    const int64_t step = std::clamp<int64_t>(kStepValues / leaves, 1, kStepRows);
    if (taken == 0) return std::clamp(rows_expected_, step, kFirstSteps * step);
    const int64_t bytes = std::max<int64_t>(RowGroupBytes(), 1);
    const double rows = static_cast<double>(row_group_bytes_ - bytes) / static_cast<double>(bytes) *
                        static_cast<double>(taken);
    return static_cast<int64_t>(
        std::clamp(rows, static_cast<double>(step), static_cast<double>(kStepsMax * step)));
  }

  // Count what the row group holds as memory of the pool.
  Status Claim(int64_t bytes) {
    const int64_t more = bytes - claimed_bytes_;
    if (more > 0) {
      FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&] { return pool_.Take(more); }));
    } else {
      pool_.Give(-more);
    }
    claimed_bytes_ = bytes;
    return {};
  }

  Status EndRowGroup() {
    const int64_t rows = pipeline_->rows_taken();
    if (rows == 0) return {};
    rows_expected_ = rows;
    output_->BeginRowGroup(rows);
    FIRN_RETURN_IF_ERROR(pipeline_->Finish(
        [this](size_t leaf, EncodedChunk chunk) { return AppendChunk(leaf, std::move(chunk)); }));
    return Claim(0);
  }

  const std::vector<NestedField> fields_;
  BudgetPool& pool_;
  const std::map<int32_t, MetricsMode>* modes_;
  const int64_t row_group_bytes_;
  const int64_t held_bytes_max_;
  const int64_t waiting_bytes_max_;
  int64_t rows_expected_;  // In a row group.
  ParquetLayout layout_;
  std::vector<ChunkOptions> chunk_options_;  // By leaf.
  std::optional<ParquetFileOutput> output_;
  std::optional<ChunkMetrics> metrics_;
  std::optional<LeafPipeline> pipeline_;  // Empty: the file was given up.
  int64_t claimed_bytes_ = 0;
  bool is_broken_ = false;
};

}  // namespace

Result<std::unique_ptr<DataFileEncoder>> MakeParquetEncoder(const EncodeContext& context,
                                                            const ParquetWriteOptions& options) {
  auto encoder = std::make_unique<ParquetEncoder>(context, options);
  FIRN_RETURN_IF_ERROR(encoder->Open(context, options));
  return encoder;
}

}  // namespace firn
