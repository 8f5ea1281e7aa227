#include <algorithm>
#include <utility>

#include "firn/base/number.h"
#include "firn/scan/metadata_table_internal.h"

// statistics and partition_statistics_files: the statistics files that the metadata names. What the
// latter hold is shown by partition_statistics, which reads them and is in `maintain`.

namespace firn {
namespace {

TypePtr Long() { return Type::Primitive(TypeId::kLong); }
TypePtr Int() { return Type::Primitive(TypeId::kInt); }
TypePtr String() { return Type::Primitive(TypeId::kString); }

Result<TypePtr> StatisticsType(const MetadataTableRequest&) {
  return Type::Struct(
      {RequiredField(1, "snapshot_id", Long()), RequiredField(2, "statistics_path", String()),
       RequiredField(3, "file_size_in_bytes", Long()),
       RequiredField(4, "file_footer_size_in_bytes", Long()),
       OptionalField(5, "blob_type", String()), OptionalField(6, "blob_snapshot_id", Long()),
       OptionalField(7, "blob_sequence_number", Long()),
       OptionalField(8, "fields", Type::List(RequiredField(9, "element", Int()))),
       OptionalField(10, "columns", Type::List(OptionalField(11, "element", String()))),
       OptionalField(12, "ndv", Long()),
       OptionalField(13, "properties", MapType(14, String(), String()))});
}

// Null: no schema of the table knows the field any more.
Value NameOf(const TableMetadata& metadata, int32_t field_id) {
  for (const SchemaPtr& schema : metadata.SchemasNewestFirst()) {
    if (schema->FindField(field_id) != nullptr) return schema->FullName(field_id);
  }
  return {};
}

// Distinct values, as writers of sketches tell; null: the blob tells none.
Value NdvOf(const BlobMetadata& blob) {
  for (const auto& [key, text] : blob.properties) {
    if (key != "ndv") continue;
    const auto number = ParseInt64(text);
    return number ? Value(*number) : Value();
  }
  return {};
}

void AddBlob(const TableMetadata& metadata, const BlobMetadata& blob, StructValue& row) {
  std::vector<Value> fields;
  std::vector<Value> columns;
  for (const int32_t id : blob.fields) {
    fields.emplace_back(id);
    columns.push_back(NameOf(metadata, id));
  }
  std::vector<std::pair<Value, Value>> properties;
  for (const auto& [key, value] : blob.properties)
    properties.emplace_back(key, value);
  row.fields.insert(row.fields.end(),
                    {Value(blob.type), Value(blob.snapshot_id), Value(blob.sequence_number),
                     Value::List(std::move(fields)), Value::List(std::move(columns)), NdvOf(blob),
                     Value::Map(std::move(properties))});
}

// A row for each blob; one with nulls for a file without any.
Status VisitStatistics(const MetadataTableRequest& request, const RowVisitor& visit) {
  FIRN_RETURN_IF_ERROR(RefuseSelector(request, "statistics"));
  constexpr size_t kBlobColumns = 7;
  for (const StatisticsFile& file : request.metadata->statistics) {
    const StructValue head{{Value(file.snapshot_id), Value(file.path),
                            Value(file.file_size_in_bytes), Value(file.file_footer_size_in_bytes)}};
    for (const BlobMetadata& blob : file.blobs) {
      StructValue row = head;
      AddBlob(*request.metadata, blob, row);
      FIRN_RETURN_IF_ERROR(visit(std::move(row)));
    }
    if (!file.blobs.empty()) continue;
    StructValue row = head;
    row.fields.resize(head.fields.size() + kBlobColumns);
    FIRN_RETURN_IF_ERROR(visit(std::move(row)));
  }
  return {};
}

Result<TypePtr> PartitionStatisticsFilesType(const MetadataTableRequest&) {
  return Type::Struct({RequiredField(1, "snapshot_id", Long()),
                       RequiredField(2, "statistics_path", String()),
                       RequiredField(3, "file_size_in_bytes", Long())});
}

Status VisitPartitionStatisticsFiles(const MetadataTableRequest& request, const RowVisitor& visit) {
  FIRN_RETURN_IF_ERROR(RefuseSelector(request, "partition_statistics_files"));
  for (const PartitionStatisticsFile& file : request.metadata->partition_statistics) {
    FIRN_RETURN_IF_ERROR(
        visit({{Value(file.snapshot_id), Value(file.path), Value(file.file_size_in_bytes)}}));
  }
  return {};
}

}  // namespace

MetadataTable DescribeStatistics() {
  return {"statistics", "computed statistics of all snapshots, blob by blob", StatisticsType,
          VisitStatistics};
}

MetadataTable DescribePartitionStatisticsFiles() {
  return {"partition_statistics_files", "files of partition statistics of all snapshots",
          PartitionStatisticsFilesType, VisitPartitionStatisticsFiles};
}

}  // namespace firn
