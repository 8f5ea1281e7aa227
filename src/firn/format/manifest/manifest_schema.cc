#include <string>
#include <utility>
#include <vector>

#include "firn/format/manifest/manifest_schema_internal.h"

namespace firn {
namespace {

NestedField Field(int32_t id, std::string name, TypePtr type, bool required) {
  return {.id = id, .name = std::move(name), .type = std::move(type), .required = required};
}
NestedField Required(int32_t id, std::string name, TypeId type) {
  return Field(id, std::move(name), Type::Primitive(type), true);
}
NestedField Optional(int32_t id, std::string name, TypeId type) {
  return Field(id, std::move(name), Type::Primitive(type), false);
}
NestedField OptionalMap(int32_t id, std::string name, int32_t key_id, TypeId value) {
  return Field(
      id, std::move(name),
      Type::Map(Required(key_id, "key", TypeId::kInt), Required(key_id + 1, "value", value)),
      false);
}
NestedField OptionalList(int32_t id, std::string name, int32_t element_id, TypeId element) {
  return Field(id, std::move(name), Type::List(Required(element_id, "element", element)), false);
}

TypePtr DataFileType(int version, TypePtr partition_type) {
  std::vector<NestedField> fields;
  const auto add = [&](NestedField field) { fields.push_back(std::move(field)); };
  if (version >= 2) add(Required(134, "content", TypeId::kInt));
  add(Required(100, "file_path", TypeId::kString));
  add(Required(101, "file_format", TypeId::kString));
  add(Field(102, "partition", std::move(partition_type), true));
  add(Required(103, "record_count", TypeId::kLong));
  add(Required(104, "file_size_in_bytes", TypeId::kLong));
  if (version == 1) add(Required(105, "block_size_in_bytes", TypeId::kLong));
  add(OptionalMap(108, "column_sizes", 117, TypeId::kLong));
  add(OptionalMap(109, "value_counts", 119, TypeId::kLong));
  add(OptionalMap(110, "null_value_counts", 121, TypeId::kLong));
  add(OptionalMap(137, "nan_value_counts", 138, TypeId::kLong));
  add(OptionalMap(125, "lower_bounds", 126, TypeId::kBinary));
  add(OptionalMap(128, "upper_bounds", 129, TypeId::kBinary));
  add(Optional(131, "key_metadata", TypeId::kBinary));
  add(OptionalList(132, "split_offsets", 133, TypeId::kLong));
  if (version >= 2) add(OptionalList(135, "equality_ids", 136, TypeId::kInt));
  add(Optional(140, "sort_order_id", TypeId::kInt));
  if (version >= 3) add(Optional(142, "first_row_id", TypeId::kLong));
  if (version >= 2) add(Optional(143, "referenced_data_file", TypeId::kString));
  if (version >= 3) add(Optional(144, "content_offset", TypeId::kLong));
  if (version >= 3) add(Optional(145, "content_size_in_bytes", TypeId::kLong));
  return Type::Struct(std::move(fields));
}

TypePtr FieldSummaryType() {
  return Type::Struct({
      Required(509, "contains_null", TypeId::kBoolean),
      Optional(518, "contains_nan", TypeId::kBoolean),
      Optional(510, "lower_bound", TypeId::kBinary),
      Optional(511, "upper_bound", TypeId::kBinary),
  });
}

NestedField PartitionsField() {
  return Field(507, "partitions", Type::List(Field(508, "element", FieldSummaryType(), true)),
               false);
}

TypePtr ManifestFileTypeV1() {
  return Type::Struct({
      Required(500, "manifest_path", TypeId::kString),
      Required(501, "manifest_length", TypeId::kLong),
      Required(502, "partition_spec_id", TypeId::kInt),
      Required(503, "added_snapshot_id", TypeId::kLong),
      Optional(504, "added_files_count", TypeId::kInt),
      Optional(505, "existing_files_count", TypeId::kInt),
      Optional(506, "deleted_files_count", TypeId::kInt),
      PartitionsField(),
      Optional(512, "added_rows_count", TypeId::kLong),
      Optional(513, "existing_rows_count", TypeId::kLong),
      Optional(514, "deleted_rows_count", TypeId::kLong),
      Optional(519, "key_metadata", TypeId::kBinary),
  });
}

}  // namespace

TypePtr ManifestEntryType(int format_version, TypePtr partition_type) {
  std::vector<NestedField> fields;
  fields.push_back(Required(0, "status", TypeId::kInt));
  if (format_version == 1) {
    fields.push_back(Required(1, "snapshot_id", TypeId::kLong));
  } else {
    fields.push_back(Optional(1, "snapshot_id", TypeId::kLong));
    fields.push_back(Optional(3, "sequence_number", TypeId::kLong));
    fields.push_back(Optional(4, "file_sequence_number", TypeId::kLong));
  }
  fields.push_back(
      Field(2, "data_file", DataFileType(format_version, std::move(partition_type)), true));
  return Type::Struct(std::move(fields));
}

TypePtr ManifestFileType(int format_version) {
  if (format_version == 1) return ManifestFileTypeV1();
  std::vector<NestedField> fields = {
      Required(500, "manifest_path", TypeId::kString),
      Required(501, "manifest_length", TypeId::kLong),
      Required(502, "partition_spec_id", TypeId::kInt),
      Required(517, "content", TypeId::kInt),
      Required(515, "sequence_number", TypeId::kLong),
      Required(516, "min_sequence_number", TypeId::kLong),
      Required(503, "added_snapshot_id", TypeId::kLong),
      Required(504, "added_files_count", TypeId::kInt),
      Required(505, "existing_files_count", TypeId::kInt),
      Required(506, "deleted_files_count", TypeId::kInt),
      Required(512, "added_rows_count", TypeId::kLong),
      Required(513, "existing_rows_count", TypeId::kLong),
      Required(514, "deleted_rows_count", TypeId::kLong),
      PartitionsField(),
      Optional(519, "key_metadata", TypeId::kBinary),
  };
  if (format_version >= 3) fields.push_back(Optional(520, "first_row_id", TypeId::kLong));
  return Type::Struct(std::move(fields));
}

Status CheckFormatVersion(int format_version) {
  if (format_version >= 1 && format_version <= 3) return {};
  return MakeError(ErrorCode::kInvalidInput, "format version {}, expected 1 to 3", format_version);
}

}  // namespace firn
