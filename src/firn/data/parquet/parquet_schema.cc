#include <string>
#include <utility>

#include "firn/base/version.h"
#include "firn/data/columns/variant_column_internal.h"
#include "firn/data/parquet/parquet_schema_internal.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {
namespace {

using Meaning = NewSchemaElement::Meaning;

NewSchemaElement DecimalLeaf(const Type& type) {
  NewSchemaElement leaf{.type = PhysicalType::kFixedLenByteArray,
                        .type_length = DecimalByteWidth(type.precision()),
                        .meaning = Meaning::kDecimal,
                        .precision = type.precision(),
                        .scale = type.scale()};
  if (type.precision() <= 18) leaf.type = PhysicalType::kInt64;
  if (type.precision() <= 9) leaf.type = PhysicalType::kInt32;
  return leaf;
}

NewSchemaElement TimestampLeaf(bool is_utc, bool is_nanos) {
  return {.type = PhysicalType::kInt64,
          .meaning = Meaning::kTimestamp,
          .is_utc = is_utc,
          .is_nanos = is_nanos};
}

// The physical form of a primitive type.
Result<NewSchemaElement> LeafOf(const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return NewSchemaElement{.type = PhysicalType::kBoolean};
    case TypeId::kInt:
      return NewSchemaElement{.type = PhysicalType::kInt32};
    case TypeId::kLong:
      return NewSchemaElement{.type = PhysicalType::kInt64};
    case TypeId::kFloat:
      return NewSchemaElement{.type = PhysicalType::kFloat};
    case TypeId::kDouble:
      return NewSchemaElement{.type = PhysicalType::kDouble};
    case TypeId::kDecimal:
      return DecimalLeaf(type);
    case TypeId::kDate:
      return NewSchemaElement{.type = PhysicalType::kInt32, .meaning = Meaning::kDate};
    case TypeId::kTime:
      return NewSchemaElement{.type = PhysicalType::kInt64, .meaning = Meaning::kTime};
    case TypeId::kTimestamp:
      return TimestampLeaf(/*is_utc=*/false, /*is_nanos=*/false);
    case TypeId::kTimestamptz:
      return TimestampLeaf(/*is_utc=*/true, /*is_nanos=*/false);
    case TypeId::kTimestampNs:
      return TimestampLeaf(/*is_utc=*/false, /*is_nanos=*/true);
    case TypeId::kTimestamptzNs:
      return TimestampLeaf(/*is_utc=*/true, /*is_nanos=*/true);
    case TypeId::kString:
      return NewSchemaElement{.type = PhysicalType::kByteArray, .meaning = Meaning::kString};
    case TypeId::kUuid:
      return NewSchemaElement{
          .type = PhysicalType::kFixedLenByteArray, .type_length = 16, .meaning = Meaning::kUuid};
    case TypeId::kFixed:
      return NewSchemaElement{.type = PhysicalType::kFixedLenByteArray,
                              .type_length = type.length()};
    case TypeId::kBinary:
      return NewSchemaElement{.type = PhysicalType::kByteArray};
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

// Puts the nodes of a schema one behind the other.
class SchemaBuilder {
 public:
  // How many nodes there are directly below the one that has these fields.
  Result<int32_t> AddFields(const std::vector<NestedField>& fields) {
    int32_t count = 0;
    for (const NestedField& field : fields) {
      if (field.type->id() == TypeId::kUnknown) continue;
      FIRN_RETURN_IF_ERROR(Add(field, field.name), "column '{}'", field.name);
      ++count;
    }
    return count;
  }

  std::vector<NewSchemaElement>& elements() { return elements_; }
  std::vector<NestedField>& leaf_fields() { return leaf_fields_; }

 private:
  Status Add(const NestedField& field, const std::string& name) {
    const Type& type = *field.type;
    NewSchemaElement element;
    if (!type.is_nested() && type.id() != TypeId::kVariant) {
      FIRN_ASSIGN(element, LeafOf(type));
      leaf_fields_.push_back(field);
    }
    element.name = name;
    element.field_id = field.id;
    element.repetition = field.required ? FieldRepetition::kRequired : FieldRepetition::kOptional;
    elements_.push_back(std::move(element));
    const size_t place = elements_.size() - 1;
    if (type.id() == TypeId::kStruct) return AddStruct(type, place);
    if (type.id() == TypeId::kList) return AddList(type, place);
    if (type.id() == TypeId::kVariant) return AddVariant(field, place);
    return type.id() == TypeId::kMap ? AddMap(type, place) : Status();
  }

  Status AddStruct(const Type& type, size_t place) {
    FIRN_ASSIGN(elements_[place].num_children, AddFields(type.fields()));
    if (elements_[place].num_children > 0) return {};
    return MakeError(ErrorCode::kUnsupported,
                     "a struct without columns that hold values cannot be written to Parquet");
  }

  Status AddList(const Type& type, size_t place) {
    elements_[place].meaning = Meaning::kList;
    elements_[place].num_children = 1;
    elements_.push_back(
        {.name = "list", .repetition = FieldRepetition::kRepeated, .num_children = 1});
    return Add(type.element(), "element");
  }

  // Its parts have no ids of their own.
  Status AddVariant(const NestedField& field, size_t place) {
    const std::vector<NestedField>& parts = VariantStorage()->fields();
    elements_[place].meaning = Meaning::kVariant;
    elements_[place].num_children = static_cast<int32_t>(parts.size());
    for (const NestedField& part : parts) {
      FIRN_ASSIGN(NewSchemaElement element, LeafOf(*part.type));
      element.name = part.name;
      elements_.push_back(std::move(element));
      leaf_fields_.push_back(field);
    }
    return {};
  }

  Status AddMap(const Type& type, size_t place) {
    elements_[place].meaning = Meaning::kMap;
    elements_[place].num_children = 1;
    elements_.push_back(
        {.name = "key_value", .repetition = FieldRepetition::kRepeated, .num_children = 2});
    NestedField key = type.key();
    key.required = true;
    FIRN_RETURN_IF_ERROR(Add(key, "key"));
    return Add(type.value(), "value");
  }

  std::vector<NewSchemaElement> elements_;
  std::vector<NestedField> leaf_fields_;
};

}  // namespace

Result<ParquetLayout> MakeParquetLayout(const Schema& schema) {
  SchemaBuilder builder;
  FIRN_ASSIGN(const int32_t columns, builder.AddFields(schema.fields()));
  ParquetLayout layout;
  FIRN_ASSIGN(layout.footer.schema, MakeFileSchema(builder.elements(), columns));
  layout.footer.key_value_metadata.emplace_back("iceberg.schema", FormatSchemaJson(schema));
  layout.footer.created_by = "firn version " + std::string(Version());
  FIRN_ASSIGN(layout.leaves, LeavesOf(layout.footer.schema));
  layout.fields = std::move(builder.leaf_fields());
  return layout;
}

}  // namespace firn
