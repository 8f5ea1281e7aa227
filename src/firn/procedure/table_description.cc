#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_description_internal.h"

namespace firn {
namespace {

TypePtr ColumnsType() {
  return ListOf(MakeRowType({{"id", IntType()},
                             {"name", TextType()},
                             {"type", TextType()},
                             {"required", BooleanType()},
                             {"doc", TextType()}},
                            100));
}
TypePtr PartitionSpecType() {
  return ListOf(MakeRowType({{"field_id", IntType()},
                             {"name", TextType()},
                             {"transform", TextType()},
                             {"source", TextType()}},
                            200));
}
TypePtr RefsType() {
  return ListOf(MakeRowType({{"name", TextType()},
                             {"type", TextType()},
                             {"snapshot_id", LongType()},
                             {"max_ref_age_ms", LongType()},
                             {"min_snapshots_to_keep", IntType()},
                             {"max_snapshot_age_ms", LongType()}},
                            300));
}

Value DescribeColumns(const Schema& schema) {
  std::vector<Value> columns;
  for (const NestedField& field : schema.fields()) {
    columns.push_back(Value::Struct({field.id, field.name, FormatType(*field.type), field.required,
                                     field.doc.empty() ? Value() : Value(field.doc)}));
  }
  return Value::List(std::move(columns));
}

Value DescribeSpec(const TableMetadata& metadata) {
  std::vector<Value> fields;
  for (const PartitionField& field : metadata.default_spec()->fields) {
    fields.push_back(Value::Struct({field.field_id, field.name, FormatTransform(field.transform),
                                    metadata.current_schema()->FullName(field.source_id())}));
  }
  return Value::List(std::move(fields));
}

Value DescribeIdentifiers(const Schema& schema) {
  std::vector<std::string> names;
  for (const int32_t id : schema.identifier_field_ids())
    names.push_back(schema.FullName(id));
  return TextList(names);
}

Value DescribeRefs(const TableMetadata& metadata) {
  std::vector<Value> refs;
  for (const auto& [name, ref] : metadata.refs) {
    refs.push_back(
        Value::Struct({name, ref.type == RefType::kBranch ? "branch" : "tag", ref.snapshot_id,
                       OptionalValue(ref.max_ref_age_ms), OptionalValue(ref.min_snapshots_to_keep),
                       OptionalValue(ref.max_snapshot_age_ms)}));
  }
  return Value::List(std::move(refs));
}

Value DescribeSummary(const Snapshot* snapshot) {
  if (snapshot == nullptr) return {};
  Properties summary;
  if (!snapshot->operation.empty()) summary["operation"] = snapshot->operation;
  for (const auto& [key, value] : snapshot->summary)
    summary[std::string(key)] = value;
  return TextMap(summary);
}

}  // namespace

TypePtr TableDescriptionType() {
  return MakeRowType({{"name", TextType()},
                      {"uuid", TextType()},
                      {"location", TextType()},
                      {"format_version", IntType()},
                      {"metadata_location", TextType()},
                      {"current_snapshot_id", LongType()},
                      {"schema", ColumnsType()},
                      {"partition_spec", PartitionSpecType()},
                      {"sort_order", TextType()},
                      {"identifier_fields", TextListType()},
                      {"refs", RefsType()},
                      {"properties", TextMapType()},
                      {"summary", TextMapType()}});
}

StructValue DescribeTable(const TableReference& reference) {
  const TableMetadata& metadata = *reference.table.metadata;
  const Schema& schema = *metadata.current_schema();
  const SortOrder* order = metadata.FindSortOrder(metadata.default_sort_order_id);
  const std::string name =
      reference.location.empty() ? FormatTableName(reference.name) : reference.location;
  return {{name, metadata.table_uuid, metadata.location, metadata.format_version,
           reference.table.metadata_location, OptionalValue(metadata.current_snapshot_id),
           DescribeColumns(schema), DescribeSpec(metadata),
           order != nullptr ? FormatSortOrder(*order, schema) : std::string(),
           DescribeIdentifiers(schema), DescribeRefs(metadata), TextMap(metadata.properties),
           DescribeSummary(metadata.current_snapshot())}};
}

}  // namespace firn
