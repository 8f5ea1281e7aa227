#include "firn/data/read/select_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/arrow/gather_rows_internal.h"
#include "firn/data/read/row_filter_internal.h"

namespace firn {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

ArrayDataPtr WithChildren(const arrow::ArrayData& data, std::shared_ptr<arrow::DataType> type,
                          std::vector<ArrayDataPtr> children) {
  ArrayDataPtr copy = data.Copy();
  copy->type = std::move(type);
  copy->child_data = std::move(children);
  return copy;
}

ArrayDataPtr TakeParts(const ArrayDataPtr& data, const Type& from, const Type& to);

// Children of structs, in the order of `to`, which is that of `from`.
ArrayDataPtr TakeStruct(const arrow::ArrayData& data, const std::vector<NestedField>& from,
                        const std::vector<NestedField>& to) {
  std::vector<ArrayDataPtr> children;
  arrow::FieldVector fields;
  for (size_t i = 0; i < from.size(); ++i) {
    const auto kept = std::find_if(
        to.begin(), to.end(), [&](const NestedField& field) { return field.id == from[i].id; });
    if (kept == to.end()) continue;
    children.push_back(TakeParts(data.child_data[i], *from[i].type, *kept->type));
    fields.push_back(data.type->field(static_cast<int>(i))->WithType(children.back()->type));
  }
  return WithChildren(data, arrow::struct_(fields), std::move(children));
}

// What `to` has of `from`, whose array `data` is.
ArrayDataPtr TakeParts(const ArrayDataPtr& data, const Type& from, const Type& to) {
  if (&from == &to || from == to) return data;
  if (data->type->id() == arrow::Type::STRUCT) return TakeStruct(*data, from.fields(), to.fields());
  if (data->type->id() == arrow::Type::MAP) {
    const auto& map = static_cast<const arrow::MapType&>(*data->type);
    ArrayDataPtr entries = TakeStruct(*data->child_data[0], from.fields(), to.fields());
    auto type = std::make_shared<arrow::MapType>(
        map.key_field(), map.item_field()->WithType(entries->child_data[1]->type),
        map.keys_sorted());
    return WithChildren(*data, std::move(type), {std::move(entries)});
  }
  FIRN_CHECK(data->type->id() == arrow::Type::LIST);
  ArrayDataPtr element = TakeParts(data->child_data[0], *from.element().type, *to.element().type);
  auto type = arrow::list(data->type->field(0)->WithType(element->type));
  return WithChildren(*data, std::move(type), {std::move(element)});
}

class SelectedRows final : public BatchStream {
 public:
  SelectedRows(RowStreamReader rows, std::optional<RowFilter> filter, const Schema& from,
               const Schema& to, std::shared_ptr<BudgetPool> pool)
      : rows_(std::move(rows)),
        filter_(std::move(filter)),
        from_(from),
        to_(to),
        pool_(std::move(pool)) {}

  Status Open() {
    FIRN_ASSIGN(const auto none, GuardArrowResult(ErrorCode::kInternal, [&] {
                  return arrow::RecordBatch::MakeEmpty(rows_.schema(), pool_.get());
                }));
    FIRN_ASSIGN(const auto empty, Project(*none));
    schema_ = empty->schema();
    return {};
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    for (;;) {
      FIRN_ASSIGN(auto batch, rows_.Next());
      if (batch == nullptr) return batch;
      if (filter_) {
        FIRN_ASSIGN(batch, Filter(batch));
      }
      if (batch->num_rows() > 0) return Project(*batch);
    }
  }

 private:
  Result<std::shared_ptr<arrow::RecordBatch>> Filter(
      const std::shared_ptr<arrow::RecordBatch>& batch) const {
    FIRN_ASSIGN(const RowMask matches,
                filter_->Match(batch->columns(), batch->num_rows(), pool_.get()));
    std::vector<RowPlace> places;
    for (size_t row = 0; row < matches.size(); ++row) {
      if (matches[row] != 0) places.push_back({.batch = 0, .row = static_cast<uint32_t>(row)});
    }
    if (places.size() == matches.size()) return batch;
    if (places.empty()) return batch->Slice(0, 0);
    return GatherRows({batch}, places, pool_.get());
  }

  // In the order of `to_`.
  Result<std::shared_ptr<arrow::RecordBatch>> Project(const arrow::RecordBatch& batch) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    arrow::FieldVector fields;
    for (const NestedField& field : to_.fields()) {
      const auto& all = from_.fields();
      const auto source = std::find_if(all.begin(), all.end(), [&](const NestedField& candidate) {
        return candidate.id == field.id;
      });
      FIRN_CHECK(source != all.end());
      const auto place = static_cast<int>(source - all.begin());
      const ArrayDataPtr data = TakeParts(batch.column_data(place), *source->type, *field.type);
      fields.push_back(batch.schema()->field(place)->WithType(data->type));
      columns.push_back(arrow::MakeArray(data));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(),
                                    std::move(columns));
  }

  RowStreamReader rows_;
  const std::optional<RowFilter> filter_;
  const Schema from_;
  const Schema to_;
  const std::shared_ptr<BudgetPool> pool_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

Result<RowStream> SelectRows(RowStream rows, const Schema& schema, const ExpressionPtr& filter,
                             const Schema& selected, const MemoryBudget& budget) {
  std::optional<RowFilter> row_filter;
  if (filter != nullptr) {
    FIRN_ASSIGN(const ExpressionPtr bound, Bind(filter, schema), "where");
    if (bound->kind() != ExpressionKind::kTrue) {
      FIRN_ASSIGN(row_filter, RowFilter::Make(bound, schema.fields()));
    }
  }
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(rows)));
  auto stream = std::make_unique<SelectedRows>(std::move(reader), std::move(row_filter), schema,
                                               selected, BudgetPool::Make(budget.total_bytes()));
  FIRN_RETURN_IF_ERROR(stream->Open());
  return ExportBatches(std::move(stream));
}

}  // namespace firn
