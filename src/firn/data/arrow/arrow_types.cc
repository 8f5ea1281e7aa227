#include "firn/data/arrow/arrow_types.h"

#include <string>
#include <utility>

#include <arrow/util/key_value_metadata.h>

#include "firn/base/number.h"

namespace firn {
namespace {

Result<std::shared_ptr<arrow::Field>> ToNamedArrowField(const NestedField& field,
                                                        std::string name) {
  FIRN_ASSIGN(auto type, ToArrowType(*field.type), "column '{}'", field.name);
  auto metadata = arrow::key_value_metadata({kFieldIdKey}, {std::to_string(field.id)});
  return arrow::field(std::move(name), std::move(type), !field.required, std::move(metadata));
}

Result<std::shared_ptr<arrow::DataType>> ToNestedArrowType(const Type& type) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const NestedField& field : type.fields()) {
    FIRN_ASSIGN(auto child, ToArrowField(field));
    fields.push_back(std::move(child));
  }
  if (type.id() == TypeId::kStruct) return arrow::struct_(std::move(fields));
  if (type.id() == TypeId::kList) return arrow::list(fields[0]);
  return std::make_shared<arrow::MapType>(fields[0]->WithNullable(false), fields[1]);
}

}  // namespace

Result<std::shared_ptr<arrow::DataType>> ToArrowType(const Type& type) {
  switch (type.id()) {
    case TypeId::kUnknown:
      return arrow::null();
    case TypeId::kBoolean:
      return arrow::boolean();
    case TypeId::kInt:
      return arrow::int32();
    case TypeId::kLong:
      return arrow::int64();
    case TypeId::kFloat:
      return arrow::float32();
    case TypeId::kDouble:
      return arrow::float64();
    case TypeId::kDecimal:
      return arrow::decimal128(type.precision(), type.scale());
    case TypeId::kDate:
      return arrow::date32();
    case TypeId::kTime:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case TypeId::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeId::kTimestamptz:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case TypeId::kTimestampNs:
      return arrow::timestamp(arrow::TimeUnit::NANO);
    case TypeId::kTimestamptzNs:
      return arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
    case TypeId::kString:
      return arrow::utf8();
    case TypeId::kUuid:
      return arrow::fixed_size_binary(16);
    case TypeId::kFixed:
      return arrow::fixed_size_binary(type.length());
    case TypeId::kBinary:
      return arrow::binary();
    case TypeId::kVariant:
      return arrow::struct_({arrow::field("metadata", arrow::binary(), /*nullable=*/false),
                             arrow::field("value", arrow::binary(), /*nullable=*/false)});
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return MakeError(ErrorCode::kUnsupported,
                       "values of type {} cannot be read or written; leave the column out",
                       FormatType(type));
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return ToNestedArrowType(type);
  }
  return MakeError(ErrorCode::kInternal, "a type has no Arrow form");
}

Result<std::shared_ptr<arrow::Field>> ToArrowField(const NestedField& field) {
  return ToNamedArrowField(field, field.name);
}

Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const std::vector<NestedField>& fields) {
  std::vector<std::shared_ptr<arrow::Field>> children;
  for (const NestedField& field : fields) {
    FIRN_ASSIGN(auto child, ToArrowField(field));
    children.push_back(std::move(child));
  }
  return arrow::schema(std::move(children));
}

}  // namespace firn
