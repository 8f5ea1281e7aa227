#include <algorithm>
#include <cstring>
#include <limits>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/gather_rows_internal.h"

namespace firn {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;
using Arrays = std::vector<const arrow::ArrayData*>;  // One column of each batch.
using Places = std::span<const RowPlace>;

// How many places ahead a row is fetched: rows that are sorted lie all over the memory.
constexpr size_t kFetchAhead = 16;

struct Validity {
  std::shared_ptr<arrow::Buffer> bits;  // Null: there are no nulls.
  int64_t null_count = 0;
};

bool IsNull(const arrow::ArrayData& array, uint32_t row) {
  return array.buffers[0] != nullptr &&
         !arrow::bit_util::GetBit(array.buffers[0]->data(),
                                  static_cast<uint64_t>(array.offset) + row);
}

arrow::Result<Validity> GatherValidity(const Arrays& arrays, Places places,
                                       arrow::MemoryPool* pool) {
  const bool has_nulls =
      std::any_of(arrays.begin(), arrays.end(), [](const auto* a) { return a->MayHaveNulls(); });
  Validity validity;
  if (!has_nulls) return validity;
  const auto count = static_cast<int64_t>(places.size());
  ARROW_ASSIGN_OR_RAISE(validity.bits, arrow::AllocateEmptyBitmap(count, pool));
  uint8_t* bits = validity.bits->mutable_data();
  for (size_t i = 0; i < places.size(); ++i) {
    if (IsNull(*arrays[places[i].batch], places[i].row)) {
      ++validity.null_count;
    } else {
      arrow::bit_util::SetBit(bits, static_cast<int64_t>(i));
    }
  }
  return validity;
}

template <int64_t kWidth>
void CopyFixed(const std::vector<const uint8_t*>& values, Places places, uint8_t* out) {
  for (size_t i = 0; i < places.size(); ++i) {
    const size_t ahead = std::min(i + kFetchAhead, places.size() - 1);
    __builtin_prefetch(values[places[ahead].batch] + places[ahead].row * kWidth);
    std::memcpy(out + static_cast<int64_t>(i) * kWidth,
                values[places[i].batch] + places[i].row * kWidth, kWidth);
  }
}

void CopyFixed(const std::vector<const uint8_t*>& values, Places places, int64_t width,
               uint8_t* out) {
  switch (width) {
    case 1:
      return CopyFixed<1>(values, places, out);
    case 2:
      return CopyFixed<2>(values, places, out);
    case 4:
      return CopyFixed<4>(values, places, out);
    case 8:
      return CopyFixed<8>(values, places, out);
    case 16:
      return CopyFixed<16>(values, places, out);
    default:
      for (const RowPlace& place : places) {
        std::memcpy(out, values[place.batch] + place.row * width, static_cast<size_t>(width));
        out += width;
      }
  }
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> GatherFixed(const Arrays& arrays, Places places,
                                                             int64_t width,
                                                             arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(Validity validity, GatherValidity(arrays, places, pool));
  const auto count = static_cast<int64_t>(places.size());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> out,
                        arrow::AllocateBuffer(count * width, pool));
  std::vector<const uint8_t*> values;
  for (const arrow::ArrayData* array : arrays)
    values.push_back(array->buffers[1]->data() + array->offset * width);
  CopyFixed(values, places, width, out->mutable_data());
  return arrow::ArrayData::Make(arrays[0]->type, count, {std::move(validity.bits), std::move(out)},
                                validity.null_count);
}

template <typename Offset>
arrow::Result<std::shared_ptr<arrow::ArrayData>> GatherTexts(const Arrays& arrays, Places places,
                                                             arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(Validity validity, GatherValidity(arrays, places, pool));
  const auto count = static_cast<int64_t>(places.size());
  std::vector<const Offset*> ends;
  std::vector<const uint8_t*> bytes;
  for (const arrow::ArrayData* array : arrays) {
    ends.push_back(array->GetValues<Offset>(1));
    bytes.push_back(array->buffers[2] == nullptr ? nullptr : array->buffers[2]->data());
  }
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> offsets,
      arrow::AllocateBuffer((count + 1) * static_cast<int64_t>(sizeof(Offset)), pool));
  auto* out_ends = reinterpret_cast<Offset*>(offsets->mutable_data());
  int64_t total = 0;
  out_ends[0] = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const Offset* end = ends[places[i].batch] + places[i].row;
    total += end[1] - end[0];
    if (total > std::numeric_limits<Offset>::max()) {
      return arrow::Status::CapacityError("texts of one column take more than 2 GiB");
    }
    out_ends[i + 1] = static_cast<Offset>(total);
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> out, arrow::AllocateBuffer(total, pool));
  uint8_t* text = out->mutable_data();
  for (size_t i = 0; i < places.size(); ++i) {
    const RowPlace& ahead = places[std::min(i + kFetchAhead, places.size() - 1)];
    const uint8_t* base = bytes[ahead.batch];
    if (base != nullptr) __builtin_prefetch(base + ends[ahead.batch][ahead.row]);
    const auto length = static_cast<size_t>(out_ends[i + 1] - out_ends[i]);
    if (length == 0) continue;
    std::memcpy(text + out_ends[i], bytes[places[i].batch] + ends[places[i].batch][places[i].row],
                length);
  }
  return arrow::ArrayData::Make(arrays[0]->type, count,
                                {std::move(validity.bits), std::move(offsets), std::move(out)},
                                validity.null_count);
}

// Of any type, value by value.
arrow::Result<std::shared_ptr<arrow::ArrayData>> GatherValues(const Arrays& arrays, Places places,
                                                              arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(arrays[0]->type, pool));
  ARROW_RETURN_NOT_OK(builder->Reserve(static_cast<int64_t>(places.size())));
  std::vector<arrow::ArraySpan> spans;
  for (const arrow::ArrayData* array : arrays)
    spans.emplace_back(*array);
  for (const RowPlace& place : places)
    ARROW_RETURN_NOT_OK(builder->AppendArraySlice(spans[place.batch], place.row, 1));
  ARROW_ASSIGN_OR_RAISE(const auto array, builder->Finish());
  return array->data();
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> GatherColumn(const Arrays& arrays, Places places,
                                                              arrow::MemoryPool* pool);

arrow::Result<std::shared_ptr<arrow::ArrayData>> GatherExtension(const Arrays& arrays,
                                                                 Places places,
                                                                 arrow::MemoryPool* pool) {
  const auto& type = static_cast<const arrow::ExtensionType&>(*arrays[0]->type);
  std::vector<std::shared_ptr<arrow::ArrayData>> storage;
  Arrays pointers;
  for (const arrow::ArrayData* array : arrays) {
    storage.push_back(array->Copy());
    storage.back()->type = type.storage_type();
    pointers.push_back(storage.back().get());
  }
  ARROW_ASSIGN_OR_RAISE(auto gathered, GatherColumn(pointers, places, pool));
  gathered->type = arrays[0]->type;
  return gathered;
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> GatherColumn(const Arrays& arrays, Places places,
                                                              arrow::MemoryPool* pool) {
  const arrow::DataType& type = *arrays[0]->type;
  const arrow::Type::type id = type.id();
  if (id == arrow::Type::EXTENSION) return GatherExtension(arrays, places, pool);
  if (arrow::is_large_binary_like(id)) return GatherTexts<int64_t>(arrays, places, pool);
  if (arrow::is_binary_like(id)) return GatherTexts<int32_t>(arrays, places, pool);
  const bool is_bytes = arrow::is_fixed_width(id) && type.num_fields() == 0 &&
                        id != arrow::Type::BOOL && id != arrow::Type::DICTIONARY;
  if (is_bytes) return GatherFixed(arrays, places, type.byte_width(), pool);
  return GatherValues(arrays, places, pool);
}

}  // namespace

Result<BatchPtr> GatherRows(const std::vector<BatchPtr>& batches, Places places,
                            arrow::MemoryPool* pool) {
  return GuardArrowResult(ErrorCode::kInternal, [&]() -> arrow::Result<BatchPtr> {
    const auto& schema = batches[0]->schema();
    std::vector<std::shared_ptr<arrow::ArrayData>> columns;
    for (int i = 0; i < schema->num_fields(); ++i) {
      Arrays arrays;
      for (const BatchPtr& batch : batches)
        arrays.push_back(batch->column_data(i).get());
      ARROW_ASSIGN_OR_RAISE(auto column, GatherColumn(arrays, places, pool));
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(schema, static_cast<int64_t>(places.size()),
                                    std::move(columns));
  });
}

}  // namespace firn
