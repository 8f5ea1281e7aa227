#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow_bridge.h"
#include "firn/data/arrow_types.h"
#include "firn/data/batch_stream.h"
#include "firn/data/reader.h"
#include "firn/data/value_arrays.h"

namespace firn {
namespace {

constexpr size_t kBatchRows = 1024;

class ValueStream final : public BatchStream {
 public:
  ValueStream(TypePtr type, std::shared_ptr<arrow::Schema> schema, std::vector<StructValue> rows)
      : type_(std::move(type)), schema_(std::move(schema)), rows_(std::move(rows)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    const size_t count = std::min(kBatchRows, rows_.size() - next_);
    if (count == 0) return std::shared_ptr<arrow::RecordBatch>();
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (size_t i = 0; i < type_->fields().size(); ++i) {
      const NestedField& field = type_->fields()[i];
      FIRN_ASSIGN(auto column, MakeColumn(field, i, count), "column '{}'", field.name);
      columns.push_back(std::move(column));
    }
    next_ += count;
    return arrow::RecordBatch::Make(schema_, static_cast<int64_t>(count), std::move(columns));
  }

 private:
  Result<std::shared_ptr<arrow::Array>> MakeColumn(const NestedField& field, size_t index,
                                                   size_t count) const {
    std::vector<Value> values;
    values.reserve(count);
    for (size_t row = next_; row < next_ + count; ++row) {
      if (rows_[row].fields.size() != type_->fields().size()) {
        return MakeError(ErrorCode::kInternal, "a row has {} values, expected {}",
                         rows_[row].fields.size(), type_->fields().size());
      }
      values.push_back(rows_[row].fields[index]);
    }
    return MakeValueArray(*field.type, values, arrow::default_memory_pool());
  }

  TypePtr type_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<StructValue> rows_;
  size_t next_ = 0;
};

}  // namespace

Result<RowStream> MakeRowStream(TypePtr type, std::vector<StructValue> rows) {
  FIRN_ASSIGN(auto schema, ToArrowSchema(type->fields()));
  return ExportBatches(
      std::make_unique<ValueStream>(std::move(type), std::move(schema), std::move(rows)));
}

}  // namespace firn
