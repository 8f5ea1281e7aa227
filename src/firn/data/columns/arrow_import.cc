#include <string>
#include <utility>

#include <arrow/extension_type.h>
#include <arrow/type.h>

#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/file_schema_internal.h"

namespace firn {
namespace {

using ArrowId = arrow::Type;

TypePtr TimestampOf(const arrow::TimestampType& type) {
  const bool is_nanos = type.unit() == arrow::TimeUnit::NANO;
  if (type.timezone().empty()) {
    return Type::Primitive(is_nanos ? TypeId::kTimestampNs : TypeId::kTimestamp);
  }
  return Type::Primitive(is_nanos ? TypeId::kTimestamptzNs : TypeId::kTimestamptz);
}

// Null if Iceberg has no such type.
TypePtr FlatTypeOf(const arrow::DataType& type) {
  switch (static_cast<int>(type.id())) {  // Few of Arrow's many types.
    case ArrowId::NA:
      return Type::Primitive(TypeId::kUnknown);
    case ArrowId::BOOL:
      return Type::Primitive(TypeId::kBoolean);
    case ArrowId::INT8:
    case ArrowId::INT16:
    case ArrowId::INT32:
    case ArrowId::UINT8:
    case ArrowId::UINT16:
      return Type::Primitive(TypeId::kInt);
    case ArrowId::UINT32:
    case ArrowId::INT64:
      return Type::Primitive(TypeId::kLong);
    case ArrowId::HALF_FLOAT:
    case ArrowId::FLOAT:
      return Type::Primitive(TypeId::kFloat);
    case ArrowId::DOUBLE:
      return Type::Primitive(TypeId::kDouble);
    case ArrowId::DECIMAL32:
    case ArrowId::DECIMAL64:
    case ArrowId::DECIMAL128:
    case ArrowId::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      const bool fits = decimal.precision() <= 38 && decimal.scale() >= 0;
      return fits ? Type::Decimal(decimal.precision(), decimal.scale()) : nullptr;
    }
    case ArrowId::DATE32:
      return Type::Primitive(TypeId::kDate);
    case ArrowId::TIME32:
    case ArrowId::TIME64:
      return Type::Primitive(TypeId::kTime);
    case ArrowId::TIMESTAMP:
      return TimestampOf(static_cast<const arrow::TimestampType&>(type));
    case ArrowId::STRING:
    case ArrowId::LARGE_STRING:
    case ArrowId::STRING_VIEW:
      return Type::Primitive(TypeId::kString);
    case ArrowId::BINARY:
    case ArrowId::LARGE_BINARY:
    case ArrowId::BINARY_VIEW:
      return Type::Primitive(TypeId::kBinary);
    case ArrowId::FIXED_SIZE_BINARY:
      return Type::Fixed(static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width());
    case ArrowId::DICTIONARY:
      return FlatTypeOf(*static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return nullptr;
  }
}

class Importer {
 public:
  Result<std::vector<NestedField>> ImportFields(const arrow::FieldVector& fields) {
    std::vector<NestedField> imported;
    for (const auto& field : fields) {
      imported.push_back({.id = ++last_id_, .name = field->name(), .required = !field->nullable()});
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      FIRN_ASSIGN(imported[i].type, Import(*fields[i]->type()), "field '{}'", fields[i]->name());
    }
    return imported;
  }

 private:
  Result<TypePtr> Import(const arrow::DataType& type) {
    if (type.id() == ArrowId::EXTENSION) {
      const auto& extension = static_cast<const arrow::ExtensionType&>(type);
      if (extension.extension_name() == "arrow.uuid") return Type::Primitive(TypeId::kUuid);
      if (extension.extension_name() == "arrow.parquet.variant") {
        return Type::Primitive(TypeId::kVariant);
      }
      return Import(*extension.storage_type());  // JSON is text, and so on.
    }
    if (type.id() == ArrowId::STRUCT) {
      FIRN_ASSIGN(auto fields, ImportFields(type.fields()));
      return Type::Struct(std::move(fields));
    }
    if (IsListLike(type)) {
      NestedField element{.id = ++last_id_, .name = "element"};
      element.required = !type.field(0)->nullable();
      FIRN_ASSIGN(element.type, Import(*type.field(0)->type()));
      return Type::List(std::move(element));
    }
    if (type.id() == ArrowId::MAP) {
      const auto& map = static_cast<const arrow::MapType&>(type);
      NestedField key{.id = ++last_id_, .name = "key", .required = true};
      NestedField value{.id = ++last_id_, .name = "value"};
      value.required = !map.item_field()->nullable();
      FIRN_ASSIGN(key.type, Import(*map.key_type()));
      FIRN_ASSIGN(value.type, Import(*map.item_type()));
      return Type::Map(std::move(key), std::move(value));
    }
    TypePtr flat = FlatTypeOf(type);
    if (flat != nullptr) return flat;
    return MakeError(ErrorCode::kUnsupported, "type {} has no Iceberg type", type.ToString());
  }

  int32_t last_id_ = 0;
};

}  // namespace

Result<TypePtr> FromArrowSchema(const arrow::Schema& schema) {
  FIRN_ASSIGN(auto fields, Importer().ImportFields(schema.fields()));
  return Type::Struct(std::move(fields));
}

}  // namespace firn
