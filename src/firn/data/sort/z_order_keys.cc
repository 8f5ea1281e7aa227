#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "firn/data/columns/leaf_column_internal.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/sort/space_filling_keys.h"

namespace firn {
namespace {

constexpr size_t kNumberBytes = sizeof(uint64_t);
constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr uint64_t kSignBit = uint64_t{1} << 63;
constexpr uint8_t kTrueByte = 0x81;

bool HasZOrderKey(TypeId type) {
  switch (type) {
    case TypeId::kBoolean:
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kString:
    case TypeId::kBinary:
      return true;
    case TypeId::kDecimal:
    case TypeId::kTime:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return false;
}

uint64_t OrderedBits(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint64_t>(static_cast<int64_t>(bits) >> 63);
  return bits ^ (sign | kSignBit);
}

uint64_t OrderedBits(int64_t value) { return static_cast<uint64_t>(value) ^ kSignBit; }

// The bytes of a text that fit, without the part of a character that does not.
std::string_view CutText(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<uint8_t>(text[bytes]) & 0xC0) == 0x80)
    --bytes;
  return text.substr(0, bytes);
}

struct Column {
  TypeId type = TypeId::kLong;
  std::vector<int> places;
  size_t bytes = kNumberBytes;  // Of its part of a key.
};

// The parts of one column for all rows of a batch, one after the other.
class ColumnParts {
 public:
  ColumnParts(const Column& column, const arrow::Array& array)
      : column_(column), array_(array), parts_(static_cast<size_t>(array.length()) * column.bytes) {
    for (int64_t row = 0; row < array.length(); ++row) {
      if (!array.IsNull(row)) Write(row, parts_.data() + static_cast<size_t>(row) * column.bytes);
    }
  }

  uint8_t byte(size_t row, size_t index) const { return parts_[row * column_.bytes + index]; }

 private:
  template <typename Array>
  auto Get(int64_t row) const {
    return static_cast<const Array&>(array_).GetView(row);
  }

  static void WriteNumber(uint64_t bits, uint8_t* out) {
    for (size_t i = 0; i < kNumberBytes; ++i)
      out[i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
  }

  void WriteBytes(std::string_view bytes, uint8_t* out) const {
    std::memcpy(out, bytes.data(), std::min(bytes.size(), column_.bytes));
  }

  void Write(int64_t row, uint8_t* out) const {
    const TypeId type = column_.type;
    if (type == TypeId::kBoolean) {
      out[0] = Get<arrow::BooleanArray>(row) ? kTrueByte : 0;
    } else if (type == TypeId::kInt) {
      WriteNumber(OrderedBits(int64_t{Get<arrow::Int32Array>(row)}), out);
    } else if (type == TypeId::kDate) {
      WriteNumber(OrderedBits(int64_t{Get<arrow::Date32Array>(row)}), out);
    } else if (type == TypeId::kLong) {
      WriteNumber(OrderedBits(int64_t{Get<arrow::Int64Array>(row)}), out);
    } else if (type == TypeId::kTimestamp) {
      WriteNumber(OrderedBits(int64_t{Get<arrow::TimestampArray>(row)}), out);
    } else if (type == TypeId::kTimestamptz) {  // In seconds, as Spark casts it.
      const int64_t micros = Get<arrow::TimestampArray>(row);
      const int64_t rest = micros % kMicrosPerSecond;
      WriteNumber(OrderedBits(micros / kMicrosPerSecond - (rest < 0 ? 1 : 0)), out);
    } else if (type == TypeId::kFloat) {
      WriteNumber(OrderedBits(double{Get<arrow::FloatArray>(row)}), out);
    } else if (type == TypeId::kDouble) {
      WriteNumber(OrderedBits(Get<arrow::DoubleArray>(row)), out);
    } else if (type == TypeId::kString) {
      WriteBytes(CutText(Get<arrow::BinaryArray>(row), column_.bytes), out);
    } else {
      WriteBytes(Get<arrow::BinaryArray>(row), out);
    }
  }

  const Column& column_;
  const arrow::Array& array_;
  std::vector<uint8_t> parts_;
};

class ZOrderEncoder final : public RowKeyEncoder {
 public:
  ZOrderEncoder(std::vector<Column> columns, int64_t key_bytes_max) : columns_(std::move(columns)) {
    for (const Column& column : columns_) {
      key_bytes_ += column.bytes;
      longest_ = std::max(longest_, column.bytes);
    }
    key_bytes_ = std::min(key_bytes_, static_cast<size_t>(key_bytes_max));
  }

  Status AppendKeys(const arrow::RecordBatch& batch, arrow::MemoryPool* pool,
                    RowKeys& keys) override {
    std::vector<ColumnParts> parts;
    parts.reserve(columns_.size());
    for (const Column& column : columns_) {
      FIRN_ASSIGN(const auto array, LeafColumn(batch.columns(), column.places, pool));
      parts.emplace_back(column, *array);
    }
    for (size_t row = 0; row < static_cast<size_t>(batch.num_rows()); ++row) {
      Interleave(parts, row, keys.bytes());
      keys.EndRow();
    }
    return {};
  }

 private:
  // A bit of each column in turn; columns that have no more bytes are passed over.
  void Interleave(const std::vector<ColumnParts>& parts, size_t row, std::string& out) const {
    const size_t end = out.size() + key_bytes_;
    uint8_t filled = 0;
    int bits = 0;
    for (size_t index = 0; index < longest_; ++index) {
      for (int bit = 7; bit >= 0; --bit) {
        for (size_t i = 0; i < parts.size(); ++i) {
          if (index >= columns_[i].bytes) continue;
          filled = static_cast<uint8_t>((filled << 1) | ((parts[i].byte(row, index) >> bit) & 1));
          if (++bits < 8) continue;
          bits = 0;
          out.push_back(static_cast<char>(filled));
          if (out.size() == end) return;
        }
      }
    }
  }

  const std::vector<Column> columns_;
  size_t key_bytes_ = 0;
  size_t longest_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowKeyEncoder>> MakeZOrderEncoder(const std::vector<int32_t>& field_ids,
                                                         const Schema& schema,
                                                         const ZOrderOptions& options) {
  std::vector<Column> columns;
  for (const int32_t id : field_ids) {
    const NestedField* field = schema.FindField(id);
    std::vector<int> places = FindFieldPlaces(schema.fields(), id);
    if (field == nullptr || places.empty() || !HasZOrderKey(field->type->id())) {
      return MakeError(ErrorCode::kUnsupported, "rows cannot be z-ordered by column {}",
                       field == nullptr
                           ? std::to_string(id)
                           : "'" + field->name + "' of type " + FormatType(*field->type));
    }
    const TypeId type = field->type->id();
    const bool is_text = type == TypeId::kString || type == TypeId::kBinary;
    columns.push_back({.type = type,
                       .places = std::move(places),
                       .bytes = is_text ? static_cast<size_t>(options.text_bytes) : kNumberBytes});
  }
  return std::make_unique<ZOrderEncoder>(std::move(columns), options.key_bytes_max);
}

}  // namespace firn
