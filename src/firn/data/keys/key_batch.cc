#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <arrow/array.h>
#include <arrow/util/bit_util.h>

#include "firn/data/keys/key_batch_internal.h"

namespace firn {
namespace {

// Bytes of a value; 0: they differ from value to value, or there is none.
size_t WidthOf(const arrow::DataType& type) {
  switch (static_cast<int>(type.id())) {  // Few of Arrow's many types.
    case arrow::Type::BOOL:
      return 1;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::NA:
      return 0;
    default:
      return static_cast<size_t>(static_cast<const arrow::FixedWidthType&>(type).bit_width() / 8);
  }
}

const uint8_t* FirstValue(const arrow::ArrayData& data, size_t width) {
  if (data.buffers[1] == nullptr) return nullptr;
  return data.buffers[1]->data() + static_cast<size_t>(data.offset) * width;
}

template <typename T>
T Normalize(T value) {
  if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
  return value == T{0} ? T{0} : value;  // Both zeros.
}

template <typename T>
void CopyFloats(const arrow::ArrayData& data, int64_t rows, char* out, size_t stride) {
  const uint8_t* values = FirstValue(data, sizeof(T));
  for (int64_t i = 0; i < rows; ++i, out += stride, values += sizeof(T)) {
    T value;
    std::memcpy(&value, values, sizeof(T));
    value = Normalize(value);
    std::memcpy(out, &value, sizeof(T));
  }
}

// The width is known to the compiler, which makes the copy one instruction.
template <size_t kWidth>
void CopyValues(const uint8_t* values, int64_t rows, char* out, size_t stride) {
  for (int64_t i = 0; i < rows; ++i, out += stride, values += kWidth)
    std::memcpy(out, values, kWidth);
}

void CopyColumn(const arrow::ArrayData& data, size_t width, int64_t rows, char* out,
                size_t stride) {
  if (rows == 0 || data.buffers[1] == nullptr) return;  // Without a buffer, all are null.
  const arrow::Type::type id = data.type->id();
  if (id == arrow::Type::BOOL) {
    for (int64_t i = 0; i < rows; ++i, out += stride)
      *out =
          arrow::bit_util::GetBit(data.buffers[1]->data(), static_cast<uint64_t>(data.offset + i))
              ? 1
              : 0;
  } else if (id == arrow::Type::FLOAT) {
    CopyFloats<float>(data, rows, out, stride);
  } else if (id == arrow::Type::DOUBLE) {
    CopyFloats<double>(data, rows, out, stride);
  } else if (width == 4) {
    CopyValues<4>(FirstValue(data, width), rows, out, stride);
  } else if (width == 8) {
    CopyValues<8>(FirstValue(data, width), rows, out, stride);
  } else if (width == 16) {
    CopyValues<16>(FirstValue(data, width), rows, out, stride);
  } else {
    const uint8_t* values = FirstValue(data, width);
    for (int64_t i = 0; i < rows; ++i, out += stride, values += width)
      std::memcpy(out, values, width);
  }
}

}  // namespace

KeyBatch::KeyBatch(std::vector<std::shared_ptr<arrow::Array>> columns, int64_t rows)
    : columns_(std::move(columns)), rows_(rows) {
  FindNulls();
  if (UseInPlace()) return;
  bool is_fixed = true;
  size_t width = 0;
  for (const auto& column : columns_) {
    is_fixed = is_fixed && WidthOf(*column->type()) > 0;
    width += WidthOf(*column->type());
  }
  if (is_fixed) {
    width_ = width;
    CopyFixed();
  } else {
    CopyAny();
  }
}

void KeyBatch::FindNulls() {
  for (const auto& column : columns_) {
    if (column->null_count() == 0) continue;
    is_null_.resize(static_cast<size_t>(rows_));
    for (int64_t i = 0; i < rows_; ++i)
      if (column->IsNull(i)) is_null_[static_cast<size_t>(i)] = 1;
  }
}

// One column whose values are their own keys.
bool KeyBatch::UseInPlace() {
  if (columns_.size() != 1) return false;
  const arrow::ArrayData& data = *columns_[0]->data();
  const arrow::Type::type id = data.type->id();
  const size_t width = WidthOf(*data.type);
  if (width == 0 || id == arrow::Type::BOOL || id == arrow::Type::FLOAT ||
      id == arrow::Type::DOUBLE) {
    return false;
  }
  width_ = width;
  data_ = reinterpret_cast<const char*>(FirstValue(data, width));
  return true;
}

void KeyBatch::CopyFixed() {
  bytes_.resize(static_cast<size_t>(rows_) * width_);
  size_t begin = 0;
  for (const auto& column : columns_) {
    const size_t width = WidthOf(*column->type());
    CopyColumn(*column->data(), width, rows_, bytes_.data() + begin, width_);
    begin += width;
  }
  data_ = bytes_.data();
}

// Columns of one width first, together; then those of texts, each value with its length before it.
void KeyBatch::CopyAny() {
  std::vector<std::shared_ptr<arrow::Array>> fixed;
  std::vector<const arrow::BinaryArray*> texts;
  size_t width = 0;
  for (const auto& column : columns_) {
    if (column->type_id() == arrow::Type::NA) continue;  // Every row is null.
    if (const size_t of_column = WidthOf(*column->type()); of_column > 0) {
      fixed.push_back(column);
      width += of_column;
    } else {
      texts.push_back(static_cast<const arrow::BinaryArray*>(column.get()));
    }
  }
  std::vector<char> values(static_cast<size_t>(rows_) * width);
  size_t begin = 0;
  for (const auto& column : fixed) {
    const size_t of_column = WidthOf(*column->type());
    CopyColumn(*column->data(), of_column, rows_, values.data() + begin, width);
    begin += of_column;
  }
  offsets_.reserve(static_cast<size_t>(rows_) + 1);
  offsets_.push_back(0);
  for (int64_t row = 0; row < rows_; ++row) {
    const char* fixed_values = values.data() + static_cast<size_t>(row) * width;
    bytes_.insert(bytes_.end(), fixed_values, fixed_values + width);
    for (const arrow::BinaryArray* column : texts) {
      const std::string_view text = column->GetView(row);
      const auto length = static_cast<uint32_t>(text.size());
      const auto* length_bytes = reinterpret_cast<const char*>(&length);
      // The last needs none: the others tell where it begins.
      if (column != texts.back()) {
        bytes_.insert(bytes_.end(), length_bytes, length_bytes + sizeof(length));
      }
      bytes_.insert(bytes_.end(), text.begin(), text.end());
    }
    offsets_.push_back(bytes_.size());
  }
  data_ = bytes_.data();
}

}  // namespace firn
