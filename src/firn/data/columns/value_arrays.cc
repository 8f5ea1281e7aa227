#include "firn/data/columns/value_arrays.h"

#include <cstring>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/util/decimal.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/variant_column_internal.h"

namespace firn {
namespace {

Error WrongForm(const Type& type) {
  return MakeError(ErrorCode::kInternal, "a value does not have the form of its type {}",
                   FormatType(type));
}

Status ToFirnStatus(const arrow::Status& status) {
  if (status.ok()) return {};
  return FromArrowStatus(status, ErrorCode::kInternal);
}

template <typename Builder, typename Stored>
Status AppendStored(const Type& type, const Value& value, arrow::ArrayBuilder& builder) {
  const Stored* stored = value.get_if<Stored>();
  if (stored == nullptr) return WrongForm(type);
  return ToFirnStatus(static_cast<Builder&>(builder).Append(*stored));
}

arrow::Decimal128 ToArrowDecimal(Int128 value) {
  return arrow::Decimal128(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value));
}

Status AppendStruct(const Type& type, const Value& value, arrow::ArrayBuilder& builder) {
  const auto* stored = value.get_if<std::shared_ptr<const StructValue>>();
  if (stored == nullptr || (*stored)->fields.size() != type.fields().size()) return WrongForm(type);
  auto& target = static_cast<arrow::StructBuilder&>(builder);
  FIRN_RETURN_IF_ERROR(ToFirnStatus(target.Append()));
  for (size_t i = 0; i < type.fields().size(); ++i) {
    FIRN_RETURN_IF_ERROR(AppendValue(*type.fields()[i].type, (*stored)->fields[i],
                                     *target.field_builder(static_cast<int>(i))));
  }
  return {};
}

Status AppendList(const Type& type, const Value& value, arrow::ArrayBuilder& builder) {
  const auto* stored = value.get_if<std::shared_ptr<const ListValue>>();
  if (stored == nullptr) return WrongForm(type);
  auto& target = static_cast<arrow::ListBuilder&>(builder);
  FIRN_RETURN_IF_ERROR(ToFirnStatus(target.Append()));
  for (const Value& element : (*stored)->elements) {
    FIRN_RETURN_IF_ERROR(AppendValue(*type.element().type, element, *target.value_builder()));
  }
  return {};
}

Status AppendMap(const Type& type, const Value& value, arrow::ArrayBuilder& builder) {
  const auto* stored = value.get_if<std::shared_ptr<const MapValue>>();
  if (stored == nullptr) return WrongForm(type);
  auto& target = static_cast<arrow::MapBuilder&>(builder);
  FIRN_RETURN_IF_ERROR(ToFirnStatus(target.Append()));
  for (const auto& [key, item] : (*stored)->entries) {
    FIRN_RETURN_IF_ERROR(AppendValue(*type.key().type, key, *target.key_builder()));
    FIRN_RETURN_IF_ERROR(AppendValue(*type.value().type, item, *target.item_builder()));
  }
  return {};
}

Status AppendBytes(const Type& type, const Value& value, arrow::ArrayBuilder& builder) {
  const BinaryValue* stored = value.get_if<BinaryValue>();
  if (stored == nullptr) return WrongForm(type);
  if (type.id() == TypeId::kBinary) {
    return ToFirnStatus(static_cast<arrow::BinaryBuilder&>(builder).Append(stored->bytes));
  }
  if (stored->bytes.size() != static_cast<size_t>(type.length())) return WrongForm(type);
  return ToFirnStatus(static_cast<arrow::FixedSizeBinaryBuilder&>(builder).Append(stored->bytes));
}

// The list element, map entry or struct part of a nested array as a value.
Value ReadNested(const Type& type, const arrow::Array& array, int64_t row) {
  if (type.id() == TypeId::kStruct) {
    const auto& source = static_cast<const arrow::StructArray&>(array);
    std::vector<Value> fields;
    for (size_t i = 0; i < type.fields().size(); ++i) {
      fields.push_back(ReadValue(*type.fields()[i].type, *source.field(static_cast<int>(i)), row));
    }
    return Value::Struct(std::move(fields));
  }
  const auto& source = static_cast<const arrow::ListArray&>(array);  // A map is a list of structs.
  const int64_t begin = source.value_offset(row);
  const int64_t end = source.value_offset(row + 1);
  if (type.id() == TypeId::kList) {
    std::vector<Value> elements;
    for (int64_t i = begin; i < end; ++i) {
      elements.push_back(ReadValue(*type.element().type, *source.values(), i));
    }
    return Value::List(std::move(elements));
  }
  const auto& map = static_cast<const arrow::MapArray&>(array);
  std::vector<std::pair<Value, Value>> entries;
  for (int64_t i = begin; i < end; ++i) {
    entries.emplace_back(ReadValue(*type.key().type, *map.keys(), i),
                         ReadValue(*type.value().type, *map.items(), i));
  }
  return Value::Map(std::move(entries));
}

UuidBytes ReadUuid(const arrow::Array& array, int64_t row) {
  UuidBytes uuid;
  std::memcpy(uuid.data(), static_cast<const arrow::FixedSizeBinaryArray&>(array).GetValue(row),
              uuid.size());
  return uuid;
}

Int128 ReadDecimal(const arrow::Array& array, int64_t row) {
  Int128 value;
  std::memcpy(&value, static_cast<const arrow::Decimal128Array&>(array).GetValue(row),
              sizeof(value));
  return value;
}

}  // namespace

Status AppendValue(const Type& type, const Value& value, arrow::ArrayBuilder& builder) {
  if (value.is_null()) return ToFirnStatus(builder.AppendNull());
  switch (type.id()) {
    case TypeId::kBoolean:
      return AppendStored<arrow::BooleanBuilder, bool>(type, value, builder);
    case TypeId::kInt:
      return AppendStored<arrow::Int32Builder, int32_t>(type, value, builder);
    case TypeId::kDate:
      return AppendStored<arrow::Date32Builder, int32_t>(type, value, builder);
    case TypeId::kLong:
      return AppendStored<arrow::Int64Builder, int64_t>(type, value, builder);
    case TypeId::kTime:
      return AppendStored<arrow::Time64Builder, int64_t>(type, value, builder);
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return AppendStored<arrow::TimestampBuilder, int64_t>(type, value, builder);
    case TypeId::kFloat:
      return AppendStored<arrow::FloatBuilder, float>(type, value, builder);
    case TypeId::kDouble:
      return AppendStored<arrow::DoubleBuilder, double>(type, value, builder);
    case TypeId::kString:
      return AppendStored<arrow::StringBuilder, std::string>(type, value, builder);
    case TypeId::kDecimal: {
      const Int128* stored = value.get_if<Int128>();
      if (stored == nullptr) return WrongForm(type);
      return ToFirnStatus(
          static_cast<arrow::Decimal128Builder&>(builder).Append(ToArrowDecimal(*stored)));
    }
    case TypeId::kUuid: {
      const UuidBytes* stored = value.get_if<UuidBytes>();
      if (stored == nullptr) return WrongForm(type);
      return ToFirnStatus(static_cast<arrow::FixedSizeBinaryBuilder&>(builder).Append(
          reinterpret_cast<const uint8_t*>(stored->data())));
    }
    case TypeId::kFixed:
    case TypeId::kBinary:
      return AppendBytes(type, value, builder);
    case TypeId::kStruct:
      return AppendStruct(type, value, builder);
    case TypeId::kList:
      return AppendList(type, value, builder);
    case TypeId::kMap:
      return AppendMap(type, value, builder);
    case TypeId::kVariant: {
      const BinaryValue* stored = value.get_if<BinaryValue>();
      return stored == nullptr ? WrongForm(type) : AppendVariant(stored->bytes, builder);
    }
    case TypeId::kUnknown:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return WrongForm(type);
  }
  return WrongForm(type);
}

Result<std::shared_ptr<arrow::Array>> MakeValueArray(const Type& type,
                                                     const std::vector<Value>& values,
                                                     arrow::MemoryPool* pool) {
  FIRN_ASSIGN(const auto arrow_type, ToArrowType(type));
  FIRN_ASSIGN(const auto builder, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::MakeBuilder(arrow_type, pool);
              }));
  for (const Value& value : values)
    FIRN_RETURN_IF_ERROR(AppendValue(type, value, *builder));
  return GuardArrowResult(ErrorCode::kInternal, [&] { return builder->Finish(); });
}

namespace {

// Required fields below a null struct hold values that nobody sees; Parquet writers refuse nulls.
arrow::Result<std::shared_ptr<arrow::Array>> MakeNulls(
    const std::shared_ptr<arrow::DataType>& arrow_type, int64_t length, arrow::MemoryPool* pool) {
  if (arrow_type->id() != arrow::Type::STRUCT) {
    return arrow::MakeArrayOfNull(arrow_type, length, pool);
  }
  ARROW_ASSIGN_OR_RAISE(const auto builder, arrow::MakeBuilder(arrow_type, pool));
  ARROW_RETURN_NOT_OK(builder->AppendNulls(length));
  return builder->Finish();
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> MakeConstantArray(const Type& type, const Value& value,
                                                        int64_t length, arrow::MemoryPool* pool) {
  FIRN_ASSIGN(const auto arrow_type, ToArrowType(type));
  return GuardArrowResult(ErrorCode::kInternal,
                          [&]() -> arrow::Result<std::shared_ptr<arrow::Array>> {
                            if (value.is_null()) return MakeNulls(arrow_type, length, pool);
                            const auto one = MakeValueArray(type, {value}, pool);
                            if (!one.ok()) return ToArrowStatus(one.error());
                            ARROW_ASSIGN_OR_RAISE(const auto scalar, (*one)->GetScalar(0));
                            return arrow::MakeArrayFromScalar(*scalar, length, pool);
                          });
}

Value ReadValue(const Type& type, const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return {};
  switch (type.id()) {
    case TypeId::kBoolean:
      return static_cast<const arrow::BooleanArray&>(array).Value(row);
    case TypeId::kInt:
      return static_cast<const arrow::Int32Array&>(array).Value(row);
    case TypeId::kDate:
      return static_cast<const arrow::Date32Array&>(array).Value(row);
    case TypeId::kLong:
      return static_cast<const arrow::Int64Array&>(array).Value(row);
    case TypeId::kTime:
      return static_cast<const arrow::Time64Array&>(array).Value(row);
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return static_cast<const arrow::TimestampArray&>(array).Value(row);
    case TypeId::kFloat:
      return static_cast<const arrow::FloatArray&>(array).Value(row);
    case TypeId::kDouble:
      return static_cast<const arrow::DoubleArray&>(array).Value(row);
    case TypeId::kString:
      return static_cast<const arrow::StringArray&>(array).GetString(row);
    case TypeId::kDecimal:
      return ReadDecimal(array, row);
    case TypeId::kUuid:
      return ReadUuid(array, row);
    case TypeId::kFixed:
      return BinaryValue{
          std::string(static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row))};
    case TypeId::kBinary:
      return BinaryValue{static_cast<const arrow::BinaryArray&>(array).GetString(row)};
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return ReadNested(type, array, row);
    case TypeId::kVariant:
      return BinaryValue{ReadVariant(array, row)};
    case TypeId::kUnknown:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return {};
  }
  return {};
}

}  // namespace firn
