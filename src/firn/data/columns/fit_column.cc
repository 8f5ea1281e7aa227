#include "firn/data/columns/fit_column.h"

#include <string>
#include <string_view>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/util/bitmap_ops.h>

#include "firn/base/random.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/variant_column_internal.h"

namespace firn {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

Result<ArrayPtr> FitValues(const ArrayPtr& column, const NestedField& field,
                           arrow::MemoryPool* pool);

Error WrongType(const arrow::Array& column, const NestedField& field) {
  return MakeError(ErrorCode::kInternal, "column '{}': values have type {}, expected {}",
                   field.name, column.type()->ToString(), FormatType(*field.type));
}

Error Missing(const NestedField& field) {
  return MakeError(ErrorCode::kInvalidInput, "'{}' is required, but a value is null", field.name);
}

// The bytes that a cell of a fixed or UUID column gets.
Result<std::string> FitBytes(std::string_view bytes, const NestedField& field) {
  if (field.type->id() == TypeId::kUuid) {
    const auto uuid = ParseUuid(bytes);
    if (uuid) return std::string(reinterpret_cast<const char*>(uuid->data()), uuid->size());
    return MakeError(ErrorCode::kInvalidInput, "'{}': '{}' is no UUID", field.name, bytes);
  }
  if (std::ssize(bytes) == field.type->length()) return std::string(bytes);
  return MakeError(ErrorCode::kInvalidInput, "'{}': {} bytes, expected {} for {}", field.name,
                   bytes.size(), field.type->length(), FormatType(*field.type));
}

Result<ArrayPtr> FitFixed(const arrow::Array& column, const NestedField& field,
                          arrow::MemoryPool* pool) {
  const auto wanted = field.type->id() == TypeId::kUuid ? arrow::Type::STRING : arrow::Type::BINARY;
  if (column.type_id() != wanted) return WrongType(column, field);
  FIRN_ASSIGN(const auto type, ToArrowType(*field.type));
  const auto& bytes = static_cast<const arrow::BinaryArray&>(column);
  arrow::FixedSizeBinaryBuilder builder(type, pool);
  for (int64_t i = 0; i < bytes.length(); ++i) {
    std::string fitting;
    if (bytes.IsValid(i)) {
      FIRN_ASSIGN(fitting, FitBytes(bytes.GetView(i), field));
    }
    FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&] {
      return bytes.IsNull(i) ? builder.AppendNull() : builder.Append(fitting);
    }));
  }
  return GuardArrowResult(ErrorCode::kInternal, [&] { return builder.Finish(); });
}

// A struct that is null has no fields that could lack a value.
bool LacksValue(const arrow::Array& parent, const arrow::Array& child) {
  if (child.null_count() == 0) return false;
  for (int64_t i = 0; i < parent.length(); ++i) {
    if (parent.IsValid(i) && child.IsNull(i)) return true;
  }
  return false;
}

// Its nulls are those of the struct around it; Parquet's writer takes none for a required field.
ArrayPtr WithoutNulls(const arrow::Array& column) {
  ArrayDataPtr data = column.data()->Copy();
  data->buffers[0] = nullptr;
  data->null_count = 0;
  return arrow::MakeArray(std::move(data));
}

Result<ArrayPtr> FitStruct(const arrow::Array& column, const NestedField& field,
                           arrow::MemoryPool* pool) {
  const bool is_variant = field.type->id() == TypeId::kVariant;
  const std::vector<NestedField>& fields =
      is_variant ? VariantStorage()->fields() : field.type->fields();
  if (column.type_id() != arrow::Type::STRUCT || column.num_fields() != std::ssize(fields)) {
    return WrongType(column, field);
  }
  FIRN_ASSIGN(const auto type, ToArrowType(*field.type));
  const auto& values = static_cast<const arrow::StructArray&>(column);
  std::vector<ArrayPtr> children;
  for (size_t i = 0; i < fields.size(); ++i) {
    // Null where the struct is, whatever stands there.
    FIRN_ASSIGN(const auto masked, GuardArrowResult(ErrorCode::kInternal, [&] {
                  return values.GetFlattenedField(static_cast<int>(i), pool);
                }));
    FIRN_ASSIGN(auto child, FitValues(masked, fields[i], pool));
    if (fields[i].required && LacksValue(values, *child)) return Missing(fields[i]);
    children.push_back(fields[i].required ? WithoutNulls(*child) : std::move(child));
  }
  FIRN_ASSIGN(auto validity, GuardArrowResult(ErrorCode::kInternal, [&] {
                return values.null_bitmap() == nullptr || values.offset() == 0
                           ? arrow::Result<std::shared_ptr<arrow::Buffer>>(values.null_bitmap())
                           : arrow::internal::CopyBitmap(pool, values.null_bitmap_data(),
                                                         values.offset(), values.length());
              }));
  return std::make_shared<arrow::StructArray>(type, values.length(), std::move(children),
                                              std::move(validity));
}

// Lists and maps keep their offsets; what they hold is fitted.
Result<ArrayPtr> FitNested(const arrow::Array& column, const NestedField& field,
                           const NestedField& entries, arrow::MemoryPool* pool) {
  FIRN_ASSIGN(const auto type, ToArrowType(*field.type));
  if (column.type_id() != type->id()) return WrongType(column, field);
  ArrayDataPtr data = column.data()->Copy();
  FIRN_ASSIGN(const ArrayPtr held, FitValues(arrow::MakeArray(data->child_data[0]), entries, pool));
  if (entries.required && held->null_count() > 0) return Missing(entries);
  data->child_data[0] = held->data();
  data->type = type;
  return arrow::MakeArray(std::move(data));
}

Result<ArrayPtr> FitValues(const ArrayPtr& column, const NestedField& field,
                           arrow::MemoryPool* pool) {
  const Type& type = *field.type;
  const TypeId id = type.id();
  if (id == TypeId::kUuid || id == TypeId::kFixed) return FitFixed(*column, field, pool);
  if (id == TypeId::kStruct || id == TypeId::kVariant) return FitStruct(*column, field, pool);
  if (id == TypeId::kList) return FitNested(*column, field, type.element(), pool);
  if (id == TypeId::kMap) {
    const NestedField entries{
        .name = field.name, .type = Type::Struct(type.fields()), .required = true};
    return FitNested(*column, field, entries, pool);
  }
  FIRN_ASSIGN(const auto wanted, ToArrowType(type));
  if (column->type()->Equals(*wanted)) return column;
  const bool lacks_zone = id == TypeId::kTimestamptzNs &&
                          column->type()->Equals(*arrow::timestamp(arrow::TimeUnit::NANO));
  if (!lacks_zone) return WrongType(*column, field);
  ArrayDataPtr data = column->data()->Copy();
  data->type = wanted;
  return arrow::MakeArray(std::move(data));
}

}  // namespace

Result<ArrayPtr> FitColumn(const ArrayPtr& column, const NestedField& field,
                           arrow::MemoryPool* pool) {
  FIRN_ASSIGN(ArrayPtr fitted, FitValues(column, field, pool));
  if (field.required && fitted->null_count() > 0) return Missing(field);
  return fitted;
}

}  // namespace firn
