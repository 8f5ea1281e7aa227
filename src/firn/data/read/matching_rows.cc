#include "firn/data/read/matching_rows.h"

#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/read/row_filter_internal.h"

namespace firn {
namespace {

class MatchingRows final : public BatchStream {
 public:
  MatchingRows(RowStreamReader rows, RowFilter filter, std::string condition,
               std::shared_ptr<BudgetPool> pool)
      : rows_(std::move(rows)),
        filter_(std::move(filter)),
        condition_(std::move(condition)),
        pool_(std::move(pool)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return rows_.schema(); }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    FIRN_ASSIGN(auto batch, rows_.Next());
    if (batch == nullptr) return batch;
    FIRN_ASSIGN(const RowMask matches,
                filter_.Match(batch->columns(), batch->num_rows(), pool_.get()));
    const auto other = std::find(matches.begin(), matches.end(), 0);
    if (other != matches.end()) {
      return MakeError(ErrorCode::kInvalidInput,
                       "row {} of the input does not match {}, so it would not be overwritten by "
                       "a repeat; leave it out, or let rows be others",
                       first_ + (other - matches.begin()) + 1, condition_);
    }
    first_ += batch->num_rows();
    return batch;
  }

 private:
  RowStreamReader rows_;
  RowFilter filter_;
  std::string condition_;
  std::shared_ptr<BudgetPool> pool_;
  int64_t first_ = 0;
};

}  // namespace

Result<RowStream> RequireMatch(RowStream rows, const ExpressionPtr& condition, const Schema& schema,
                               const MemoryBudget& budget) {
  FIRN_ASSIGN(const ExpressionPtr bound, Bind(condition, schema));
  if (bound->kind() == ExpressionKind::kTrue) return rows;
  FIRN_ASSIGN(RowFilter filter, RowFilter::Make(bound, schema.fields()));
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(rows)));
  return ExportBatches(std::make_unique<MatchingRows>(std::move(reader), std::move(filter),
                                                      FormatExpression(*condition),
                                                      BudgetPool::Make(budget.total_bytes())));
}

}  // namespace firn
