#include <string_view>

#include "firn/base/number.h"
#include "firn/data/orc/orc_column_internal.h"

namespace firn {
namespace {

constexpr size_t kUnionChildrenMax = 127;

std::string_view AttributeOf(const OrcType& type, std::string_view key) {
  for (const auto& [known, value] : type.attributes) {
    if (known == key) return value;
  }
  return {};
}

std::shared_ptr<arrow::DataType> LeafType(const OrcType& type) {
  switch (type.kind) {
    case OrcKind::kBoolean:
      return arrow::boolean();
    case OrcKind::kByte:
      return arrow::int8();
    case OrcKind::kShort:
      return arrow::int16();
    case OrcKind::kInt:
      return arrow::int32();
    case OrcKind::kLong:
      return arrow::int64();
    case OrcKind::kFloat:
      return arrow::float32();
    case OrcKind::kDouble:
      return arrow::float64();
    case OrcKind::kString:
    case OrcKind::kVarchar:
    case OrcKind::kChar:
      return arrow::utf8();
    case OrcKind::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::NANO);
    case OrcKind::kTimestampInstant:
      return arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
    case OrcKind::kDecimal:
      return arrow::decimal128(type.precision, type.scale);
    case OrcKind::kDate:
      return arrow::date32();
    case OrcKind::kBinary:
    case OrcKind::kGeometry:
    case OrcKind::kGeography:
    case OrcKind::kList:
    case OrcKind::kMap:
    case OrcKind::kStruct:
    case OrcKind::kUnion:
      break;
  }
  return arrow::binary();
}

// The type of a union has no use but to be told in messages.
std::shared_ptr<arrow::DataType> UnionType(const std::vector<FileField>& children) {
  arrow::FieldVector fields;
  std::vector<int8_t> codes;
  for (const FileField& child : children) {
    if (codes.size() == kUnionChildrenMax) break;
    codes.push_back(static_cast<int8_t>(codes.size()));
    fields.push_back(arrow::field(child.name, child.type));
  }
  return arrow::sparse_union(std::move(fields), std::move(codes));
}

std::string ChildName(const OrcType& type, size_t child) {
  if (type.kind == OrcKind::kStruct) return type.names[child];
  if (type.kind == OrcKind::kList) return "item";
  if (type.kind == OrcKind::kMap) return child == 0 ? "key" : "value";
  return "_union_" + std::to_string(child);
}

FileField ToFileField(const OrcTail& tail, size_t id, std::string name) {
  const OrcType& type = tail.types[id];
  FileField field{.name = std::move(name), .id = ParseInt32(AttributeOf(type, "iceberg.id"))};
  for (size_t i = 0; i < type.children.size(); ++i)
    field.children.push_back(ToFileField(tail, type.children[i], ChildName(type, i)));
  if (type.kind == OrcKind::kList) {
    field.type = arrow::list(arrow::field("item", field.children[0].type));
  } else if (type.kind == OrcKind::kMap) {
    field.type = arrow::map(field.children[0].type, field.children[1].type);
  } else if (type.kind == OrcKind::kStruct) {
    arrow::FieldVector fields;
    for (const FileField& child : field.children)
      fields.push_back(arrow::field(child.name, child.type));
    field.type = arrow::struct_(std::move(fields));
  } else {
    field.type = type.kind == OrcKind::kUnion ? UnionType(field.children) : LeafType(type);
  }
  field.is_variant = AttributeOf(type, "iceberg.struct-type") == "VARIANT";
  return field;
}

}  // namespace

std::vector<FileField> OrcFileFields(const OrcTail& tail) {
  std::vector<FileField> fields;
  const OrcType& row = tail.types[0];
  for (size_t i = 0; i < row.children.size(); ++i)
    fields.push_back(ToFileField(tail, row.children[i], row.names[i]));
  return fields;
}

}  // namespace firn
