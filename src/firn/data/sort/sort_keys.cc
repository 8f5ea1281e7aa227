#include "firn/data/sort/sort_keys.h"

#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/decimal.h>

#include "firn/base/check.h"
#include "firn/data/columns/leaf_column_internal.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/columns/value_arrays.h"

namespace firn {
namespace {

// What stands before each value; nulls get one of the others.
constexpr char kNullFirst = 0;
constexpr char kValid = 1;
constexpr char kNullLast = 2;

template <typename T>
void AppendBigEndian(std::string& out, T value) {
  for (size_t shift = sizeof(T) * 8; shift > 0; shift -= 8)
    out.push_back(static_cast<char>((value >> (shift - 8)) & 0xFF));
}

template <typename T>
void AppendInteger(std::string& out, T value) {
  using Unsigned = std::make_unsigned_t<T>;
  constexpr auto kSign = static_cast<Unsigned>(Unsigned{1} << (sizeof(T) * 8 - 1));
  AppendBigEndian(out, static_cast<Unsigned>(static_cast<Unsigned>(value) ^ kSign));
}

template <typename T>
void AppendFloat(std::string& out, T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  const auto bits = std::bit_cast<Bits>(value);
  AppendBigEndian(out, (bits & kSign) != 0 ? ~bits : bits | kSign);
}

void AppendDecimal(std::string& out, const Int128& value) {
  AppendInteger(out, static_cast<int64_t>(value >> 64));
  AppendBigEndian(out, static_cast<uint64_t>(value));
}

// A zero byte is followed by 0xFF and the end marked by two zeros, so that no text's key begins
// with all of another's.
void AppendText(std::string& out, std::string_view text) {
  // Large ones take what they need: a string that has to grow by two bytes becomes twice as large.
  constexpr size_t kLargeBytes = size_t{1} << 20;
  constexpr size_t kRoomBytes = 4096;
  if (text.size() >= kLargeBytes)
    out.reserve(out.size() + out.size() / 4 + text.size() + kRoomBytes);
  while (true) {
    const size_t zero = text.find('\0');
    out.append(text.substr(0, zero));
    if (zero == std::string_view::npos) break;
    out.append("\0\xFF", 2);
    text.remove_prefix(zero + 1);
  }
  out.append("\0\0", 2);
}

void AppendValue(std::string& out, const Value& value) {
  std::visit(
      [&out](const auto& stored) {
        using T = std::decay_t<decltype(stored)>;
        if constexpr (std::is_same_v<T, bool>) {
          out.push_back(stored ? 1 : 0);
        } else if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
          AppendInteger(out, stored);
        } else if constexpr (std::is_floating_point_v<T>) {
          AppendFloat(out, stored);
        } else if constexpr (std::is_same_v<T, Int128>) {
          AppendDecimal(out, stored);
        } else if constexpr (std::is_same_v<T, std::string>) {
          AppendText(out, stored);
        } else if constexpr (std::is_same_v<T, BinaryValue>) {
          AppendText(out, stored.bytes);
        } else if constexpr (std::is_same_v<T, UuidBytes>) {
          out.append(reinterpret_cast<const char*>(stored.data()), stored.size());
        } else {
          FIRN_CHECK(false);  // No transform gives a nested value.
        }
      },
      value.storage());
}

// The key bytes of the values of one array, straight from its memory.
class ArrayKeys {
 public:
  explicit ArrayKeys(const arrow::Array& array)
      : array_(array), type_(array.type_id()), data_(*array.data()) {}

  void Append(int64_t row, std::string& out) const {
    switch (static_cast<int>(type_)) {  // Few of Arrow's many types.
      case arrow::Type::BOOL:
        out.push_back(As<arrow::BooleanArray>().Value(row) ? 1 : 0);
        break;
      case arrow::Type::INT32:
      case arrow::Type::DATE32:
        AppendInteger(out, data_.GetValues<int32_t>(1)[row]);
        break;
      case arrow::Type::INT64:
      case arrow::Type::TIME64:
      case arrow::Type::TIMESTAMP:
        AppendInteger(out, data_.GetValues<int64_t>(1)[row]);
        break;
      case arrow::Type::FLOAT:
        AppendFloat(out, data_.GetValues<float>(1)[row]);
        break;
      case arrow::Type::DOUBLE:
        AppendFloat(out, data_.GetValues<double>(1)[row]);
        break;
      case arrow::Type::DECIMAL128: {
        const arrow::Decimal128 value(As<arrow::Decimal128Array>().GetValue(row));
        AppendInteger(out, value.high_bits());
        AppendBigEndian(out, value.low_bits());
        break;
      }
      case arrow::Type::FIXED_SIZE_BINARY:
        out.append(As<arrow::FixedSizeBinaryArray>().GetView(row));
        break;
      default:
        AppendText(out, As<arrow::BinaryArray>().GetView(row));
        break;
    }
  }

 private:
  template <typename T>
  const T& As() const {
    return static_cast<const T&>(array_);
  }

  const arrow::Array& array_;
  const arrow::Type::type type_;
  const arrow::ArrayData& data_;
};

// One field of the order, for all rows of a batch.
struct KeyField {
  SortField sort;
  TypePtr type;             // Of the source.
  std::vector<int> places;  // Of the source in the schema.
};

class FieldKeys {
 public:
  FieldKeys(const KeyField& field, std::shared_ptr<arrow::Array> array)
      : field_(field), array_(std::move(array)), keys_(*array_) {
    null_ = field.sort.is_nulls_first ? kNullFirst : kNullLast;
    has_nulls_ = array_->null_count() > 0 || array_->type_id() == arrow::Type::NA;
    is_identity_ = field.sort.transform.kind == TransformKind::kIdentity;
    is_void_ = field.sort.transform.kind == TransformKind::kVoid;
  }

  Status Append(int64_t row, std::string& out) const {
    if (is_void_ || (has_nulls_ && array_->IsNull(row))) {
      out.push_back(null_);
      return {};
    }
    out.push_back(kValid);
    const size_t begin = out.size();
    if (is_identity_) {
      keys_.Append(row, out);
    } else {
      FIRN_ASSIGN(const Value value, ApplyTransform(field_.sort.transform, *field_.type,
                                                    ReadValue(*field_.type, *array_, row)));
      AppendValue(out, value);
    }
    if (!field_.sort.is_descending) return {};
    for (size_t i = begin; i < out.size(); ++i)
      out[i] = static_cast<char>(~out[i]);
    return {};
  }

 private:
  const KeyField& field_;
  std::shared_ptr<arrow::Array> array_;
  ArrayKeys keys_;
  char null_ = kNullFirst;
  bool has_nulls_ = false;
  bool is_identity_ = false;
  bool is_void_ = false;
};

class SortKeyEncoder final : public RowKeyEncoder {
 public:
  explicit SortKeyEncoder(std::vector<KeyField> fields) : fields_(std::move(fields)) {}

  Status AppendKeys(const arrow::RecordBatch& batch, arrow::MemoryPool* pool,
                    RowKeys& keys) override {
    std::vector<FieldKeys> columns;
    for (const KeyField& field : fields_) {
      FIRN_ASSIGN(auto array, LeafColumn(batch.columns(), field.places, pool));
      columns.emplace_back(field, std::move(array));
    }
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      for (const FieldKeys& column : columns) {
        FIRN_RETURN_IF_ERROR(column.Append(row, keys.bytes()));
      }
      keys.EndRow();
    }
    return {};
  }

 private:
  const std::vector<KeyField> fields_;
};

bool CanSortBy(const SortField& field, const Schema& schema) {
  const NestedField* source = schema.FindField(field.source_id());
  return source != nullptr && !FindFieldPlaces(schema.fields(), source->id).empty() &&
         !source->type->is_nested() && field.transform.kind != TransformKind::kUnknown &&
         CanTransform(field.transform, *source->type);
}

}  // namespace

void RowKeys::Clear() {
  bytes_.clear();
  ends_.clear();
}

int64_t RowKeys::memory_bytes() const {
  return static_cast<int64_t>(bytes_.capacity() + ends_.capacity() * sizeof(size_t));
}

bool CanSortBy(const std::vector<SortField>& fields, const Schema& schema) {
  for (const SortField& field : fields) {
    if (!CanSortBy(field, schema)) return false;
  }
  return true;
}

Result<std::unique_ptr<RowKeyEncoder>> MakeSortKeyEncoder(const std::vector<SortField>& fields,
                                                          const Schema& schema) {
  std::vector<KeyField> key_fields;
  for (const SortField& field : fields) {
    const NestedField* source = schema.FindField(field.source_id());
    if (!CanSortBy(field, schema)) {
      return MakeError(
          ErrorCode::kUnsupported, "rows cannot be sorted by {} of column {}",
          FormatTransform(field.transform),
          source == nullptr ? std::to_string(field.source_id()) : "'" + source->name + "'");
    }
    key_fields.push_back({.sort = field,
                          .type = source->type,
                          .places = FindFieldPlaces(schema.fields(), source->id)});
  }
  return std::make_unique<SortKeyEncoder>(std::move(key_fields));
}

std::vector<SortField> PartitionOrder(const PartitionSpec& spec) {
  std::vector<SortField> fields;
  for (const PartitionField& field : spec.fields) {
    if (field.transform.kind == TransformKind::kVoid) continue;
    fields.push_back({.source_ids = field.source_ids, .transform = field.transform});
  }
  return fields;
}

}  // namespace firn
