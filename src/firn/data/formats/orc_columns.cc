#include <string>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/formats/orc_columns_internal.h"

namespace firn {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

bool IsFixedBytes(const Type& type) {
  return type.id() == TypeId::kUuid || type.id() == TypeId::kFixed;
}

void AddTypeAttributes(const Type& type, arrow::KeyValueMetadata& attributes) {
  switch (type.id()) {
    case TypeId::kLong:
      attributes.Append("iceberg.long-type", "LONG");
      break;
    case TypeId::kTime:
      attributes.Append("iceberg.long-type", "TIME");
      break;
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
      attributes.Append("iceberg.timestamp-unit", "MICROS");
      break;
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      attributes.Append("iceberg.timestamp-unit", "NANOS");
      break;
    case TypeId::kUuid:
      attributes.Append("iceberg.binary-type", "UUID");
      break;
    case TypeId::kFixed:
      attributes.Append("iceberg.binary-type", "FIXED");
      attributes.Append("iceberg.length", std::to_string(type.length()));
      break;
    case TypeId::kBinary:
      attributes.Append("iceberg.binary-type", "BINARY");
      break;
    case TypeId::kUnknown:
    case TypeId::kBoolean:
    case TypeId::kInt:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kDate:
    case TypeId::kString:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
}

Result<std::shared_ptr<arrow::Field>> ToOrcField(const NestedField& field, const std::string& name);

Result<std::shared_ptr<arrow::DataType>> ToOrcType(const Type& type) {
  if (type.id() == TypeId::kTime) return arrow::int64();
  if (IsFixedBytes(type)) return arrow::binary();
  if (type.id() == TypeId::kStruct) {
    FIRN_ASSIGN(const auto schema, ToOrcSchema(type.fields()));
    return arrow::struct_(schema->fields());
  }
  if (type.id() == TypeId::kList) {
    FIRN_ASSIGN(auto element, ToOrcField(type.element(), "item"));
    return arrow::list(std::move(element));
  }
  if (type.id() == TypeId::kMap) {
    FIRN_ASSIGN(auto key, ToOrcField(type.key(), "key"));
    FIRN_ASSIGN(auto value, ToOrcField(type.value(), "value"));
    return std::make_shared<arrow::MapType>(std::move(key), std::move(value));
  }
  if (type.id() == TypeId::kUnknown) {
    return Error(ErrorCode::kUnsupported,
                 "ORC has no type for unknown inside a list or a map; write Parquet "
                 "(write.format.default)");
  }
  if (type.id() == TypeId::kVariant) {
    return Error(ErrorCode::kUnsupported,
                 "other engines read no variants from ORC files; write Parquet or Avro "
                 "(write.format.default)");
  }
  return ToArrowType(type);
}

Result<std::shared_ptr<arrow::Field>> ToOrcField(const NestedField& field,
                                                 const std::string& name) {
  FIRN_ASSIGN(auto type, ToOrcType(*field.type), "column '{}'", field.name);
  auto attributes = std::make_shared<arrow::KeyValueMetadata>();
  attributes->Append("iceberg.id", std::to_string(field.id));
  attributes->Append("iceberg.required", field.required ? "true" : "false");
  AddTypeAttributes(*field.type, *attributes);
  return arrow::field(name, std::move(type), !field.required, std::move(attributes));
}

Result<ArrayDataPtr> ToOrcColumn(const Type& type, const ArrayDataPtr& data,
                                 arrow::MemoryPool* pool);

// The bytes stay; offsets to them are new.
Result<ArrayDataPtr> ToBinary(int64_t width, const ArrayDataPtr& data, arrow::MemoryPool* pool) {
  const int64_t count = data->offset + data->length + 1;
  if (count * width > INT32_MAX) {
    return MakeError(ErrorCode::kResourceExhausted, "{} values of {} bytes are too much at a time",
                     count, width);
  }
  FIRN_ASSIGN(std::shared_ptr<arrow::Buffer> offsets, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::AllocateBuffer(count * int64_t{sizeof(int32_t)}, pool);
              }));
  auto* const out = reinterpret_cast<int32_t*>(offsets->mutable_data());
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<int32_t>(i * width);
  return arrow::ArrayData::Make(arrow::binary(), data->length,
                                {data->buffers[0], std::move(offsets), data->buffers[1]},
                                data->null_count.load(), data->offset);
}

// Arrow's adapter gives such times nanoseconds below zero, which Java takes for another second.
Status CheckTimestamps(const Type& type, const arrow::ArrayData& data) {
  const bool is_nanos = type.id() == TypeId::kTimestampNs || type.id() == TypeId::kTimestamptzNs;
  const int64_t per_second = is_nanos ? 1'000'000'000 : 1'000'000;
  const auto* const values = data.GetValues<int64_t>(1);
  for (int64_t i = 0; i < data.length; ++i) {
    if (values[i] >= 0 || values[i] % per_second == 0 || !data.IsValid(i)) continue;
    return Error(ErrorCode::kUnsupported,
                 "a time before 1970 with a fraction of a second cannot be written to ORC so that "
                 "all engines read it; write Parquet or Avro (table property "
                 "'write.format.default')");
  }
  return {};
}

Result<ArrayDataPtr> ToOrcNested(const Type& type, const ArrayDataPtr& data,
                                 arrow::MemoryPool* pool) {
  FIRN_ASSIGN(auto orc_type, ToOrcType(type));
  ArrayDataPtr nested = data->Copy();
  nested->type = std::move(orc_type);
  if (type.id() == TypeId::kStruct) {
    FIRN_ASSIGN(nested->child_data, ToOrcColumns(type.fields(), data->child_data, pool));
  } else if (type.id() == TypeId::kList) {
    FIRN_ASSIGN(nested->child_data[0],
                ToOrcColumn(*type.element().type, data->child_data[0], pool));
  } else {
    ArrayDataPtr entries = data->child_data[0]->Copy();
    entries->type = static_cast<const arrow::MapType&>(*nested->type).value_type();
    FIRN_ASSIGN(entries->child_data[0],
                ToOrcColumn(*type.key().type, entries->child_data[0], pool));
    FIRN_ASSIGN(entries->child_data[1],
                ToOrcColumn(*type.value().type, entries->child_data[1], pool));
    nested->child_data[0] = std::move(entries);
  }
  return nested;
}

Result<ArrayDataPtr> ToOrcColumn(const Type& type, const ArrayDataPtr& data,
                                 arrow::MemoryPool* pool) {
  if (type.is_nested()) return ToOrcNested(type, data, pool);
  if (IsFixedBytes(type)) {
    const int64_t width = type.id() == TypeId::kUuid ? 16 : type.length();
    return ToBinary(width, data, pool);
  }
  if (type.is_timestamp()) FIRN_RETURN_IF_ERROR(CheckTimestamps(type, *data));
  if (type.id() != TypeId::kTime) return data;
  ArrayDataPtr integers = data->Copy();
  integers->type = arrow::int64();
  return integers;
}

}  // namespace

Result<std::shared_ptr<arrow::Schema>> ToOrcSchema(const std::vector<NestedField>& fields) {
  std::vector<std::shared_ptr<arrow::Field>> orc_fields;
  for (const NestedField& field : fields) {
    if (field.type->id() == TypeId::kUnknown) continue;
    FIRN_ASSIGN(auto orc_field, ToOrcField(field, field.name));
    orc_fields.push_back(std::move(orc_field));
  }
  return arrow::schema(std::move(orc_fields));
}

Result<std::vector<ArrayDataPtr>> ToOrcColumns(const std::vector<NestedField>& fields,
                                               const std::vector<ArrayDataPtr>& columns,
                                               arrow::MemoryPool* pool) {
  std::vector<ArrayDataPtr> orc_columns;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].type->id() == TypeId::kUnknown) continue;
    FIRN_ASSIGN(auto column, ToOrcColumn(*fields[i].type, columns[i], pool), "column '{}'",
                fields[i].name);
    orc_columns.push_back(std::move(column));
  }
  return orc_columns;
}

}  // namespace firn
