#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "firn/engine/arrow_columns_internal.h"

namespace firn {
namespace {

// Any buffer of an array without rows: offsets in it are zero.
alignas(64) constexpr std::array<std::byte, 64> kZeros{};
const std::array<const void*, 4> kZeroBuffers = {kZeros.data(), kZeros.data(), kZeros.data(),
                                                 kZeros.data()};

void ReleaseNothing(ArrowArray* array) { array->release = nullptr; }
void ReleaseNothing(ArrowSchema* schema) { schema->release = nullptr; }

// What a batch of one column points to.
struct OneColumn {
  std::shared_ptr<OwnedArray> batch;
  std::vector<std::unique_ptr<ArrowArray>> arrays;
  std::vector<std::unique_ptr<std::vector<ArrowArray*>>> pointers;
  std::vector<std::unique_ptr<std::vector<uint8_t>>> bitmaps;
  std::vector<std::unique_ptr<std::array<const void*, 1>>> buffers;
  std::array<const void*, 1> no_validity = {nullptr};
};

void ReleaseColumn(ArrowArray* array) {
  delete static_cast<OneColumn*>(array->private_data);
  array->private_data = nullptr;
  array->release = nullptr;
}

ArrowArray* Keep(OneColumn& owner, ArrowArray array) {
  owner.arrays.push_back(std::make_unique<ArrowArray>(array));
  return owner.arrays.back().get();
}

ArrowArray** KeepPointers(OneColumn& owner, std::vector<ArrowArray*> pointers) {
  owner.pointers.push_back(std::make_unique<std::vector<ArrowArray*>>(std::move(pointers)));
  return owner.pointers.back()->data();
}

// The bits of `bitmap` from `first` on.
const void* ShiftBits(OneColumn& owner, const void* bitmap, int64_t first, int64_t count) {
  const auto* bytes = static_cast<const uint8_t*>(bitmap);
  if (bitmap == nullptr || first % 8 == 0) return bitmap == nullptr ? bitmap : bytes + first / 8;
  auto shifted = std::make_unique<std::vector<uint8_t>>(static_cast<size_t>(count + 7) / 8);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t from = first + i;
    const int bit = bytes[from / 8] >> (from % 8) & 1;
    (*shifted)[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>(bit << (i % 8));
  }
  owner.bitmaps.push_back(std::move(shifted));
  return owner.bitmaps.back()->data();
}

// Rows [first, first + rows) of `array`.
ArrowArray Cut(OneColumn& owner, const ArrowArray& array, const ArrayShape& shape, int64_t first,
               int64_t rows) {
  ArrowArray part = array;
  if (part.null_count != 0 && rows != array.length) part.null_count = -1;
  part.length = rows;
  part.offset += first;
  part.release = ReleaseNothing;
  if (!shape.is_struct) return part;
  std::vector<ArrowArray*> children;
  for (size_t i = 0; i < shape.fields.size(); ++i)
    children.push_back(
        Keep(owner, Cut(owner, *array.children[i], shape.fields[i], part.offset, rows)));
  owner.buffers.push_back(std::make_unique<std::array<const void*, 1>>());
  (*owner.buffers.back())[0] = ShiftBits(owner, array.buffers[0], part.offset, rows);
  part.buffers = owner.buffers.back()->data();
  part.children = KeepPointers(owner, std::move(children));
  part.offset = 0;
  return part;
}

ArrowArray BatchOf(std::unique_ptr<OneColumn> owner, ArrowArray column) {
  ArrowArray batch{};
  batch.length = column.length;
  batch.n_buffers = 1;
  batch.n_children = 1;
  batch.buffers = owner->no_validity.data();
  batch.children = KeepPointers(*owner, {Keep(*owner, column)});
  batch.release = ReleaseColumn;
  batch.private_data = owner.release();
  return batch;
}

ArrowArray MakeEmpty(OneColumn& owner, const ArrowSchema& schema) {
  ArrowArray array{};
  array.n_buffers = static_cast<int64_t>(kZeroBuffers.size()) - 1;
  array.buffers = const_cast<const void**>(kZeroBuffers.data());
  array.n_children = schema.n_children;
  std::vector<ArrowArray*> children;
  for (int64_t i = 0; i < schema.n_children; ++i)
    children.push_back(Keep(owner, MakeEmpty(owner, *schema.children[i])));
  array.children = KeepPointers(owner, std::move(children));
  if (schema.dictionary != nullptr) {
    array.dictionary = Keep(owner, MakeEmpty(owner, *schema.dictionary));
  }
  array.release = ReleaseNothing;
  return array;
}

}  // namespace

ArrayShape::ArrayShape(const ArrowSchema& schema)
    : is_struct(std::string_view(schema.format) == "+s") {
  for (int64_t i = 0; is_struct && i < schema.n_children; ++i)
    fields.emplace_back(*schema.children[i]);
}

ArrowArray SliceColumn(std::shared_ptr<OwnedArray> batch, size_t column, const ArrayShape& shape,
                       int64_t first_row, int64_t rows) {
  auto owner = std::make_unique<OneColumn>();
  const ArrowArray slice =
      Cut(*owner, *batch->array.children[column], shape, batch->array.offset + first_row, rows);
  owner->batch = std::move(batch);
  return BatchOf(std::move(owner), slice);
}

ArrowArray MakeEmptyColumn(const ArrowSchema& schema, size_t column) {
  auto owner = std::make_unique<OneColumn>();
  const ArrowArray empty = MakeEmpty(*owner, *schema.children[column]);
  return BatchOf(std::move(owner), empty);
}

ColumnSchema::ColumnSchema(const ArrowSchema& schema, size_t column) {
  const ArrowSchema copy = Copy(*schema.children[column]);
  nodes_.push_back(std::make_unique<std::vector<ArrowSchema>>(1, copy));
  pointers_.push_back(std::make_unique<std::vector<ArrowSchema*>>(1, nodes_.back()->data()));
  root_.format = "+s";
  root_.name = "";
  root_.n_children = 1;
  root_.children = pointers_.back()->data();
  root_.release = ReleaseNothing;
}

ArrowSchema ColumnSchema::Copy(const ArrowSchema& schema) {
  ArrowSchema copy = schema;
  copy.release = ReleaseNothing;
  copy.private_data = nullptr;
  if (std::string_view(schema.format).starts_with("tsn:")) copy.format = "tsn:";
  auto children = std::make_unique<std::vector<ArrowSchema>>();
  for (int64_t i = 0; i < schema.n_children; ++i)
    children->push_back(Copy(*schema.children[i]));
  if (schema.dictionary != nullptr) children->push_back(Copy(*schema.dictionary));
  auto pointers = std::make_unique<std::vector<ArrowSchema*>>();
  for (ArrowSchema& child : *children)
    pointers->push_back(&child);
  copy.children = pointers->data();
  if (schema.dictionary != nullptr) copy.dictionary = pointers->back();
  nodes_.push_back(std::move(children));
  pointers_.push_back(std::move(pointers));
  return copy;
}

}  // namespace firn
