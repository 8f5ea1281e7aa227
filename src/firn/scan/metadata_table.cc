#include "firn/scan/metadata_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "firn/scan/metadata_table_internal.h"

namespace firn {

const std::vector<MetadataTable>& MetadataTables() {
  static const std::vector<MetadataTable> kTables = {
#define FIRN_METADATA_TABLE(describe) describe(),
#include "firn/scan/metadata_tables.def"
#undef FIRN_METADATA_TABLE
  };
  return kTables;
}

Result<const MetadataTable*> FindMetadataTable(std::string_view name) {
  std::string wanted(name);
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  std::string names;
  for (const MetadataTable& table : MetadataTables()) {
    if (table.name == wanted) return &table;
    if (!names.empty()) names += ", ";
    names += table.name;
  }
  return MakeError(ErrorCode::kInvalidInput, "metadata table '{}' is not known, expected one of {}",
                   name, names);
}

NestedField RequiredField(int32_t id, std::string name, TypePtr type) {
  return {.id = id, .name = std::move(name), .type = std::move(type), .required = true};
}

NestedField OptionalField(int32_t id, std::string name, TypePtr type) {
  return {.id = id, .name = std::move(name), .type = std::move(type)};
}

TypePtr MapType(int32_t id, TypePtr key, TypePtr value) {
  return Type::Map(RequiredField(id, "key", std::move(key)),
                   RequiredField(id + 1, "value", std::move(value)));
}

Value ToTimestamptz(Timestamp time) {
  return Value(int64_t{time.time_since_epoch().count()} * 1000);
}

TypePtr TablePartitionType(const TableMetadata& metadata) {
  return UnifiedPartitionType(metadata.partition_specs, metadata.SchemasNewestFirst());
}

Result<ManifestSpec> FindManifestSpec(const TableMetadata& metadata, const ManifestFile& manifest) {
  PartitionSpecPtr spec = metadata.FindSpec(manifest.partition_spec_id);
  if (spec == nullptr) {
    return MakeError(ErrorCode::kCorrupt,
                     "manifest '{}' has partition spec {}, which the table does not know",
                     manifest.manifest_path, manifest.partition_spec_id);
  }
  TypePtr partition_type = PartitionType(*spec, metadata.SchemasNewestFirst());
  return ManifestSpec{std::move(spec), std::move(partition_type)};
}

Result<std::vector<ManifestFile>> ReadSelectedManifests(const MetadataTableRequest& request) {
  FIRN_ASSIGN(const ResolvedSnapshot resolved,
              ResolveSnapshot(*request.metadata, request.selector));
  if (resolved.snapshot == nullptr) return std::vector<ManifestFile>();
  return ReadManifests(*request.io, *resolved.snapshot);
}

Status RefuseSelector(const MetadataTableRequest& request, std::string_view table) {
  const SnapshotSelector& selector = request.selector;
  if (!selector.snapshot_id && !selector.as_of && !selector.ref) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   "metadata table '{}' shows all snapshots, expected no snapshot, time or ref",
                   table);
}

Result<std::vector<ManifestFile>> ReadAllManifests(const MetadataTableRequest& request) {
  const std::vector<Snapshot>& snapshots = request.metadata->snapshots;
  std::vector<std::vector<ManifestFile>> lists(snapshots.size());
  const auto read_list = [&](size_t index) -> Status {
    FIRN_ASSIGN(lists[index], ReadManifests(*request.io, snapshots[index]));
    return {};
  };
  FIRN_RETURN_IF_ERROR(ParallelFor(*request.executor, snapshots.size(), read_list, request.cancel));
  std::set<std::string, std::less<>> seen;
  std::vector<ManifestFile> all;
  for (std::vector<ManifestFile>& list : lists) {
    for (ManifestFile& manifest : list) {
      if (seen.insert(manifest.manifest_path).second) all.push_back(std::move(manifest));
    }
  }
  return all;
}

Status VisitManifestRows(const MetadataTableRequest& request,
                         const std::vector<ManifestFile>& manifests, const ManifestRows& make,
                         const RowVisitor& visit) {
  const size_t step = std::max<size_t>(1, request.executor->concurrency());
  for (size_t first = 0; first < manifests.size(); first += step) {
    std::vector<std::vector<StructValue>> rows(std::min(step, manifests.size() - first));
    const auto make_one = [&](size_t index) { return make(manifests[first + index], rows[index]); };
    FIRN_RETURN_IF_ERROR(ParallelFor(*request.executor, rows.size(), make_one, request.cancel));
    for (std::vector<StructValue>& part : rows) {
      for (StructValue& row : part)
        FIRN_RETURN_IF_ERROR(visit(std::move(row)));
      part = {};
    }
  }
  return {};
}

}  // namespace firn
