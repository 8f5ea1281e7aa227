#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/buffer_builder.h>
#include <arrow/extension_type.h>
#include <arrow/util/bitmap_ops.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/column_convert_internal.h"
#include "firn/data/columns/variant_column_internal.h"
#include "firn/format/variant/variant_encode.h"

// Variants of files, which may be shredded: values of the expected type lie in columns of their
// own, `typed_value`, and only the others in `value` (Parquet's "Variant Shredding").

namespace firn {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;
using ArrowId = arrow::Type;

constexpr int kUuidBytes = 16;

// Of an extension type, or what it is itself.
std::shared_ptr<arrow::Array> StorageOf(const std::shared_ptr<arrow::Array>& array) {
  if (array->type_id() != ArrowId::EXTENSION) return array;
  return static_cast<const arrow::ExtensionArray&>(*array).storage();
}

Error WrongShape(const arrow::DataType& type) {
  return MakeError(ErrorCode::kCorrupt, "{} is no type of a shredded variant", type.ToString());
}

// How values of a column of their own are stored in a variant; nullopt: not as a number.
std::optional<VariantKind> NumberKindOf(const arrow::DataType& type) {
  switch (static_cast<int>(type.id())) {  // Few of Arrow's many types.
    case ArrowId::INT8:
      return VariantKind::kInt8;
    case ArrowId::INT16:
      return VariantKind::kInt16;
    case ArrowId::INT32:
      return VariantKind::kInt32;
    case ArrowId::INT64:
      return VariantKind::kInt64;
    case ArrowId::DATE32:
      return VariantKind::kDate;
    case ArrowId::TIME64: {
      const bool is_micros =
          static_cast<const arrow::TimeType&>(type).unit() == arrow::TimeUnit::MICRO;
      return is_micros ? std::optional(VariantKind::kTime) : std::nullopt;
    }
    case ArrowId::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      const bool has_zone = !timestamp.timezone().empty();
      if (timestamp.unit() == arrow::TimeUnit::MICRO) {
        return has_zone ? VariantKind::kTimestamptz : VariantKind::kTimestamp;
      }
      if (timestamp.unit() != arrow::TimeUnit::NANO) return std::nullopt;
      return has_zone ? VariantKind::kTimestamptzNanos : VariantKind::kTimestampNanos;
    }
    default:
      return std::nullopt;
  }
}

int64_t NumberAt(const arrow::Array& array, int64_t row) {
  switch (static_cast<int>(array.type_id())) {
    case ArrowId::INT8:
      return static_cast<const arrow::Int8Array&>(array).Value(row);
    case ArrowId::INT16:
      return static_cast<const arrow::Int16Array&>(array).Value(row);
    case ArrowId::INT32:
    case ArrowId::DATE32:
      return array.data()->GetValues<int32_t>(1)[row];
    default:
      return array.data()->GetValues<int64_t>(1)[row];
  }
}

bool HasScalars(const arrow::DataType& type) {
  if (NumberKindOf(type)) return true;
  switch (static_cast<int>(type.id())) {
    case ArrowId::BOOL:
    case ArrowId::FLOAT:
    case ArrowId::DOUBLE:
    case ArrowId::STRING:
    case ArrowId::BINARY:
      return true;
    case ArrowId::DECIMAL128:
      return static_cast<const arrow::DecimalType&>(type).scale() >= 0;
    case ArrowId::FIXED_SIZE_BINARY:
      return static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width() == kUuidBytes;
    default:
      return false;
  }
}

void AppendScalar(std::string& out, const arrow::Array& array, int64_t row) {
  if (const auto kind = NumberKindOf(*array.type())) {
    return AppendVariantNumber(out, *kind, NumberAt(array, row));
  }
  switch (static_cast<int>(array.type_id())) {
    case ArrowId::BOOL:
      return AppendVariantBoolean(out, static_cast<const arrow::BooleanArray&>(array).Value(row));
    case ArrowId::FLOAT:
      return AppendVariantFloat(out, static_cast<const arrow::FloatArray&>(array).Value(row));
    case ArrowId::DOUBLE:
      return AppendVariantDouble(out, static_cast<const arrow::DoubleArray&>(array).Value(row));
    case ArrowId::STRING:
      return AppendVariantString(out, static_cast<const arrow::StringArray&>(array).GetView(row));
    case ArrowId::BINARY:
      return AppendVariantBinary(out, static_cast<const arrow::BinaryArray&>(array).GetView(row));
    case ArrowId::FIXED_SIZE_BINARY:
      return AppendVariantUuid(out,
                               static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row));
    default:
      break;
  }
  Int128 unscaled = 0;
  const auto& decimals = static_cast<const arrow::FixedSizeBinaryArray&>(array);
  std::memcpy(&unscaled, decimals.GetValue(row), sizeof(unscaled));
  AppendVariantDecimal(out, unscaled,
                       static_cast<const arrow::DecimalType&>(*array.type()).scale());
}

Result<std::shared_ptr<arrow::BinaryArray>> ToBytes(const std::shared_ptr<arrow::Array>& array,
                                                    arrow::MemoryPool* pool) {
  const Type& binary = *Type::Primitive(TypeId::kBinary);
  if (!CanConvertColumn(*array->type(), binary)) return WrongShape(*array->type());
  FIRN_ASSIGN(const auto bytes, ConvertColumn(*array->data(), binary, pool));
  return std::make_shared<arrow::BinaryArray>(bytes);
}

// A group of `value` and `typed_value`: the variant itself, a field of an object or an element.
class ShreddedValue {
 public:
  Status Open(const arrow::StructArray& group, arrow::MemoryPool* pool) {
    for (int i = 0; i < group.num_fields(); ++i) {
      const std::string& name = group.type()->field(i)->name();
      const auto part = StorageOf(group.field(i));
      if (name == kVariantValue) {
        FIRN_ASSIGN(value_, ToBytes(part, pool));
      } else if (name == kVariantTypedValue) {
        FIRN_RETURN_IF_ERROR(OpenTyped(part, pool), "'{}'", name);
      }
    }
    return {};
  }

  // Append the value of a row. False: it is missing.
  Result<bool> Append(const VariantMetadata& metadata, int64_t row, std::string& out) const {
    const bool has_value = value_ != nullptr && value_->IsValid(row);
    if (typed_ == nullptr || typed_->IsNull(row)) {
      if (has_value) out += value_->GetView(row);
      return has_value;
    }
    if (typed_->type_id() == ArrowId::STRUCT) {
      FIRN_RETURN_IF_ERROR(AppendObject(metadata, row, has_value, out));
      return true;
    }
    if (has_value) {
      return MakeError(ErrorCode::kCorrupt,
                       "a shredded variant that is no object has two values in one place");
    }
    if (typed_->type_id() != ArrowId::LIST) {
      AppendScalar(out, *typed_, row);
      return true;
    }
    FIRN_RETURN_IF_ERROR(AppendArray(metadata, row, out));
    return true;
  }

 private:
  Status OpenTyped(const std::shared_ptr<arrow::Array>& typed, arrow::MemoryPool* pool) {
    typed_ = typed;
    if (typed->type_id() == ArrowId::STRUCT) {
      const auto& object = static_cast<const arrow::StructArray&>(*typed);
      for (int i = 0; i < object.num_fields(); ++i) {
        names_.push_back(object.type()->field(i)->name());
        FIRN_RETURN_IF_ERROR(OpenChild(object.field(i), pool), "'{}'", names_.back());
      }
      return {};
    }
    if (typed->type_id() == ArrowId::LIST) {
      return OpenChild(static_cast<const arrow::ListArray&>(*typed).values(), pool);
    }
    return HasScalars(*typed->type()) ? Status() : WrongShape(*typed->type());
  }

  Status OpenChild(const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) {
    const auto child = StorageOf(array);
    if (child->type_id() != ArrowId::STRUCT) return WrongShape(*child->type());
    return children_.emplace_back().Open(static_cast<const arrow::StructArray&>(*child), pool);
  }

  Status AppendArray(const VariantMetadata& metadata, int64_t row, std::string& out) const {
    const auto& list = static_cast<const arrow::ListArray&>(*typed_);
    const size_t begin = out.size();
    std::vector<size_t> offsets;
    for (int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
      offsets.push_back(out.size() - begin);
      FIRN_ASSIGN(const bool is_there, children_[0].Append(metadata, i, out));
      if (!is_there) AppendVariantNull(out);
    }
    return FinishVariantArray(out, begin, offsets);
  }

  Status AppendObject(const VariantMetadata& metadata, int64_t row, bool has_value,
                      std::string& out) const {
    const size_t begin = out.size();
    std::vector<VariantField> fields;
    for (size_t i = 0; i < children_.size(); ++i) {
      const size_t offset = out.size() - begin;
      FIRN_ASSIGN(const bool is_there, children_[i].Append(metadata, row, out));
      if (!is_there) continue;
      FIRN_ASSIGN(const uint32_t id, metadata.Find(names_[i]));
      fields.push_back({.name = names_[i], .id = id, .offset = offset});
    }
    if (has_value) {
      FIRN_RETURN_IF_ERROR(AppendRest(metadata, value_->GetView(row), begin, fields, out));
    }
    const Status finished = FinishVariantObject(out, begin, fields);
    return finished.ok() ? finished : Error(ErrorCode::kCorrupt, finished.error().message());
  }

  // The fields that are not shredded.
  static Status AppendRest(const VariantMetadata& metadata, std::string_view bytes, size_t begin,
                           std::vector<VariantField>& fields, std::string& out) {
    FIRN_ASSIGN(const VariantValue rest, VariantValue::Parse(bytes));
    if (rest.kind() != VariantKind::kObject) {
      return MakeError(ErrorCode::kCorrupt,
                       "the rest of a shredded object is a variant of another kind");
    }
    size_t bytes_left = bytes.size();
    for (uint32_t i = 0; i < rest.element_count(); ++i) {
      FIRN_ASSIGN(const std::string_view name, metadata.Name(rest.NameId(i)));
      FIRN_ASSIGN(const std::string_view element, rest.Element(i));
      FIRN_ASSIGN(const VariantValue value, VariantValue::Parse(element));
      if (value.bytes().size() > bytes_left) {
        return MakeError(ErrorCode::kCorrupt, "values of a variant overlap");
      }
      bytes_left -= value.bytes().size();
      fields.push_back({.name = name, .id = rest.NameId(i), .offset = out.size() - begin});
      out += value.bytes();
    }
    return {};
  }

  std::shared_ptr<arrow::BinaryArray> value_;  // Null: there is no such column.
  std::shared_ptr<arrow::Array> typed_;        // Null: likewise.
  std::vector<std::string> names_;             // Of the fields of objects.
  std::vector<ShreddedValue> children_;        // One for each name, or for the elements.
};

// Rows one by one, of a group that cannot be taken as it is.
Result<ArrayDataPtr> PutTogether(const arrow::StructArray& group,
                                 const arrow::BinaryArray& metadata, arrow::MemoryPool* pool) {
  ShreddedValue shredded;
  FIRN_RETURN_IF_ERROR(shredded.Open(group, pool));
  arrow::BinaryBuilder names(pool);
  arrow::BinaryBuilder values(pool);
  arrow::TypedBufferBuilder<bool> validity(pool);
  std::string bytes;
  for (int64_t row = 0; row < group.length(); ++row) {
    bytes.clear();
    const bool is_null = group.IsNull(row);
    if (!is_null) {
      if (metadata.IsNull(row)) return Error(ErrorCode::kCorrupt, "a variant has no dictionary");
      FIRN_ASSIGN(const auto dictionary, VariantMetadata::Parse(metadata.GetView(row)));
      FIRN_ASSIGN(const bool is_there, shredded.Append(dictionary, row, bytes));
      if (!is_there) AppendVariantNull(bytes);
    }
    FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&]() -> arrow::Status {
      ARROW_RETURN_NOT_OK(validity.Append(!is_null));
      ARROW_RETURN_NOT_OK(names.Append(is_null ? std::string_view() : metadata.GetView(row)));
      return values.Append(bytes);
    }));
  }
  return GuardArrowResult(ErrorCode::kInternal, [&]() -> arrow::Result<ArrayDataPtr> {
    ARROW_ASSIGN_OR_RAISE(const auto name_array, names.Finish());
    ARROW_ASSIGN_OR_RAISE(const auto value_array, values.Finish());
    ARROW_ASSIGN_OR_RAISE(auto bits, validity.Finish());
    return arrow::ArrayData::Make(group.type(), group.length(), {std::move(bits)},
                                  {name_array->data(), value_array->data()}, group.null_count());
  });
}

// Whether `part` has a value wherever `group` has one.
bool HasAllValues(const arrow::Array& group, const arrow::Array& part) {
  if (part.null_count() == 0) return true;
  for (int64_t i = 0; i < group.length(); ++i) {
    if (group.IsValid(i) && part.IsNull(i)) return false;
  }
  return true;
}

Result<std::shared_ptr<arrow::Buffer>> CopyValidity(const arrow::Array& group,
                                                    arrow::MemoryPool* pool) {
  if (group.null_bitmap() == nullptr || group.offset() == 0) return group.null_bitmap();
  return GuardArrowResult(ErrorCode::kInternal, [&] {
    return arrow::internal::CopyBitmap(pool, group.null_bitmap_data(), group.offset(),
                                       group.length());
  });
}

}  // namespace

Result<ArrayDataPtr> MakeVariantColumn(const arrow::ArrayData& group, arrow::MemoryPool* pool) {
  FIRN_ASSIGN(const auto type, ToArrowType(*Type::Primitive(TypeId::kVariant)));
  const auto array = StorageOf(arrow::MakeArray(group.Copy()));
  if (array->type_id() != ArrowId::STRUCT) return WrongShape(*array->type());
  const auto& parts = static_cast<const arrow::StructArray&>(*array);
  const auto names = parts.GetFieldByName(std::string(kVariantMetadata));
  if (names == nullptr) return WrongShape(*array->type());
  FIRN_ASSIGN(const auto metadata, ToBytes(StorageOf(names), pool));
  const auto values = parts.GetFieldByName(std::string(kVariantValue));
  if (values != nullptr && parts.GetFieldByName(std::string(kVariantTypedValue)) == nullptr) {
    FIRN_ASSIGN(const auto value, ToBytes(StorageOf(values), pool));
    if (HasAllValues(parts, *value) && HasAllValues(parts, *metadata)) {
      FIRN_ASSIGN(auto validity, CopyValidity(parts, pool));
      return arrow::ArrayData::Make(type, parts.length(), {std::move(validity)},
                                    {metadata->data(), value->data()}, parts.null_count());
    }
  }
  FIRN_ASSIGN(auto made, PutTogether(parts, *metadata, pool));
  made->type = type;
  return made;
}

}  // namespace firn
