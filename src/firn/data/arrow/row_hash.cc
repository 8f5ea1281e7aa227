#include "firn/data/arrow/row_hash.h"

#include <cstring>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "firn/base/bytes.h"
#include "firn/base/hash.h"
#include "firn/data/arrow/batch_stream.h"

namespace firn {
namespace {

// Two hashes of each row, of which each value changes both.
struct Lanes {
  explicit Lanes(int64_t rows) : low(static_cast<size_t>(rows)), high(static_cast<size_t>(rows)) {}

  std::vector<uint64_t> low;
  std::vector<uint64_t> high;
};

constexpr uint64_t kLowSeed = 0x8E51'7B3F'23A9'C60DULL;
constexpr uint64_t kHighSeed = 0x3C79'AC49'2BA7'B653ULL;
constexpr uint64_t kNull = 0x5851'F42D'4C95'7F2DULL;

uint64_t Mix(uint64_t value) {
  value ^= value >> 32;
  value *= 0xD6E8'FEB8'6659'FD93ULL;
  value ^= value >> 32;
  value *= 0xD6E8'FEB8'6659'FD93ULL;
  return value ^ (value >> 32);
}

// Order counts: the second column of a row does not stand for the first.
void Fold(Lanes& lanes, size_t row, uint64_t low, uint64_t high) {
  lanes.low[row] = Mix(lanes.low[row] * 31 + low + kLowSeed);
  lanes.high[row] = Mix(lanes.high[row] * 37 + high + kHighSeed);
}

void FoldBytes(Lanes& lanes, size_t row, std::string_view bytes) {
  const auto view = AsBytes(bytes);
  Fold(lanes, row, HashFast(view, kLowSeed), HashFast(view, kHighSeed));
}

Status FoldColumn(const arrow::Array& column, Lanes& lanes);

template <typename Array>
void FoldViews(const arrow::Array& column, Lanes& lanes) {
  const auto& array = static_cast<const Array&>(column);
  for (int64_t i = 0; i < array.length(); ++i) {
    const auto row = static_cast<size_t>(i);
    if (array.IsNull(i)) {
      Fold(lanes, row, kNull, kNull);
    } else {
      FoldBytes(lanes, row, array.GetView(i));
    }
  }
}

void FoldFixed(const arrow::Array& column, int width, Lanes& lanes) {
  const uint8_t* values = column.data()->buffers[1]->data() + column.offset() * width;
  for (int64_t i = 0; i < column.length(); ++i) {
    const auto row = static_cast<size_t>(i);
    if (column.IsNull(i)) {
      Fold(lanes, row, kNull, kNull);
      continue;
    }
    if (width > static_cast<int>(sizeof(uint64_t))) {
      const auto* bytes = reinterpret_cast<const char*>(values) + i * width;
      FoldBytes(lanes, row, {bytes, static_cast<size_t>(width)});
      continue;
    }
    uint64_t value = 0;
    std::memcpy(&value, values + i * width, static_cast<size_t>(width));
    Fold(lanes, row, Mix(value ^ kLowSeed), Mix(value ^ kHighSeed));
  }
}

void FoldBooleans(const arrow::Array& column, Lanes& lanes) {
  const auto& array = static_cast<const arrow::BooleanArray&>(column);
  for (int64_t i = 0; i < array.length(); ++i) {
    const uint64_t value = array.IsNull(i) ? kNull : (array.Value(i) ? 1 : 2);
    Fold(lanes, static_cast<size_t>(i), value, value);
  }
}

// The elements of a list are folded one by one, in their order, and then their number.
Status FoldList(const arrow::ListArray& list, Lanes& lanes) {
  Lanes elements(list.values()->length());
  FIRN_RETURN_IF_ERROR(FoldColumn(*list.values(), elements));
  for (int64_t i = 0; i < list.length(); ++i) {
    const auto row = static_cast<size_t>(i);
    if (list.IsNull(i)) {
      Fold(lanes, row, kNull, kNull);
      continue;
    }
    for (int64_t j = list.value_offset(i); j < list.value_offset(i + 1); ++j) {
      const auto element = static_cast<size_t>(j);
      Fold(lanes, row, elements.low[element], elements.high[element]);
    }
    const auto count = static_cast<uint64_t>(list.value_length(i));
    Fold(lanes, row, count, count);
  }
  return {};
}

Status FoldStruct(const arrow::StructArray& group, Lanes& lanes) {
  Lanes children(group.length());
  for (const auto& field : group.fields())
    FIRN_RETURN_IF_ERROR(FoldColumn(*field, children));
  for (size_t row = 0; row < children.low.size(); ++row) {
    const bool is_null = group.IsNull(static_cast<int64_t>(row));
    Fold(lanes, row, is_null ? kNull : children.low[row], is_null ? kNull : children.high[row]);
  }
  return {};
}

Status FoldColumn(const arrow::Array& column, Lanes& lanes) {
  const arrow::Type::type type = column.type_id();
  if (type == arrow::Type::NA) {
    for (size_t row = 0; row < lanes.low.size(); ++row)
      Fold(lanes, row, kNull, kNull);
  } else if (type == arrow::Type::BOOL) {
    FoldBooleans(column, lanes);
  } else if (type == arrow::Type::STRING || type == arrow::Type::BINARY) {
    FoldViews<arrow::BinaryArray>(column, lanes);
  } else if (type == arrow::Type::LIST || type == arrow::Type::MAP) {  // Of entries.
    return FoldList(static_cast<const arrow::ListArray&>(column), lanes);
  } else if (type == arrow::Type::STRUCT) {
    return FoldStruct(static_cast<const arrow::StructArray&>(column), lanes);
  } else if (const auto* fixed = dynamic_cast<const arrow::FixedWidthType*>(column.type().get())) {
    FoldFixed(column, fixed->bit_width() / 8, lanes);
  } else {
    return MakeError(ErrorCode::kUnsupported, "values of type {} have no hash",
                     column.type()->ToString());
  }
  return {};
}

}  // namespace

Result<RowsHash> HashRows(RowStream rows) {
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(rows)));
  RowsHash hash;
  while (true) {
    FIRN_ASSIGN(const auto batch, reader.Next());
    if (batch == nullptr) return hash;
    Lanes lanes(batch->num_rows());
    for (const auto& column : batch->columns())
      FIRN_RETURN_IF_ERROR(FoldColumn(*column, lanes));
    hash.rows += batch->num_rows();
    for (size_t row = 0; row < lanes.low.size(); ++row) {
      hash.low += lanes.low[row];
      hash.high += lanes.high[row];
    }
  }
}

Result<std::vector<RowHash>> HashEachRow(const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                         int64_t rows) {
  Lanes lanes(rows);
  for (const auto& column : columns)
    FIRN_RETURN_IF_ERROR(FoldColumn(*column, lanes));
  std::vector<RowHash> hashes(lanes.low.size());
  for (size_t row = 0; row < hashes.size(); ++row)
    hashes[row] = {lanes.low[row], lanes.high[row]};
  return hashes;
}

}  // namespace firn
