#include <algorithm>
#include <utility>

#include "firn/engine/input_rows_internal.h"

namespace firn {
namespace {

constexpr int64_t kChunkRows = 2048;  // DuckDB's vectors have no more.

}  // namespace

Result<InputRows::Column> InputRows::MakeColumn(const ArrowSchema& schema, size_t index) const {
  ColumnSchema column(schema, index);
  OwnedArrowSchema converter(duckdb_);
  FIRN_RETURN_IF_ERROR(CheckErrorData(
      duckdb_, duckdb_.schema_from_arrow(connection_, column.get(), converter.out())));
  // The type that the converter has chosen is told by what it makes.
  ArrowArray empty = MakeEmptyColumn(schema, index);
  OwnedChunk chunk(duckdb_);
  const Status converted = CheckErrorData(
      duckdb_, duckdb_.data_chunk_from_arrow(connection_, &empty, converter.get(), chunk.out()));
  if (empty.release != nullptr) empty.release(&empty);
  FIRN_RETURN_IF_ERROR(converted);
  OwnedType type(duckdb_,
                 duckdb_.vector_get_column_type(duckdb_.data_chunk_get_vector(chunk.get(), 0)));
  return Column{.name = schema.children[index]->name,
                .source = index,
                .shape = ArrayShape(*schema.children[index]),
                .type = std::move(type),
                .converter = std::move(converter)};
}

Result<std::shared_ptr<InputRows>> InputRows::Make(const DuckDb& duckdb,
                                                   duckdb_connection connection,
                                                   const ArrowSchema& schema,
                                                   const InputColumns& columns, Source source) {
  std::shared_ptr<InputRows> rows(new InputRows(duckdb, connection, std::move(source)));
  for (const size_t i : columns.needed) {
    Result<Column> column = rows->MakeColumn(schema, i);
    if (!column.ok()) {
      return MakeError(ErrorCode::kUnsupported,
                       "column '{}': the SQL engine does not take its type: {}",
                       schema.children[i]->name, column.error().message());
    }
    rows->columns_.push_back(std::move(*column));
  }
  for (const size_t i : columns.optional) {
    if (Result<Column> column = rows->MakeColumn(schema, i); column.ok()) {
      rows->columns_.push_back(std::move(*column));
    }
  }
  return rows;
}

std::optional<Error> InputRows::source_error() const {
  const std::lock_guard lock(mutex_);
  return source_error_;
}

Result<InputRows::Slice> InputRows::TakeSlice() {
  const std::lock_guard lock(mutex_);
  while (current_.rows == 0) {
    if (source_error_) return *source_error_;
    Result<BatchPtr> batch = source_();
    if (!batch.ok()) {
      source_error_ = batch.error();
      return batch.error();
    }
    if (*batch == nullptr) return Slice();
    current_ = {.batch = std::move(*batch), .first_row = 0, .rows = 0};
    current_.rows = current_.batch->array.length;
  }
  Slice slice = current_;
  slice.rows = std::min(current_.rows, kChunkRows);
  current_.first_row += slice.rows;
  current_.rows -= slice.rows;
  if (current_.rows == 0) current_.batch.reset();
  return slice;
}

Status InputRows::Fill(const std::vector<size_t>& wanted, duckdb_data_chunk chunk) {
  FIRN_ASSIGN(const Slice slice, TakeSlice());
  for (size_t i = 0; slice.batch != nullptr && i < wanted.size(); ++i) {
    if (wanted[i] >= columns_.size()) continue;  // Rows are only counted.
    const Column& column = columns_[wanted[i]];
    ArrowArray array =
        SliceColumn(slice.batch, column.source, column.shape, slice.first_row, slice.rows);
    OwnedChunk converted(duckdb_);
    const Status status =
        CheckErrorData(duckdb_, duckdb_.data_chunk_from_arrow(
                                    connection_, &array, column.converter.get(), converted.out()));
    if (array.release != nullptr) array.release(&array);  // It was not taken over.
    FIRN_RETURN_IF_ERROR(status, "column '{}'", column.name);
    duckdb_.vector_reference_vector(duckdb_.data_chunk_get_vector(chunk, i),
                                    duckdb_.data_chunk_get_vector(converted.get(), 0));
  }
  duckdb_.data_chunk_set_size(chunk, static_cast<idx_t>(slice.rows));
  return {};
}

int64_t InputRegistry::Add(std::shared_ptr<InputRows> rows) {
  const std::lock_guard lock(mutex_);
  inputs_.emplace(next_, std::move(rows));
  return next_++;
}

void InputRegistry::Remove(int64_t number) {
  const std::lock_guard lock(mutex_);
  inputs_.erase(number);
}

std::shared_ptr<InputRows> InputRegistry::Find(int64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto found = inputs_.find(number);
  return found == inputs_.end() ? nullptr : found->second;
}

}  // namespace firn
