#include <utility>

#include "firn/scan/file_rows_internal.h"

// entries and all_entries: manifest entries, deleted ones too.

namespace firn {
namespace {

Result<TypePtr> EntriesType(const MetadataTableRequest& request) {
  const FileRowMaker maker(*request.metadata);
  const TypePtr number = Type::Primitive(TypeId::kLong);
  std::vector<NestedField> fields = {RequiredField(0, "status", Type::Primitive(TypeId::kInt)),
                                     OptionalField(1, "snapshot_id", number),
                                     OptionalField(3, "sequence_number", number),
                                     OptionalField(4, "file_sequence_number", number),
                                     RequiredField(2, "data_file", Type::Struct(maker.fields()))};
  fields.push_back(maker.ReadableMetricsField(fields));
  return Type::Struct(std::move(fields));
}

Status VisitEntries(const MetadataTableRequest& request, const RowVisitor& visit,
                    const std::vector<ManifestFile>& manifests) {
  const FileRowMaker maker(*request.metadata);
  const auto make = [&](const ManifestFile& manifest, std::vector<StructValue>& rows) -> Status {
    FIRN_ASSIGN(const ManifestSpec spec, FindManifestSpec(*request.metadata, manifest));
    return ReadManifest(
        *request.io, manifest, *spec.partition_type, {}, [&](ManifestEntry& entry) -> Status {
          rows.push_back({{static_cast<int32_t>(entry.status), ToValue(entry.snapshot_id),
                           ToValue(entry.sequence_number), ToValue(entry.file_sequence_number),
                           Value::Struct(maker.MakeRow(entry.file, *spec.spec)),
                           maker.MakeReadableMetrics(entry.file.metrics)}});
          return {};
        });
  };
  return VisitManifestRows(request, manifests, make, visit);
}

Status VisitSelected(const MetadataTableRequest& request, const RowVisitor& visit) {
  FIRN_ASSIGN(const std::vector<ManifestFile> manifests, ReadSelectedManifests(request));
  return VisitEntries(request, visit, manifests);
}

Status VisitAll(const MetadataTableRequest& request, const RowVisitor& visit) {
  FIRN_RETURN_IF_ERROR(RefuseSelector(request, "all_entries"));
  FIRN_ASSIGN(const std::vector<ManifestFile> manifests, ReadAllManifests(request));
  return VisitEntries(request, visit, manifests);
}

}  // namespace

MetadataTable DescribeEntries() {
  return {"entries", "manifest entries of a snapshot, deleted ones too", EntriesType,
          VisitSelected};
}

MetadataTable DescribeAllEntries() {
  return {"all_entries", "manifest entries of all snapshots", EntriesType, VisitAll};
}

}  // namespace firn
