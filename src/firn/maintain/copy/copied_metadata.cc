#include "firn/maintain/copy/copied_metadata_internal.h"

namespace firn {
namespace {

constexpr std::string_view kFolderProperties[] = {"write.object-storage.path",
                                                  "write.folder-storage.path", "write.data.path",
                                                  "write.metadata.path"};

Status Rename(const PathPrefix& prefix, std::string& path) {
  if (path.empty()) return {};
  FIRN_ASSIGN(path, prefix.Rename(path));
  return {};
}

}  // namespace

Result<TableMetadata> RenameMetadata(const TableMetadata& metadata, const PathPrefix& prefix) {
  TableMetadata renamed = metadata;
  FIRN_RETURN_IF_ERROR(Rename(prefix, renamed.location), "location");
  for (Snapshot& snapshot : renamed.snapshots) {
    FIRN_RETURN_IF_ERROR(Rename(prefix, snapshot.manifest_list), "snapshot {}",
                         snapshot.snapshot_id);
    for (std::string& manifest : snapshot.manifests)
      FIRN_RETURN_IF_ERROR(Rename(prefix, manifest), "snapshot {}", snapshot.snapshot_id);
  }
  for (MetadataLogEntry& entry : renamed.metadata_log)
    FIRN_RETURN_IF_ERROR(Rename(prefix, entry.metadata_file), "metadata-log");
  for (StatisticsFile& statistics : renamed.statistics)
    FIRN_RETURN_IF_ERROR(Rename(prefix, statistics.path), "statistics");
  for (PartitionStatisticsFile& statistics : renamed.partition_statistics)
    FIRN_RETURN_IF_ERROR(Rename(prefix, statistics.path), "partition-statistics");
  for (const std::string_view name : kFolderProperties) {
    const auto property = renamed.properties.find(name);
    if (property == renamed.properties.end()) continue;
    FIRN_RETURN_IF_ERROR(Rename(prefix, property->second), "table property '{}'", name);
  }
  return renamed;
}

}  // namespace firn
