#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/merge/merged_rows_internal.h"

namespace firn {
namespace {

constexpr int64_t kNone = -1;

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

class MergedStream final : public BatchStream {
 public:
  MergedStream(std::unique_ptr<BatchStream> rows, MergedRows merged,
               std::shared_ptr<arrow::Schema> schema, std::shared_ptr<BudgetPool> pool)
      : rows_(std::move(rows)),
        merged_(std::move(merged)),
        schema_(std::move(schema)),
        pool_(std::move(pool)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<BatchPtr> Next() override {
    while (true) {
      FIRN_ASSIGN(BatchPtr batch, rows_->Next());
      if (batch == nullptr) return batch;
      const int64_t first = next_row_;
      next_row_ += batch->num_rows();
      if (merged_.schema != nullptr) {
        FIRN_ASSIGN(batch, AddLineage(*batch, first));
      }
      FIRN_ASSIGN(batch, DropRows(batch, first));
      if (batch->num_rows() > 0) return batch;
    }
  }

 private:
  Result<BatchPtr> AddLineage(const arrow::RecordBatch& batch, int64_t first) {
    std::vector<int64_t> ids(static_cast<size_t>(batch.num_rows()), kNone);
    FIRN_RETURN_IF_ERROR(merged_.row_ids.Fill(first, ids));
    return GuardArrowResult(ErrorCode::kInternal, [&]() -> arrow::Result<BatchPtr> {
      arrow::Int64Builder builder(pool_.get());
      ARROW_RETURN_NOT_OK(builder.Reserve(batch.num_rows()));
      for (const int64_t id : ids) {
        if (id == kNone) {
          builder.UnsafeAppendNull();
        } else {
          builder.UnsafeAppend(id);
        }
      }
      arrow::ArrayVector columns = batch.columns();
      ARROW_ASSIGN_OR_RAISE(auto row_ids, builder.Finish());
      ARROW_ASSIGN_OR_RAISE(auto numbers,
                            arrow::MakeArrayOfNull(arrow::int64(), batch.num_rows(), pool_.get()));
      columns.push_back(std::move(row_ids));
      columns.push_back(std::move(numbers));
      return arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns));
    });
  }

  Result<BatchPtr> DropRows(BatchPtr batch, int64_t first) const {
    const std::vector<int64_t> dropped = merged_.dropped.InRange(first, first + batch->num_rows());
    if (dropped.empty()) return batch;
    FIRN_RETURN_IF_ERROR(InitializeArrowCompute());
    return GuardArrowResult(ErrorCode::kInternal, [&]() -> arrow::Result<BatchPtr> {
      arrow::BooleanBuilder keep(pool_.get());
      auto next = dropped.begin();
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        const bool is_dropped = next != dropped.end() && *next == first + i;
        if (is_dropped) ++next;
        ARROW_RETURN_NOT_OK(keep.Append(!is_dropped));
      }
      ARROW_ASSIGN_OR_RAISE(const auto mask, keep.Finish());
      arrow::compute::ExecContext context(pool_.get());
      context.set_use_threads(false);
      ARROW_ASSIGN_OR_RAISE(
          const arrow::Datum kept,
          arrow::compute::Filter(batch, mask, arrow::compute::FilterOptions::Defaults(), &context));
      return kept.record_batch();
    });
  }

  std::unique_ptr<BatchStream> rows_;
  MergedRows merged_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<BudgetPool> pool_;
  int64_t next_row_ = 0;
};

}  // namespace

Result<RowStream> StreamMergedRows(std::unique_ptr<BatchStream> rows, MergedRows merged,
                                   std::shared_ptr<BudgetPool> pool) {
  std::shared_ptr<arrow::Schema> schema = rows->schema();
  if (merged.schema != nullptr) {
    FIRN_ASSIGN(schema, ToArrowSchema(merged.schema->fields()));
  }
  return ExportBatches(std::make_unique<MergedStream>(std::move(rows), std::move(merged),
                                                      std::move(schema), std::move(pool)));
}

}  // namespace firn
