#include <utility>

#include "firn/scan/file_rows_internal.h"

// files, data_files, delete_files and the all_ forms of them: live entries of manifests as rows.

namespace firn {
namespace {

enum class Contents { kAll, kData, kDeletes };
enum class Scope { kSnapshot, kAllSnapshots };

Result<TypePtr> FilesType(const MetadataTableRequest& request) {
  const FileRowMaker maker(*request.metadata);
  std::vector<NestedField> fields = maker.fields();
  fields.push_back(maker.ReadableMetricsField(fields));
  return Type::Struct(std::move(fields));
}

bool IsWanted(const ManifestFile& manifest, Contents contents) {
  const bool is_data = manifest.content == ManifestContent::kData;
  return contents == Contents::kAll || (contents == Contents::kData) == is_data;
}

Status VisitFiles(const MetadataTableRequest& request, const RowVisitor& visit, Contents contents,
                  Scope scope) {
  FIRN_ASSIGN(std::vector<ManifestFile> manifests, scope == Scope::kSnapshot
                                                       ? ReadSelectedManifests(request)
                                                       : ReadAllManifests(request));
  std::erase_if(manifests, [&](const ManifestFile& m) { return !IsWanted(m, contents); });
  const FileRowMaker maker(*request.metadata);
  const auto make = [&](const ManifestFile& manifest, std::vector<StructValue>& rows) -> Status {
    FIRN_ASSIGN(const ManifestSpec spec, FindManifestSpec(*request.metadata, manifest));
    const ManifestReadOptions options{.with_deleted = false};
    return ReadManifest(*request.io, manifest, *spec.partition_type, options,
                        [&](ManifestEntry& entry) -> Status {
                          StructValue row{maker.MakeRow(entry.file, *spec.spec)};
                          row.fields.push_back(maker.MakeReadableMetrics(entry.file.metrics));
                          rows.push_back(std::move(row));
                          return {};
                        });
  };
  return VisitManifestRows(request, manifests, make, visit);
}

MetadataTable DescribeTable(std::string name, std::string summary, Contents contents, Scope scope) {
  const auto scan = [name, contents, scope](const MetadataTableRequest& request,
                                            const RowVisitor& visit) -> Status {
    if (scope == Scope::kAllSnapshots) FIRN_RETURN_IF_ERROR(RefuseSelector(request, name));
    return VisitFiles(request, visit, contents, scope);
  };
  return {std::move(name), std::move(summary), FilesType, scan};
}

}  // namespace

MetadataTable DescribeFiles() {
  return DescribeTable("files", "live data and delete files of a snapshot", Contents::kAll,
                       Scope::kSnapshot);
}

MetadataTable DescribeDataFiles() {
  return DescribeTable("data_files", "live data files of a snapshot", Contents::kData,
                       Scope::kSnapshot);
}

MetadataTable DescribeDeleteFiles() {
  return DescribeTable("delete_files", "live delete files and deletion vectors of a snapshot",
                       Contents::kDeletes, Scope::kSnapshot);
}

MetadataTable DescribeAllFiles() {
  return DescribeTable("all_files", "data and delete files of all snapshots", Contents::kAll,
                       Scope::kAllSnapshots);
}

MetadataTable DescribeAllDataFiles() {
  return DescribeTable("all_data_files", "data files of all snapshots", Contents::kData,
                       Scope::kAllSnapshots);
}

MetadataTable DescribeAllDeleteFiles() {
  return DescribeTable("all_delete_files", "delete files of all snapshots", Contents::kDeletes,
                       Scope::kAllSnapshots);
}

}  // namespace firn
