#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include "firn/base/hand_over.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/read/reader.h"

namespace firn {
namespace {

constexpr size_t kBatchRows = 1024;

constexpr size_t kChunksAhead = 2;

using Chunk = std::vector<StructValue>;

Result<std::shared_ptr<arrow::Array>> MakeColumn(const NestedField& field, size_t index,
                                                 std::span<const StructValue> rows) {
  std::vector<Value> values;
  values.reserve(rows.size());
  for (const StructValue& row : rows)
    values.push_back(row.fields[index]);
  return MakeValueArray(*field.type, values, arrow::default_memory_pool());
}

Result<std::shared_ptr<arrow::RecordBatch>> MakeBatch(const Type& type,
                                                      const std::shared_ptr<arrow::Schema>& schema,
                                                      std::span<const StructValue> rows) {
  for (const StructValue& row : rows) {
    if (row.fields.size() == type.fields().size()) continue;
    return MakeError(ErrorCode::kInternal, "a row has {} values, expected {}", row.fields.size(),
                     type.fields().size());
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (size_t i = 0; i < type.fields().size(); ++i) {
    const NestedField& field = type.fields()[i];
    FIRN_ASSIGN(auto column, MakeColumn(field, i, rows), "column '{}'", field.name);
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(schema, std::ssize(rows), std::move(columns));
}

// Rows that are there already.
class ValueStream final : public BatchStream {
 public:
  ValueStream(TypePtr type, std::shared_ptr<arrow::Schema> schema, Chunk rows)
      : type_(std::move(type)), schema_(std::move(schema)), rows_(std::move(rows)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    const size_t count = std::min(kBatchRows, rows_.size() - next_);
    if (count == 0) return std::shared_ptr<arrow::RecordBatch>();
    const auto rows = std::span(rows_).subspan(next_, count);
    next_ += count;
    return MakeBatch(*type_, schema_, rows);
  }

 private:
  TypePtr type_;
  std::shared_ptr<arrow::Schema> schema_;
  Chunk rows_;
  size_t next_ = 0;
};

// Rows that are made while they are read.
class ProducedStream final : public BatchStream {
 public:
  ProducedStream(TypePtr type, std::shared_ptr<arrow::Schema> schema, RowProducer produce)
      : type_(std::move(type)),
        schema_(std::move(schema)),
        chunks_([produce = std::move(produce)](
                    const HandOver<Chunk>::Emit& emit) { return EmitChunks(produce, emit); },
                kChunksAhead) {}

  // Errors: those before the first rows.
  Status Start() {
    FIRN_ASSIGN(first_, chunks_.Next());
    return {};
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    std::optional<Chunk> chunk = std::exchange(first_, std::nullopt);
    if (!chunk) {
      FIRN_ASSIGN(chunk, chunks_.Next());
    }
    if (!chunk) return std::shared_ptr<arrow::RecordBatch>();
    return MakeBatch(*type_, schema_, *chunk);
  }

 private:
  static Status EmitChunks(const RowProducer& produce, const HandOver<Chunk>::Emit& emit) {
    Chunk chunk;
    FIRN_RETURN_IF_ERROR(produce([&](StructValue&& row) -> Status {
      chunk.push_back(std::move(row));
      return chunk.size() < kBatchRows ? Status() : emit(std::exchange(chunk, {}));
    }));
    return chunk.empty() ? Status() : emit(std::move(chunk));
  }

  TypePtr type_;
  std::shared_ptr<arrow::Schema> schema_;
  std::optional<Chunk> first_;
  HandOver<Chunk> chunks_;
};

}  // namespace

Result<RowStream> MakeRowStream(TypePtr type, std::vector<StructValue> rows) {
  FIRN_ASSIGN(auto schema, ToArrowSchema(type->fields()));
  return ExportBatches(
      std::make_unique<ValueStream>(std::move(type), std::move(schema), std::move(rows)));
}

Result<RowStream> StreamRows(TypePtr type, RowProducer produce) {
  FIRN_ASSIGN(auto schema, ToArrowSchema(type->fields()));
  auto stream =
      std::make_unique<ProducedStream>(std::move(type), std::move(schema), std::move(produce));
  FIRN_RETURN_IF_ERROR(stream->Start());
  return ExportBatches(std::move(stream));
}

}  // namespace firn
