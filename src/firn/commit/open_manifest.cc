#include <utility>

#include <fmt/format.h>

#include "firn/commit/open_manifest_internal.h"

namespace firn {

Result<OpenManifest> OpenNewManifest(const Table& table, const NewManifest& manifest) {
  const TableMetadata& metadata = *table.metadata;
  const PartitionSpecPtr spec = metadata.FindSpec(manifest.partition_spec_id);
  if (spec == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "manifest '{}' needs the unknown partition spec {}",
                     manifest.uri, manifest.partition_spec_id);
  }
  OpenManifest open{.partition_type = PartitionType(*spec, metadata.SchemasNewestFirst()),
                    .writer = nullptr};
  FIRN_ASSIGN(open.writer, MakeManifestWriter(*table.io, manifest.uri,
                                              {.format_version = metadata.format_version,
                                               .content = manifest.content,
                                               .schema = metadata.current_schema(),
                                               .spec = spec,
                                               .partition_type = open.partition_type,
                                               .snapshot_id = manifest.snapshot_id,
                                               .compression = metadata.Property(
                                                   "write.manifest.compression-codec", "gzip")}));
  return open;
}

std::string CopyKey(const ManifestFile& manifest) {
  return fmt::format("{} {} {}", manifest.sequence_number, manifest.first_row_id.value_or(-1),
                     manifest.manifest_path);
}

Result<TypePtr> PartitionTypeOf(const TableMetadata& metadata, const ManifestFile& manifest) {
  const PartitionSpecPtr spec = metadata.FindSpec(manifest.partition_spec_id);
  if (spec == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "manifest '{}' has the unknown partition spec {}",
                     manifest.manifest_path, manifest.partition_spec_id);
  }
  return PartitionType(*spec, metadata.SchemasNewestFirst());
}

}  // namespace firn
