#include <utility>

#include <arrow/array/data.h>
#include <arrow/type.h>

#include "firn/data/arrow_bridge.h"
#include "firn/data/arrow_types.h"
#include "firn/data/parquet_schema_internal.h"

namespace firn {
namespace {

using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::NodeVector;
using parquet::schema::PrimitiveNode;

// The physical form of a primitive type.
struct LeafType {
  parquet::Type::type physical = parquet::Type::BYTE_ARRAY;
  std::shared_ptr<const LogicalType> logical = LogicalType::None();
  int length = -1;
};

LeafType DecimalLeaf(const Type& type) {
  LeafType leaf{.physical = parquet::Type::FIXED_LEN_BYTE_ARRAY,
                .logical = LogicalType::Decimal(type.precision(), type.scale()),
                .length = DecimalByteWidth(type.precision())};
  if (type.precision() <= 9) leaf = {parquet::Type::INT32, leaf.logical};
  if (type.precision() > 9 && type.precision() <= 18) leaf = {parquet::Type::INT64, leaf.logical};
  return leaf;
}

LeafType TimestampLeaf(bool is_utc, LogicalType::TimeUnit::unit unit) {
  return {
      parquet::Type::INT64,
      LogicalType::Timestamp(is_utc, unit, /*is_from_converted_type=*/false,
                             /*force_set_converted_type=*/unit == LogicalType::TimeUnit::MICROS)};
}

Result<LeafType> LeafOf(const Type& type) {
  using Unit = LogicalType::TimeUnit;
  switch (type.id()) {
    case TypeId::kBoolean:
      return LeafType{parquet::Type::BOOLEAN};
    case TypeId::kInt:
      return LeafType{parquet::Type::INT32};
    case TypeId::kLong:
      return LeafType{parquet::Type::INT64};
    case TypeId::kFloat:
      return LeafType{parquet::Type::FLOAT};
    case TypeId::kDouble:
      return LeafType{parquet::Type::DOUBLE};
    case TypeId::kDecimal:
      return DecimalLeaf(type);
    case TypeId::kDate:
      return LeafType{parquet::Type::INT32, LogicalType::Date()};
    case TypeId::kTime:
      return LeafType{parquet::Type::INT64, LogicalType::Time(false, Unit::MICROS)};
    case TypeId::kTimestamp:
      return TimestampLeaf(false, Unit::MICROS);
    case TypeId::kTimestamptz:
      return TimestampLeaf(true, Unit::MICROS);
    case TypeId::kTimestampNs:
      return TimestampLeaf(false, Unit::NANOS);
    case TypeId::kTimestamptzNs:
      return TimestampLeaf(true, Unit::NANOS);
    case TypeId::kString:
      return LeafType{parquet::Type::BYTE_ARRAY, LogicalType::String()};
    case TypeId::kUuid:
      return LeafType{parquet::Type::FIXED_LEN_BYTE_ARRAY, LogicalType::UUID(), 16};
    case TypeId::kFixed:
      return LeafType{parquet::Type::FIXED_LEN_BYTE_ARRAY, LogicalType::None(), type.length()};
    case TypeId::kBinary:
      return LeafType{parquet::Type::BYTE_ARRAY};
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return MakeError(ErrorCode::kUnsupported, "values of type {} cannot be written to Parquet",
                   FormatType(type));
}

Result<NodePtr> MakeNode(const NestedField& field, const std::string& name);

Result<NodePtr> MakeNested(const NestedField& field, const std::string& name,
                           Repetition::type repetition) {
  const Type& type = *field.type;
  NodeVector children;
  if (type.id() == TypeId::kStruct) {
    for (const NestedField& child : type.fields()) {
      FIRN_ASSIGN(NodePtr node, MakeNode(child, child.name));
      children.push_back(std::move(node));
    }
    if (children.empty()) {
      return MakeError(ErrorCode::kUnsupported,
                       "a struct without columns that hold values cannot be written to Parquet");
    }
    return GroupNode::Make(name, repetition, children, parquet::ConvertedType::NONE, field.id);
  }
  if (type.id() == TypeId::kList) {
    FIRN_ASSIGN(NodePtr element, MakeNode(type.element(), "element"));
    const NodePtr list = GroupNode::Make("list", Repetition::REPEATED, {std::move(element)});
    return GroupNode::Make(name, repetition, {list}, LogicalType::List(), field.id);
  }
  NestedField key = type.key();
  key.required = true;
  FIRN_ASSIGN(NodePtr key_node, MakeNode(key, "key"));
  FIRN_ASSIGN(NodePtr value_node, MakeNode(type.value(), "value"));
  const NodePtr entries = GroupNode::Make("key_value", Repetition::REPEATED,
                                          {std::move(key_node), std::move(value_node)});
  return GroupNode::Make(name, repetition, {entries}, LogicalType::Map(), field.id);
}

Result<NodePtr> MakeNode(const NestedField& field, const std::string& name) {
  const Repetition::type repetition = field.required ? Repetition::REQUIRED : Repetition::OPTIONAL;
  if (field.type->is_nested()) {
    FIRN_ASSIGN(NodePtr node, MakeNested(field, name, repetition), "column '{}'", field.name);
    return node;
  }
  FIRN_ASSIGN(const LeafType leaf, LeafOf(*field.type), "column '{}'", field.name);
  return PrimitiveNode::Make(name, repetition, leaf.logical, leaf.physical, leaf.length, field.id);
}

}  // namespace

std::vector<NestedField> WithoutUnknown(const std::vector<NestedField>& fields) {
  std::vector<NestedField> kept;
  for (const NestedField& field : fields) {
    if (field.type->id() == TypeId::kUnknown) continue;
    kept.push_back(field);
    if (field.type->id() == TypeId::kStruct) {
      kept.back().type = Type::Struct(WithoutUnknown(field.type->fields()));
    }
  }
  return kept;
}

std::vector<std::shared_ptr<arrow::ArrayData>> DropUnknownColumns(
    const std::vector<NestedField>& fields,
    const std::vector<std::shared_ptr<arrow::ArrayData>>& columns) {
  std::vector<std::shared_ptr<arrow::ArrayData>> kept;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].type->id() == TypeId::kUnknown) continue;
    if (fields[i].type->id() != TypeId::kStruct) {
      kept.push_back(columns[i]);
      continue;
    }
    std::shared_ptr<arrow::ArrayData> data = columns[i]->Copy();
    data->child_data = DropUnknownColumns(fields[i].type->fields(), columns[i]->child_data);
    std::vector<std::shared_ptr<arrow::Field>> children;
    for (int j = 0; j < columns[i]->type->num_fields(); ++j) {
      const auto& child = fields[i].type->fields()[static_cast<size_t>(j)];
      if (child.type->id() != TypeId::kUnknown) children.push_back(columns[i]->type->field(j));
    }
    for (size_t j = 0; j < children.size(); ++j) {
      children[j] = children[j]->WithType(data->child_data[j]->type);
    }
    data->type = arrow::struct_(std::move(children));
    kept.push_back(std::move(data));
  }
  return kept;
}

Result<std::shared_ptr<parquet::schema::GroupNode>> MakeParquetSchema(
    const std::vector<NestedField>& fields) {
  std::shared_ptr<GroupNode> root;
  FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&]() -> arrow::Status {
    NodeVector nodes;
    for (const NestedField& field : WithoutUnknown(fields)) {
      Result<NodePtr> node = MakeNode(field, field.name);
      if (!node.ok()) return ToArrowStatus(node.error());
      nodes.push_back(std::move(*node));
    }
    root =
        std::static_pointer_cast<GroupNode>(GroupNode::Make("table", Repetition::REQUIRED, nodes));
    return arrow::Status::OK();
  }));
  return root;
}

}  // namespace firn
