#include "firn/data/merge/keyed_rows.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/ranges.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/columns/leaf_column_internal.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/keys/key_store_internal.h"
#include "firn/data/merge/key_bounds_internal.h"
#include "firn/data/merge/key_search_internal.h"
#include "firn/data/merge/merged_rows_internal.h"

namespace firn {
namespace {

struct KeyColumn {
  std::string name;
  TypePtr type;
  std::vector<int> places;
  KeyBounds bounds;
};

class HeldRows final : public KeyedRows {
 public:
  HeldRows(const ReadContext& context, KeyedRowsOptions options)
      : context_(context),
        options_(std::move(options)),
        pool_(BudgetPool::Make(context.budget->total_bytes())) {}

  Status Read(RowStream rows);
  ExpressionPtr Condition() const override;
  Result<PositionsByFile> Find(const std::vector<FileScanTask>& tasks) override;
  int64_t found_keys() const override { return found_keys_; }
  int64_t row_count() const override { return spool_->row_count() - dropped_.cardinality(); }
  Result<RowStream> Take() override;
  bool has_lineage() const override { return keeps_row_ids() && found_keys_ > 0; }

 private:
  bool keeps_row_ids() const { return context_.metadata->format_version >= 3; }
  Status Add(std::shared_ptr<arrow::RecordBatch> batch);
  Result<std::vector<std::shared_ptr<arrow::Array>>> KeyColumnsOf(
      const arrow::RecordBatch& batch) const;
  Status RefuseNull(const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t row,
                    int64_t number) const;
  Status OnDuplicate(int64_t earlier, int64_t later);
  Result<std::string> DescribeKey(int64_t row);

  const ReadContext& context_;
  KeyedRowsOptions options_;
  std::shared_ptr<BudgetPool> pool_;
  std::vector<KeyColumn> columns_;
  std::unique_ptr<RowSpool> spool_;
  std::unique_ptr<KeyStore> keys_;  // Null: there was no row.
  PositionSet dropped_;             // Numbers of rows that do not count.
  RowIds row_ids_;
  int64_t found_keys_ = 0;
};

Status HeldRows::Read(RowStream rows) {
  const Schema& schema = *context_.metadata->current_schema();
  for (const int32_t id : options_.key_ids) {
    const TypePtr& type = schema.FindField(id)->type;
    columns_.push_back({.name = schema.FullName(id),
                        .type = type,
                        .places = FindFieldPlaces(schema.fields(), id),
                        .bounds = KeyBounds(schema.FullName(id), type)});
  }
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(rows)));
  spool_ = std::make_unique<RowSpool>(context_.budget, reader.schema());
  while (true) {
    FIRN_RETURN_IF_ERROR(context_.cancel.Check());
    FIRN_ASSIGN(auto batch, reader.Next());
    if (batch == nullptr) break;
    if (batch->num_rows() > 0) FIRN_RETURN_IF_ERROR(Add(std::move(batch)));
  }
  FIRN_RETURN_IF_ERROR(spool_->Finish());
  return keys_ == nullptr ? Status() : keys_->Finish();
}

Status HeldRows::Add(std::shared_ptr<arrow::RecordBatch> batch) {
  const int64_t first = spool_->row_count();
  FIRN_ASSIGN(const auto columns, KeyColumnsOf(*batch));
  const KeyBatch keys(columns, batch->num_rows());
  if (keys.has_nulls()) {
    for (int64_t i = 0; i < keys.size(); ++i) {
      if (keys.is_null(i)) return RefuseNull(columns, i, first + i + 1);
    }
  }
  for (size_t i = 0; i < columns.size(); ++i)
    FIRN_RETURN_IF_ERROR(columns_[i].bounds.Add(*columns[i]));
  FIRN_RETURN_IF_ERROR(spool_->Add(std::move(batch)));
  if (keys_ == nullptr) {
    keys_ = std::make_unique<KeyStore>(
        context_.budget, keys.width(),
        [this](int64_t earlier, int64_t later) { return OnDuplicate(earlier, later); });
  }
  return keys_->Add(keys, first);
}

Result<std::vector<std::shared_ptr<arrow::Array>>> HeldRows::KeyColumnsOf(
    const arrow::RecordBatch& batch) const {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const KeyColumn& column : columns_) {
    FIRN_ASSIGN(auto values, LeafColumn(batch.columns(), column.places, pool_.get()));
    columns.push_back(std::move(values));
  }
  return columns;
}

Status HeldRows::RefuseNull(const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t row,
                            int64_t number) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i]->IsNull(row)) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "row {} of the input has no value in key column '{}': null equals nothing, so "
                     "every run would insert it again; leave such rows out, or merge by other "
                     "columns",
                     number, columns_[i].name);
  }
  return {};
}

// The key of a row as text: id = 7, kind = "x".
Result<std::string> HeldRows::DescribeKey(int64_t row) {
  FIRN_ASSIGN(const auto rows, spool_->Read());
  while (true) {
    FIRN_ASSIGN(const auto batch, rows->Next());
    FIRN_CHECK(batch != nullptr);
    if (row >= batch->num_rows()) {
      row -= batch->num_rows();
      continue;
    }
    FIRN_ASSIGN(const auto columns, KeyColumnsOf(*batch));
    std::vector<std::string> parts;
    for (size_t i = 0; i < columns.size(); ++i) {
      const Value value = ReadValue(*columns_[i].type, *columns[i], row);
      parts.push_back(
          fmt::format("{} = {}", columns_[i].name, FormatValue(value, *columns_[i].type)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }
}

Status HeldRows::OnDuplicate(int64_t earlier, int64_t later) {
  if (options_.duplicates == DuplicateKeys::kLast) {
    dropped_.Add(earlier);
    return {};
  }
  FIRN_RETURN_IF_ERROR(spool_->Finish());
  FIRN_ASSIGN(const std::string key, DescribeKey(later));
  return MakeError(ErrorCode::kInvalidInput,
                   "rows {} and {} of the input have the same key ({}); leave one out, or let the "
                   "last row of a key count (--on-duplicate last)",
                   earlier + 1, later + 1, key);
}

ExpressionPtr HeldRows::Condition() const {
  if (keys_ == nullptr) return Expression::False();
  std::vector<ExpressionPtr> conditions;
  for (const KeyColumn& column : columns_)
    conditions.push_back(column.bounds.Condition());
  return Expression::And(std::move(conditions));
}

Result<PositionsByFile> HeldRows::Find(const std::vector<FileScanTask>& tasks) {
  PositionsByFile found;
  if (keys_ == nullptr) return found;
  FIRN_ASSIGN(ExpressionPtr condition, Bind(Condition(), *context_.metadata->current_schema()));
  const KeySearch search{.key_ids = options_.key_ids,
                         .condition = std::move(condition),
                         .with_row_ids = keeps_row_ids()};
  const size_t passes = keys_->pass_count();
  for (size_t pass = 0; pass < passes; ++pass) {
    FIRN_RETURN_IF_ERROR(keys_->Load(pass));
    KeyTable& keys = keys_->table();
    if (!tasks.empty()) FIRN_RETURN_IF_ERROR(SearchKeys(context_, tasks, search, keys, found));
    for (KeyOrdinal i = 0; i < keys.size(); ++i)
      found_keys_ += keys.row_id(i) == KeyTable::kUnmatched ? 0 : 1;
    if (keeps_row_ids()) FIRN_RETURN_IF_ERROR(row_ids_.Add(keys, passes > 1));
  }
  keys_ = nullptr;
  return found;
}

Result<RowStream> HeldRows::Take() {
  FIRN_ASSIGN(auto rows, RowSpool::Take(std::move(spool_)));
  MergedRows merged{.dropped = std::move(dropped_), .row_ids = std::move(row_ids_)};
  if (has_lineage()) merged.schema = SchemaWithLineage(*context_.metadata);
  return StreamMergedRows(std::move(rows), std::move(merged), pool_);
}

}  // namespace

Result<std::unique_ptr<KeyedRows>> KeyedRows::Read(const ReadContext& context,
                                                   const KeyedRowsOptions& options,
                                                   RowStream rows) {
  auto held = std::make_unique<HeldRows>(context, options);
  FIRN_RETURN_IF_ERROR(held->Read(std::move(rows)));
  return std::unique_ptr<KeyedRows>(std::move(held));
}

}  // namespace firn
