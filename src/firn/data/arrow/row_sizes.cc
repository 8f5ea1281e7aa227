#include <algorithm>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "firn/data/arrow/row_sizes_internal.h"

namespace firn {
namespace {

// Slots [begin, end) of the array, counted without its offset.
struct SlotRange {
  int64_t begin = 0;
  int64_t end = 0;
};

template <typename Offset>
SlotRange Below(const arrow::ArrayData& array, SlotRange slots) {
  const auto* offsets = array.GetValues<Offset>(1);
  return {static_cast<int64_t>(offsets[slots.begin]), static_cast<int64_t>(offsets[slots.end])};
}

int64_t CountBytes(SlotRange range) { return range.end - range.begin; }

int64_t BytesOf(const arrow::ArrayData& array, const arrow::DataType& type, SlotRange slots) {
  const arrow::Type::type id = type.id();
  if (id == arrow::Type::EXTENSION) {
    return BytesOf(array, *static_cast<const arrow::ExtensionType&>(type).storage_type(), slots);
  }
  if (arrow::is_binary_like(id)) return CountBytes(Below<int32_t>(array, slots));
  if (arrow::is_large_binary_like(id)) return CountBytes(Below<int64_t>(array, slots));
  if (id == arrow::Type::LIST || id == arrow::Type::MAP) {
    const arrow::ArrayData& values = *array.child_data[0];
    return BytesOf(values, *values.type, Below<int32_t>(array, slots));
  }
  if (id == arrow::Type::STRUCT) {
    int64_t bytes = 0;
    for (const auto& child : array.child_data)
      bytes +=
          BytesOf(*child, *child->type, {slots.begin + array.offset, slots.end + array.offset});
    return bytes;
  }
  return arrow::is_fixed_width(id) ? (slots.end - slots.begin) * type.byte_width() : 0;
}

int64_t LargestSlot(const arrow::ArrayData& array) {
  int64_t largest = 0;
  if (arrow::is_binary_like(array.type->id())) {
    const auto* ends = array.GetValues<int32_t>(1);
    int32_t longest = 0;
    for (int64_t i = 0; i < array.length; ++i)
      longest = std::max(longest, ends[i + 1] - ends[i]);
    return longest;
  }
  for (int64_t i = 0; i < array.length; ++i)
    largest = std::max(largest, BytesOf(array, *array.type, {i, i + 1}));
  return largest;
}

// A bit is less than a byte.
bool HasOneSize(const arrow::DataType& type) {
  return type.num_fields() == 0 && arrow::is_fixed_width(type.id());
}

}  // namespace

int64_t RowBytes(const arrow::RecordBatch& batch, int64_t row) {
  int64_t bytes = 0;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const arrow::ArrayData& column = *batch.column_data(i);
    if (!HasOneSize(*column.type)) bytes += BytesOf(column, *column.type, {row, row + 1});
  }
  return bytes;
}

int64_t LargestRowBytes(const arrow::RecordBatch& batch) {
  int64_t bytes = 0;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const arrow::ArrayData& column = *batch.column_data(i);
    if (!HasOneSize(*column.type)) bytes += LargestSlot(column);
  }
  return bytes;
}

size_t CountRowsWithin(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                       std::span<const RowPlace> places, int64_t bytes_max) {
  for (size_t i = 0; i < places.size(); ++i) {
    bytes_max -= RowBytes(*batches[places[i].batch], places[i].row);
    if (bytes_max < 0) return std::max<size_t>(i, 1);
  }
  return places.size();
}

}  // namespace firn
