#include <mutex>
#include <utility>

#include "firn/base/log.h"
#include "firn/io/uri.h"
#include "firn/maintain/reachable_files_internal.h"
#include "firn/scan/path_key.h"

namespace firn {
namespace {

// Whether the error is that of a file which is gone or broken, and may be passed over.
bool MaySkip(const Error& error, Unreadable unreadable) {
  const bool is_lost = error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kCorrupt;
  if (!is_lost || unreadable == Unreadable::kFail) return false;
  Log(LogLevel::kWarning,
      "files that nothing needs any more are left to orphan removal, since what names them cannot "
      "be read: {}",
      error.Format());
  return true;
}

}  // namespace

PartitionTypes::PartitionTypes(const TableMetadata& metadata) {
  const std::vector<SchemaPtr> schemas = metadata.SchemasNewestFirst();
  for (const PartitionSpecPtr& spec : metadata.partition_specs)
    types_.emplace(spec->spec_id, PartitionType(*spec, schemas));
}

Result<const Type*> PartitionTypes::Find(const ManifestFile& manifest) const {
  const auto found = types_.find(manifest.partition_spec_id);
  if (found != types_.end()) return found->second.get();
  return MakeError(ErrorCode::kCorrupt, "manifest '{}' has the unknown partition spec {}",
                   manifest.manifest_path, manifest.partition_spec_id);
}

Result<std::vector<ManifestFile>> ReachableReader::ReadManifestsOf(
    std::span<const Snapshot* const> snapshots, Unreadable unreadable) const {
  std::mutex mutex;
  PathSet seen(0);
  std::vector<ManifestFile> all;
  const auto read = [&](size_t index) -> Status {
    const Snapshot& snapshot = *snapshots[index];
    auto manifests = ReadManifests(io, snapshot);
    if (!manifests.ok()) {
      if (MaySkip(manifests.error(), unreadable)) return {};
      return manifests.error().Within(fmt::format("snapshot {}", snapshot.snapshot_id));
    }
    const std::lock_guard lock(mutex);
    for (ManifestFile& manifest : *manifests) {
      if (!seen.Insert(MakePathKey(CanonicalUriKey(manifest.manifest_path)))) continue;
      manifest.partitions.reset();
      all.push_back(std::move(manifest));
    }
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      ParallelFor(*context.commit.executor, snapshots.size(), read, context.commit.cancel));
  return all;
}

Status ReachableReader::VisitContent(const PartitionTypes& types,
                                     std::span<const ManifestFile> manifests, Unreadable unreadable,
                                     const std::function<Status(const DataFile&)>& visit) const {
  const auto read = [&](size_t index) -> Status {
    const ManifestFile& manifest = manifests[index];
    if (!manifest.has_live_files()) return {};
    FIRN_ASSIGN(const Type* type, types.Find(manifest));
    std::optional<Error> failure;
    const Status status =
        ReadManifest(io, manifest, *type, {.with_metrics = false, .with_deleted = false},
                     [&](ManifestEntry& entry) -> Status {
                       const Status visited = visit(entry.file);
                       if (!visited.ok()) failure = visited.error();
                       return visited;
                     });
    if (status.ok() || (!failure && MaySkip(status.error(), unreadable))) return {};
    return status;
  };
  return ParallelFor(*context.commit.executor, manifests.size(), read, context.commit.cancel);
}

std::vector<std::string> FilesNamedByMetadata(const Table& table) {
  const TableMetadata& metadata = *table.metadata;
  std::vector<std::string> paths = {table.metadata_location,
                                    JoinUri(metadata.MetadataLocation(), "version-hint.text"),
                                    JoinUri(metadata.location, "metadata/version-hint.text")};
  for (const MetadataLogEntry& entry : metadata.metadata_log)
    paths.push_back(entry.metadata_file);
  for (const StatisticsFile& file : metadata.statistics)
    paths.push_back(file.path);
  for (const PartitionStatisticsFile& file : metadata.partition_statistics)
    paths.push_back(file.path);
  for (const Snapshot& snapshot : metadata.snapshots)
    paths.push_back(snapshot.manifest_list);
  return paths;
}

}  // namespace firn
