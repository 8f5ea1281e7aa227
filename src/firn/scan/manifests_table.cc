#include <utility>

#include "firn/scan/metadata_table_internal.h"

// manifests and all_manifests: manifest lists as rows.

namespace firn {
namespace {

std::vector<NestedField> ManifestFields() {
  const TypePtr boolean = Type::Primitive(TypeId::kBoolean);
  const TypePtr integer = Type::Primitive(TypeId::kInt);
  const TypePtr number = Type::Primitive(TypeId::kLong);
  const TypePtr string = Type::Primitive(TypeId::kString);
  const TypePtr summary = Type::Struct(
      {RequiredField(10, "contains_null", boolean), OptionalField(11, "contains_nan", boolean),
       OptionalField(12, "lower_bound", string), OptionalField(13, "upper_bound", string)});
  // Counts may be missing in lists of version 1.
  return {
      RequiredField(14, "content", integer),
      RequiredField(1, "path", string),
      RequiredField(2, "length", number),
      RequiredField(3, "partition_spec_id", integer),
      RequiredField(4, "added_snapshot_id", number),
      OptionalField(5, "added_data_files_count", integer),
      OptionalField(6, "existing_data_files_count", integer),
      OptionalField(7, "deleted_data_files_count", integer),
      OptionalField(15, "added_delete_files_count", integer),
      OptionalField(16, "existing_delete_files_count", integer),
      OptionalField(17, "deleted_delete_files_count", integer),
      OptionalField(8, "partition_summaries", Type::List(RequiredField(9, "element", summary)))};
}

Result<TypePtr> ManifestsType(const MetadataTableRequest&) {
  return Type::Struct(ManifestFields());
}

Result<TypePtr> AllManifestsType(const MetadataTableRequest&) {
  std::vector<NestedField> fields = ManifestFields();
  fields.push_back(RequiredField(18, "reference_snapshot_id", Type::Primitive(TypeId::kLong)));
  fields.push_back(OptionalField(19, "key_metadata", Type::Primitive(TypeId::kBinary)));
  return Type::Struct(std::move(fields));
}

Value ToCount(std::optional<int64_t> count) {
  return count ? Value(static_cast<int32_t>(*count)) : Value();
}

// A missing bound shows as Spark shows it, as the text "null".
Value FormatBound(const std::optional<std::string>& bytes, const Transform& transform,
                  const Type& type) {
  const Value bound = bytes ? FromBoundBytes(AsBytes(*bytes), type) : Value();
  return bound.is_null() ? Value(std::string("null"))
                         : Value(FormatTransformed(transform, type, bound));
}

Result<Value> MakeSummaries(const TableMetadata& metadata, const ManifestFile& manifest) {
  if (!manifest.partitions) return Value();
  FIRN_ASSIGN(const ManifestSpec spec, FindManifestSpec(metadata, manifest));
  std::vector<Value> summaries;
  for (size_t i = 0; i < manifest.partitions->size() && i < spec.spec->fields.size(); ++i) {
    const FieldSummary& summary = (*manifest.partitions)[i];
    const Transform& transform = spec.spec->fields[i].transform;
    const Type& type = *spec.partition_type->fields()[i].type;
    summaries.push_back(Value::Struct({summary.contains_null, ToValue(summary.contains_nan),
                                       FormatBound(summary.lower_bound, transform, type),
                                       FormatBound(summary.upper_bound, transform, type)}));
  }
  return Value::List(std::move(summaries));
}

Result<StructValue> MakeRow(const TableMetadata& metadata, const ManifestFile& manifest) {
  const bool is_data = manifest.content == ManifestContent::kData;
  const std::vector<Value> counts = {ToCount(manifest.added_files_count),
                                     ToCount(manifest.existing_files_count),
                                     ToCount(manifest.deleted_files_count)};
  const std::vector<Value> zeros(3, Value(int32_t{0}));
  FIRN_ASSIGN(Value summaries, MakeSummaries(metadata, manifest));
  StructValue row{{static_cast<int32_t>(manifest.content), manifest.manifest_path,
                   manifest.manifest_length, manifest.partition_spec_id,
                   manifest.added_snapshot_id}};
  for (const Value& count : is_data ? counts : zeros)
    row.fields.push_back(count);
  for (const Value& count : is_data ? zeros : counts)
    row.fields.push_back(count);
  row.fields.push_back(std::move(summaries));
  return row;
}

Status VisitManifests(const MetadataTableRequest& request, const RowVisitor& visit) {
  FIRN_ASSIGN(const std::vector<ManifestFile> manifests, ReadSelectedManifests(request));
  for (const ManifestFile& manifest : manifests) {
    FIRN_ASSIGN(StructValue row, MakeRow(*request.metadata, manifest));
    FIRN_RETURN_IF_ERROR(visit(std::move(row)));
  }
  return {};
}

// One row for each snapshot and manifest.
Status VisitAllManifests(const MetadataTableRequest& request, const RowVisitor& visit) {
  FIRN_RETURN_IF_ERROR(RefuseSelector(request, "all_manifests"));
  for (const Snapshot& snapshot : request.metadata->snapshots) {
    FIRN_RETURN_IF_ERROR(request.cancel.Check());
    FIRN_ASSIGN(const std::vector<ManifestFile> manifests, ReadManifests(*request.io, snapshot));
    for (const ManifestFile& manifest : manifests) {
      FIRN_ASSIGN(StructValue row, MakeRow(*request.metadata, manifest));
      row.fields.emplace_back(snapshot.snapshot_id);
      row.fields.push_back(manifest.key_metadata ? Value(BinaryValue{*manifest.key_metadata})
                                                 : Value());
      FIRN_RETURN_IF_ERROR(visit(std::move(row)));
    }
  }
  return {};
}

}  // namespace

MetadataTable DescribeManifests() {
  return {"manifests", "manifests of a snapshot", ManifestsType, VisitManifests};
}

MetadataTable DescribeAllManifests() {
  return {"all_manifests", "manifests of all snapshots, once for each snapshot", AllManifestsType,
          VisitAllManifests};
}

}  // namespace firn
