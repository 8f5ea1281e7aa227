#include "firn/data/deletes/equality_delete_writer.h"

#include <algorithm>
#include <utility>

#include "firn/data/columns/read_fields_internal.h"

namespace firn {
namespace {

Status CheckKeyColumn(const Schema& schema, int32_t id) {
  const NestedField* field = schema.FindField(id);
  if (field == nullptr) {
    return MakeError(ErrorCode::kInvalidInput,
                     "key column {} is not in the current schema of the table", id);
  }
  const Type& type = *field->type;
  const bool is_comparable = type.is_primitive() && !type.is_float() &&
                             type.id() != TypeId::kGeometry && type.id() != TypeId::kGeography;
  if (!is_comparable || !schema.StructPath(id)) {
    return MakeError(ErrorCode::kInvalidInput,
                     "column '{}' of type {} cannot be part of a key; keys are made of primitive "
                     "types but float and double, outside lists and maps",
                     schema.FullName(id), FormatType(type));
  }
  return {};
}

// `fields` without what leads to none of `ids`.
std::vector<NestedField> KeepFields(const std::vector<NestedField>& fields,
                                    const std::vector<int32_t>& ids) {
  std::vector<NestedField> kept;
  for (NestedField field : fields) {
    const bool is_key = std::find(ids.begin(), ids.end(), field.id) != ids.end();
    if (!is_key && field.type->id() == TypeId::kStruct) {
      std::vector<NestedField> children = KeepFields(field.type->fields(), ids);
      if (children.empty()) continue;
      field.type = Type::Struct(std::move(children));
    } else if (!is_key) {
      continue;
    }
    kept.push_back(std::move(field));
  }
  return kept;
}

}  // namespace

Result<SchemaPtr> EqualityDeleteSchema(const TableMetadata& metadata,
                                       const std::vector<int32_t>& equality_ids) {
  if (equality_ids.empty()) {
    return Error(ErrorCode::kInvalidInput, "equality deletes need one key column at least");
  }
  const SchemaPtr schema = metadata.current_schema();
  for (const int32_t id : equality_ids)
    FIRN_RETURN_IF_ERROR(CheckKeyColumn(*schema, id));
  return std::make_shared<const Schema>(schema->schema_id(),
                                        KeepFields(schema->fields(), equality_ids));
}

Result<std::vector<DataFile>> WriteEqualityDeletes(const WriteContext& context,
                                                   const EqualityDeleteOptions& options,
                                                   RowStream rows) {
  const TableMetadata& metadata = *context.metadata;
  if (metadata.format_version < 2) {
    return Error(ErrorCode::kInvalidInput,
                 "delete files need format version 2, the table has 1; upgrade the table");
  }
  DataWriteOptions write;
  FIRN_ASSIGN(write.schema, EqualityDeleteSchema(metadata, options.equality_ids));
  write.content = FileContent::kEqualityDeletes;
  write.spec = options.spec;
  write.partition = options.partition;
  FIRN_ASSIGN(write.target_file_bytes, DeleteTargetFileBytes(metadata));
  FIRN_ASSIGN(std::vector<DataFile> files, WriteDataFiles(context, write, std::move(rows)));
  for (DataFile& file : files)
    file.equality_ids = options.equality_ids;
  return files;
}

}  // namespace firn
