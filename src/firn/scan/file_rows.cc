#include <algorithm>
#include <utility>

#include "firn/scan/file_rows_internal.h"

namespace firn {
namespace {

int32_t HighestId(const std::vector<NestedField>& fields) {
  int32_t highest = 0;
  for (const NestedField& field : fields)
    highest = std::max({highest, field.id, HighestId(field.type->fields())});
  return highest;
}

std::vector<NestedField> MakeFields(const TypePtr& partition_type, bool is_partitioned) {
  const TypePtr integer = Type::Primitive(TypeId::kInt);
  const TypePtr number = Type::Primitive(TypeId::kLong);
  const TypePtr string = Type::Primitive(TypeId::kString);
  const TypePtr binary = Type::Primitive(TypeId::kBinary);
  std::vector<NestedField> fields = {
      OptionalField(134, "content", integer), RequiredField(100, "file_path", string),
      RequiredField(101, "file_format", string), OptionalField(141, "spec_id", integer)};
  if (is_partitioned) fields.push_back(RequiredField(102, "partition", partition_type));
  const std::vector<NestedField> rest = {
      RequiredField(103, "record_count", number),
      RequiredField(104, "file_size_in_bytes", number),
      OptionalField(108, "column_sizes", MapType(117, integer, number)),
      OptionalField(109, "value_counts", MapType(119, integer, number)),
      OptionalField(110, "null_value_counts", MapType(121, integer, number)),
      OptionalField(137, "nan_value_counts", MapType(138, integer, number)),
      OptionalField(125, "lower_bounds", MapType(126, integer, binary)),
      OptionalField(128, "upper_bounds", MapType(129, integer, binary)),
      OptionalField(131, "key_metadata", binary),
      OptionalField(132, "split_offsets", Type::List(RequiredField(133, "element", number))),
      OptionalField(135, "equality_ids", Type::List(RequiredField(136, "element", integer))),
      OptionalField(140, "sort_order_id", integer),
      OptionalField(142, "first_row_id", number),
      OptionalField(143, "referenced_data_file", string),
      OptionalField(144, "content_offset", number),
      OptionalField(145, "content_size_in_bytes", number)};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return fields;
}

Value ToMap(const FieldMap<int64_t>& counts, bool is_stored_empty) {
  if (counts.empty() && !is_stored_empty) return Value();
  std::vector<std::pair<Value, Value>> entries;
  for (const auto& [id, count] : counts)
    entries.emplace_back(id, count);
  return Value::Map(std::move(entries));
}

Value ToMap(const FieldMap<std::string>& bounds, bool is_stored_empty) {
  if (bounds.empty() && !is_stored_empty) return Value();
  std::vector<std::pair<Value, Value>> entries;
  for (const auto& [id, bytes] : bounds)
    entries.emplace_back(id, BinaryValue{bytes});
  return Value::Map(std::move(entries));
}

template <typename T>
Value ToList(const std::vector<T>& elements) {
  if (elements.empty()) return Value();
  return Value::List(std::vector<Value>(elements.begin(), elements.end()));
}

Value FindNumber(const FieldMap<int64_t>& counts, int32_t field_id) {
  const int64_t* count = FindInFieldMap(counts, field_id);
  return count == nullptr ? Value() : Value(*count);
}

Value FindBound(const FieldMap<std::string>& bounds, int32_t field_id, const Type& type) {
  const std::string* bytes = FindInFieldMap(bounds, field_id);
  return bytes == nullptr ? Value() : FromBoundBytes(AsBytes(*bytes), type);
}

// Bounds of bytes of one length may be cut, so that they are shorter.
TypePtr BoundType(const TypePtr& type) {
  return type->id() == TypeId::kFixed ? Type::Primitive(TypeId::kBinary) : type;
}

// Primitive fields at any depth.
void CollectPrimitives(const std::vector<NestedField>& fields, std::vector<int32_t>& ids) {
  for (const NestedField& field : fields) {
    if (field.type->is_primitive()) ids.push_back(field.id);
    CollectPrimitives(field.type->fields(), ids);
  }
}

}  // namespace

FileRowMaker::FileRowMaker(const TableMetadata& metadata)
    : partition_type_(TablePartitionType(metadata)),
      is_partitioned_(!partition_type_->fields().empty()),
      fields_(MakeFields(partition_type_, is_partitioned_)) {
  const SchemaPtr schema = metadata.current_schema();
  std::vector<int32_t> ids;
  CollectPrimitives(schema->fields(), ids);
  for (const int32_t id : ids)
    metrics_columns_.push_back({schema->FullName(id), id, BoundType(schema->FindField(id)->type)});
  std::sort(metrics_columns_.begin(), metrics_columns_.end(),
            [](const MetricsColumn& a, const MetricsColumn& b) { return a.name < b.name; });
}

NestedField FileRowMaker::ReadableMetricsField(const std::vector<NestedField>& other_fields) const {
  const TypePtr number = Type::Primitive(TypeId::kLong);
  int32_t id = HighestId(other_fields);
  std::vector<NestedField> columns;
  for (const MetricsColumn& column : metrics_columns_) {
    const int32_t first = id + 1;
    id += 7;
    columns.push_back(
        OptionalField(first, column.name,
                      Type::Struct({OptionalField(first + 1, "column_size", number),
                                    OptionalField(first + 2, "value_count", number),
                                    OptionalField(first + 3, "null_value_count", number),
                                    OptionalField(first + 4, "nan_value_count", number),
                                    OptionalField(first + 5, "lower_bound", column.type),
                                    OptionalField(first + 6, "upper_bound", column.type)})));
  }
  return OptionalField(id + 1, "readable_metrics", Type::Struct(std::move(columns)));
}

std::vector<Value> FileRowMaker::MakeRow(const DataFile& file, const PartitionSpec& spec) const {
  std::vector<Value> row = {static_cast<int32_t>(file.content), file.file_path,
                            std::string(FormatFileFormat(file.file_format)), spec.spec_id};
  if (is_partitioned_) {
    row.push_back(Value::Struct(ToUnifiedPartition(spec, file.partition, *partition_type_).fields));
  }
  const FileMetrics& metrics = file.metrics;
  const auto is_stored = [&](FileMetrics::MapBit map) { return (metrics.stored_empty & map) != 0; };
  std::vector<Value> rest = {
      file.record_count,
      file.file_size_in_bytes,
      ToMap(metrics.column_sizes, is_stored(FileMetrics::kColumnSizes)),
      ToMap(metrics.value_counts, is_stored(FileMetrics::kValueCounts)),
      ToMap(metrics.null_value_counts, is_stored(FileMetrics::kNullValueCounts)),
      ToMap(metrics.nan_value_counts, is_stored(FileMetrics::kNanValueCounts)),
      ToMap(metrics.lower_bounds, is_stored(FileMetrics::kLowerBounds)),
      ToMap(metrics.upper_bounds, is_stored(FileMetrics::kUpperBounds)),
      file.key_metadata ? Value(BinaryValue{*file.key_metadata}) : Value(),
      ToList(file.split_offsets),
      ToList(file.equality_ids),
      ToValue(file.sort_order_id),
      ToValue(file.first_row_id),
      ToValue(file.referenced_data_file),
      ToValue(file.content_offset),
      ToValue(file.content_size_in_bytes)};
  std::move(rest.begin(), rest.end(), std::back_inserter(row));
  return row;
}

Value FileRowMaker::MakeReadableMetrics(const FileMetrics& metrics) const {
  std::vector<Value> columns;
  columns.reserve(metrics_columns_.size());
  for (const MetricsColumn& column : metrics_columns_) {
    const int32_t id = column.field_id;
    columns.push_back(Value::Struct(
        {FindNumber(metrics.column_sizes, id), FindNumber(metrics.value_counts, id),
         FindNumber(metrics.null_value_counts, id), FindNumber(metrics.nan_value_counts, id),
         FindBound(metrics.lower_bounds, id, *column.type),
         FindBound(metrics.upper_bounds, id, *column.type)}));
  }
  return Value::Struct(std::move(columns));
}

}  // namespace firn
