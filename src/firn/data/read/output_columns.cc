#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/read/task_reader_internal.h"

// The columns of a read's result: the table's own, cut to what was asked for, and the metadata
// columns of the spec.

namespace firn {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

// `column` was read with further children behind those of `wanted`: leave them out.
Result<std::shared_ptr<arrow::ArrayData>> CutToField(const arrow::ArrayData& column,
                                                     const Type& wanted) {
  FIRN_ASSIGN(const auto type, ToArrowType(wanted));
  std::shared_ptr<arrow::ArrayData> data = column.Copy();
  if (wanted.id() != TypeId::kStruct || column.type->id() != arrow::Type::STRUCT) return data;
  data->type = type;
  data->child_data.resize(wanted.fields().size());
  for (size_t i = 0; i < wanted.fields().size(); ++i) {
    FIRN_ASSIGN(data->child_data[i], CutToField(*column.child_data[i], *wanted.fields()[i].type));
  }
  return data;
}

template <typename Get>
Result<ArrayPtr> MakeLongs(int64_t rows, arrow::MemoryPool* pool, const Get& get) {
  FIRN_ASSIGN(std::shared_ptr<arrow::Buffer> buffer, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(int64_t)), pool);
              }));
  auto* values = buffer->mutable_data_as<int64_t>();
  for (int64_t i = 0; i < rows; ++i)
    values[i] = get(i);
  return std::make_shared<arrow::Int64Array>(rows, std::move(buffer));
}

// A lineage column (reference 5.6): what the file holds, else what the row inherits.
template <typename Get>
Result<ArrayPtr> MakeLineage(const FileScanTask& task, const arrow::Array& stored,
                             arrow::MemoryPool* pool, const Get& inherited) {
  if (!task.file.first_row_id) {
    return MakeConstantArray(*Type::Primitive(TypeId::kLong), {}, stored.length(), pool);
  }
  const auto& values = static_cast<const arrow::Int64Array&>(stored);
  if (stored.null_count() == stored.length()) return MakeLongs(stored.length(), pool, inherited);
  return MakeLongs(stored.length(), pool,
                   [&](int64_t i) { return values.IsNull(i) ? inherited(i) : values.Value(i); });
}

Result<ArrayPtr> MakePartition(const SharedRead& shared, const FileScanTask& task,
                               const NestedField& field, int64_t rows) {
  const TableMetadata& metadata = *shared.context->metadata;
  const PartitionSpecPtr spec = metadata.FindSpec(task.file.partition_spec_id);
  if (spec == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "partition spec {} is not in the table's metadata",
                     task.file.partition_spec_id);
  }
  StructValue partition = ToUnifiedPartition(*spec, task.file.partition, *field.type);
  return MakeConstantArray(*field.type, Value::Struct(std::move(partition.fields)), rows,
                           shared.pool.get());
}

Result<ArrayPtr> MakeDeleted(const RowMask& is_deleted, arrow::MemoryPool* pool) {
  return GuardArrowResult(ErrorCode::kInternal, [&]() -> arrow::Result<ArrayPtr> {
    arrow::BooleanBuilder builder(pool);
    ARROW_RETURN_NOT_OK(
        builder.AppendValues(is_deleted.data(), static_cast<int64_t>(is_deleted.size())));
    return builder.Finish();
  });
}

}  // namespace

Result<std::vector<ArrayPtr>> MakeOutputColumns(const SharedRead& shared, const FileScanTask& task,
                                                const std::vector<ArrayPtr>& columns,
                                                const FileBatch& batch, const RowMask& is_deleted) {
  arrow::MemoryPool* pool = shared.pool.get();
  const int64_t rows = batch.rows->length;
  const auto position = [&batch](int64_t i) {
    return batch.positions.empty() ? batch.first_position + i
                                   : batch.positions[static_cast<size_t>(i)];
  };
  const auto make = [&](const OutputColumn& output) -> Result<ArrayPtr> {
    const NestedField& field = output.field;
    switch (output.kind) {
      case OutputColumn::Kind::kField: {
        FIRN_ASSIGN(auto data, CutToField(*columns[output.source]->data(), *field.type));
        return arrow::MakeArray(std::move(data));
      }
      case OutputColumn::Kind::kFile:
        return MakeConstantArray(*field.type, Value(task.file.file_path), rows, pool);
      case OutputColumn::Kind::kPosition:
        return MakeLongs(rows, pool, position);
      case OutputColumn::Kind::kDeleted:
        return MakeDeleted(is_deleted, pool);
      case OutputColumn::Kind::kSpecId:
        return MakeConstantArray(*field.type, Value(task.file.partition_spec_id), rows, pool);
      case OutputColumn::Kind::kPartition:
        return MakePartition(shared, task, field, rows);
      case OutputColumn::Kind::kRowId:
        return MakeLineage(task, *columns[output.source], pool,
                           [&](int64_t i) { return *task.file.first_row_id + position(i); });
      case OutputColumn::Kind::kLastUpdatedSequenceNumber:
        return MakeLineage(task, *columns[output.source], pool,
                           [&](int64_t) { return task.sequence_number; });
    }
    return MakeError(ErrorCode::kInternal, "an output column has no source");
  };
  std::vector<ArrayPtr> outputs;
  for (const OutputColumn& output : shared.layout.outputs) {
    FIRN_ASSIGN(auto column, make(output), "column '{}'", output.field.name);
    outputs.push_back(std::move(column));
  }
  return outputs;
}

}  // namespace firn
