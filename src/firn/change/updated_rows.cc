#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>

#include "firn/change/updated_rows_internal.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/columns/fit_column.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/engine/row_expressions.h"

namespace firn {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// Expressions work on a few vectors at a time and keep nothing.
constexpr int64_t kEngineBytesMax = int64_t{128} << 20;
constexpr int64_t kEngineShare = 4;
// Values may be far larger than the rows that they come from.
constexpr int64_t kValuesBytesMax = int64_t{16} << 20;

Result<Engine> OpenEngine(const ChangeContext& context) {
  const int64_t share = context.budget->total_bytes() / kEngineShare;
  return Engine::Open({.budget = context.budget,
                       .memory_bytes = std::min(share, kEngineBytesMax),
                       .random = context.commit.random,
                       .clock = context.commit.clock,
                       .cancel = context.commit.cancel});
}

class UpdatedRows final : public BatchStream {
 public:
  UpdatedRows(SchemaPtr schema, std::vector<AssignedColumn> assigned, RowStreamReader rows,
              RowExpressions expressions, std::shared_ptr<BudgetPool> pool)
      : schema_(std::move(schema)),
        assigned_(std::move(assigned)),
        rows_(std::move(rows)),
        expressions_(std::move(expressions)),
        pool_(std::move(pool)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return rows_.schema(); }

  Result<BatchPtr> Next() override {
    if (!values_) {
      FIRN_ASSIGN(batch_, rows_.Next());
      if (batch_ == nullptr || batch_->num_rows() == 0) return batch_;
      FIRN_RETURN_IF_ERROR(StartBatch());
    }
    FIRN_ASSIGN(const BatchPtr values, ReadValues(batch_->num_rows() - done_rows_));
    const BatchPtr rows = batch_->Slice(done_rows_, values->num_rows());
    done_rows_ += values->num_rows();
    if (done_rows_ == batch_->num_rows()) values_.reset();
    return Update(rows, *values);
  }

 private:
  Result<BatchPtr> Update(const BatchPtr& batch, const arrow::RecordBatch& values) {
    std::vector<ArrayPtr> columns = batch->columns();
    for (size_t i = 0; i < assigned_.size(); ++i) {
      FIRN_RETURN_IF_ERROR(Assign(assigned_[i], values.column(static_cast<int>(i)), columns),
                           "set '{}'", assigned_[i].name);
    }
    // Behind the row id, which stays, is the commit that wrote the row last: this one.
    for (size_t i = schema_->fields().size() + 1; i < columns.size(); ++i) {
      FIRN_ASSIGN(columns[i], MakeConstantArray(*Type::Primitive(TypeId::kLong), Value(),
                                                batch->num_rows(), pool_.get()));
    }
    return arrow::RecordBatch::Make(schema(), batch->num_rows(), std::move(columns));
  }

  Status Assign(const AssignedColumn& assigned, const ArrayPtr& value,
                std::vector<ArrayPtr>& columns) {
    FIRN_ASSIGN(const ArrayPtr fitting, FitColumn(value, *assigned.field, pool_.get()));
    const size_t top = assigned.path[0];
    FIRN_ASSIGN(columns[top],
                ReplaceField(columns[top], schema_->fields()[top],
                             std::span(assigned.path).subspan(1), fitting, pool_.get()));
    return {};
  }

  // Compute the values for `batch_`, which are read little by little.
  Status StartBatch() {
    ArrowArray exported{};
    FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&]() -> arrow::Status {
      std::vector<int> own(schema_->fields().size());
      std::iota(own.begin(), own.end(), 0);
      ARROW_ASSIGN_OR_RAISE(const BatchPtr seen, batch_->SelectColumns(own));
      return arrow::ExportRecordBatch(*seen, &exported);
    }));
    FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(expressions_.Evaluate(&exported)));
    values_.emplace(std::move(reader));
    done_rows_ = 0;
    return {};
  }

  // A column for each assignment, for the next rows: all that are left, or fewer if they are large.
  Result<BatchPtr> ReadValues(int64_t rows_left) {
    std::vector<BatchPtr> parts;
    int64_t rows = 0;
    for (int64_t bytes = 0; rows < rows_left && bytes < kValuesBytesMax;) {
      FIRN_ASSIGN(BatchPtr part, values_->Next());
      if (part == nullptr) break;
      rows += part->num_rows();
      bytes += arrow::util::TotalBufferSize(*part);
      parts.push_back(std::move(part));
    }
    if (rows == 0 || rows > rows_left) {
      return MakeError(ErrorCode::kInternal, "expressions gave {} rows for {}", rows, rows_left);
    }
    return GuardArrowResult(ErrorCode::kInternal,
                            [&] { return arrow::ConcatenateRecordBatches(parts, pool_.get()); });
  }

  SchemaPtr schema_;  // Of the table; those of the rows may go on behind its columns.
  std::vector<AssignedColumn> assigned_;
  RowStreamReader rows_;
  RowExpressions expressions_;
  std::shared_ptr<BudgetPool> pool_;
  BatchPtr batch_;                         // Rows as they were, of which
  int64_t done_rows_ = 0;                  // so many were handed out;
  std::optional<RowStreamReader> values_;  // set until all are.
};

}  // namespace

Result<RowExpressions> PrepareAssigned(const ChangeContext& context, const Schema& schema,
                                       const std::vector<AssignedColumn>& assigned) {
  FIRN_ASSIGN(const Engine engine, OpenEngine(context));
  FIRN_ASSIGN(const auto seen, EngineSchema(schema));
  ArrowSchema exported{};
  FIRN_RETURN_IF_ERROR(
      GuardArrow(ErrorCode::kInternal, [&] { return arrow::ExportSchema(*seen, &exported); }));
  std::vector<RowExpression> expressions;
  for (const AssignedColumn& column : assigned) {
    expressions.push_back({.where = fmt::format("set '{}'", column.name),
                           .sql = column.expression,
                           .type_sql = column.type_sql});
  }
  Result<RowExpressions> prepared = RowExpressions::Prepare(engine, exported, expressions);
  exported.release(&exported);
  return prepared;
}

Result<RowStream> SetColumns(const ChangeContext& context, const TableMetadata& metadata,
                             RowStream rows, std::vector<AssignedColumn> assigned,
                             RowExpressions expressions) {
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(rows)));
  return ExportBatches(std::make_unique<UpdatedRows>(
      metadata.current_schema(), std::move(assigned), std::move(reader), std::move(expressions),
      BudgetPool::Make(context.budget->total_bytes())));
}

}  // namespace firn
