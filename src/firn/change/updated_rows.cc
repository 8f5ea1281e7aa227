#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>

#include "firn/change/updated_rows_internal.h"
#include "firn/data/arrow_bridge.h"
#include "firn/data/batch_stream.h"
#include "firn/data/budget_pool.h"
#include "firn/data/fit_column.h"
#include "firn/data/value_arrays.h"
#include "firn/engine/row_expressions.h"

namespace firn {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// Expressions work on a few vectors at a time and keep nothing.
constexpr int64_t kEngineBytesMax = int64_t{128} << 20;
constexpr int64_t kEngineShare = 4;

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
    FIRN_ASSIGN(const BatchPtr batch, rows_.Next());
    if (batch == nullptr || batch->num_rows() == 0) return batch;
    return Update(batch);
  }

 private:
  Result<BatchPtr> Update(const BatchPtr& batch) {
    std::vector<ArrayPtr> columns = batch->columns();
    const size_t own = schema_->fields().size();
    FIRN_ASSIGN(const BatchPtr values, Evaluate(batch, static_cast<int>(own)));
    for (size_t i = 0; i < assigned_.size(); ++i) {
      FIRN_RETURN_IF_ERROR(Assign(assigned_[i], values->column(static_cast<int>(i)), columns),
                           "set '{}'", assigned_[i].name);
    }
    // Behind the row id, which stays, is the commit that wrote the row last: this one.
    for (size_t i = own + 1; i < columns.size(); ++i) {
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

  // A column for each assignment, a row for each of `batch`.
  Result<BatchPtr> Evaluate(const BatchPtr& batch, int own_columns) {
    ArrowArray exported{};
    FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&]() -> arrow::Status {
      std::vector<int> own(static_cast<size_t>(own_columns));
      for (int i = 0; i < own_columns; ++i)
        own[static_cast<size_t>(i)] = i;
      ARROW_ASSIGN_OR_RAISE(const BatchPtr seen, batch->SelectColumns(own));
      return arrow::ExportRecordBatch(*seen, &exported);
    }));
    FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(expressions_.Evaluate(&exported)));
    std::vector<BatchPtr> parts;
    while (true) {
      FIRN_ASSIGN(BatchPtr part, reader.Next());
      if (part == nullptr) break;
      parts.push_back(std::move(part));
    }
    FIRN_ASSIGN(const BatchPtr whole, GuardArrowResult(ErrorCode::kInternal, [&] {
                  return arrow::ConcatenateRecordBatches(parts, pool_.get());
                }));
    if (whole->num_rows() == batch->num_rows()) return whole;
    return MakeError(ErrorCode::kInternal, "expressions gave {} rows for {}", whole->num_rows(),
                     batch->num_rows());
  }

  SchemaPtr schema_;  // Of the table; those of the rows may go on behind its columns.
  std::vector<AssignedColumn> assigned_;
  RowStreamReader rows_;
  RowExpressions expressions_;
  std::shared_ptr<BudgetPool> pool_;
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
