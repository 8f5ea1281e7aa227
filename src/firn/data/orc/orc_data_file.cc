#include <algorithm>
#include <utility>

#include <arrow/array.h>

#include "firn/data/formats/data_file_internal.h"
#include "firn/data/orc/orc_column_internal.h"
#include "firn/data/orc/orc_tail_internal.h"

// ORC data files, a stripe at a time (decision 0050). Streams are read from their starts: the row
// index of a stripe is not needed, and not looked at.

namespace firn {
namespace {

// Rows grow to about this many times their stored size.
constexpr int64_t kExpansion = 4;
// Rows of the first batch, before it is known how large they are.
constexpr int64_t kFirstBatchRows = 1024;

// The bytes of `data`, whose buffers are its own.
int64_t BytesOf(const arrow::ArrayData& data) {
  int64_t bytes = 0;
  for (const auto& buffer : data.buffers)
    bytes += buffer == nullptr ? 0 : buffer->size();
  for (const auto& child : data.child_data)
    bytes += BytesOf(*child);
  return bytes;
}

struct BatchLimits {
  int64_t rows = 0;
  int64_t bytes = 0;
};

class OrcSource final : public BatchSource {
 public:
  OrcSource(const OrcTail& tail, InputFile& file, const FilePart& part, BatchLimits limits)
      : stripe_{.tail = &tail,
                .footer = &footer_,
                .input = {.file = &file,
                          .codec = tail.codec,
                          .chunk_bytes_max = tail.chunk_bytes_max}},
        limits_(limits),
        batch_rows_(std::min(limits.rows, kFirstBatchRows)),
        position_(part.first_row),
        end_(part.first_row + part.row_count) {}

  Status Open(size_t stripe, const FileField& rows, const std::set<int>& leaves,
              const std::shared_ptr<BudgetPool>& pool) {
    stripe_number_ = stripe;
    pool_ = pool;
    stripe_.input.pool = pool.get();
    stripe_.input.decompressor = &decompressor_;
    const OrcTail& tail = *stripe_.tail;
    FIRN_ASSIGN(footer_,
                ReadOrcStripeFooter(*stripe_.input.file, tail, tail.stripes[stripe], pool.get()),
                "stripe {}", stripe);
    FIRN_ASSIGN(rows_, MakeOrcColumn(stripe_, 0, rows, leaves), "stripe {}", stripe);
    return {};
  }

  Result<std::optional<FileBatch>> Next() override {
    if (position_ == end_) return std::optional<FileBatch>();
    const int64_t count = std::min(batch_rows_, end_ - position_);
    FIRN_ASSIGN(auto rows, rows_->Read({.count = count, .value_count = count}),
                "stripe {}: rows {} to {}", stripe_number_, position_, position_ + count - 1);
    rows->buffers[0] = nullptr;  // A row is never null; its values are, if it says so.
    rows->null_count = 0;
    FileBatch batch{.first_position = position_, .rows = std::move(rows)};
    position_ += count;
    if (position_ == end_ && stripe_.tail->is_tight)
      FIRN_RETURN_IF_ERROR(rows_->CheckEnd(), "stripe {}", stripe_number_);
    const int64_t row_bytes = std::max<int64_t>(1, BytesOf(*batch.rows) / count);
    batch_rows_ = std::clamp<int64_t>(limits_.bytes / row_bytes, 1, limits_.rows);
    return std::optional<FileBatch>(std::move(batch));
  }

 private:
  OrcStripeSource stripe_;
  size_t stripe_number_ = 0;
  OrcStripeFooter footer_;
  OrcDecompressor decompressor_;
  std::shared_ptr<BudgetPool> pool_;
  std::unique_ptr<OrcColumn> rows_;
  BatchLimits limits_;
  int64_t batch_rows_;
  int64_t position_;
  int64_t end_;
};

class OrcReader final : public DataFileReader {
 public:
  explicit OrcReader(const DataFileRequest& request)
      : file_(request.file),
        pool_(request.pool),
        limits_{.rows = request.batch_rows, .bytes = request.batch_bytes_max} {}

  Status Open(const DataFileRequest& request) {
    FIRN_ASSIGN(tail_, ReadOrcTail(*file_, pool_.get()));
    fields_ = OrcFileFields(tail_);
    NumberLeaves(fields_);
    FIRN_ASSIGN(plan_, PlanColumns(request, fields_, /*prunes_nested=*/true));
    rows_.children = fields_;
    int64_t row = 0;
    for (size_t i = 0; i < tail_.stripes.size(); ++i) {
      const OrcStripe& stripe = tail_.stripes[i];
      if (stripe.row_count == 0) continue;
      const int64_t bytes = stripe.index_bytes + stripe.data_bytes;
      const int64_t batch_bytes =
          bytes * kExpansion / stripe.row_count * std::min(limits_.rows, stripe.row_count);
      parts_.push_back({.first_row = row,
                        .row_count = stripe.row_count,
                        .memory_bytes = bytes + kExpansion * batch_bytes});
      stripes_.push_back(i);
      row += stripe.row_count;
    }
    return {};
  }

  const ReadPlan& plan() const override { return plan_; }
  const std::vector<FileField>& fields() const override { return fields_; }
  std::optional<int64_t> row_count() const override { return tail_.row_count; }
  const std::vector<FilePart>& parts() const override { return parts_; }

  Result<std::unique_ptr<BatchSource>> OpenPart(size_t part, Executor*,
                                                const RowChooser*) const override {
    const FilePart& rows = parts_[part];
    if (plan_.leaves.empty())
      return MakeEmptyColumnSource(rows.first_row, rows.row_count, limits_.rows);
    auto source = std::make_unique<OrcSource>(tail_, *file_, rows, limits_);
    FIRN_RETURN_IF_ERROR(source->Open(stripes_[part], rows_, plan_.leaves, pool_));
    return source;
  }

 private:
  std::shared_ptr<InputFile> file_;
  std::shared_ptr<BudgetPool> pool_;
  BatchLimits limits_;
  OrcTail tail_;
  std::vector<FileField> fields_;
  FileField rows_;  // A struct of `fields_`.
  ReadPlan plan_;
  std::vector<FilePart> parts_;
  std::vector<size_t> stripes_;  // Of each part.
};

}  // namespace

Result<std::unique_ptr<DataFileReader>> OpenOrcFile(const DataFileRequest& request) {
  auto reader = std::make_unique<OrcReader>(request);
  FIRN_RETURN_IF_ERROR(reader->Open(request));
  return reader;
}

}  // namespace firn
