#include <mutex>
#include <utility>

#include "firn/base/log.h"
#include "firn/catalog/other_tables.h"
#include "firn/format/adopted_folders.h"
#include "firn/io/uri.h"
#include "firn/maintain/reachable_files_internal.h"
#include "firn/maintain/shared_files_internal.h"

namespace firn {

Result<std::vector<Table>> FindTablesAt(const MaintainContext& context, const Table& table,
                                        const RealNames& names,
                                        const std::vector<std::string>& folders) {
  std::mutex mutex;
  std::vector<Table> found;
  const auto look = [&](const Table& other) -> Status {
    std::vector<std::string> places = OwnFolders(*other.metadata);
    FIRN_ASSIGN(const auto adopted, ParseAdoptedFolders(other.metadata->properties), "table '{}'",
                FormatTableName(other.name));
    places.insert(places.end(), adopted.begin(), adopted.end());
    FIRN_ASSIGN(const auto overlap, FindOverlap(names, folders, places));
    if (!overlap) return {};
    Log(LogLevel::kInfo, "table '{}' has files at '{}', which overlaps with '{}': it is asked, too",
        FormatTableName(other.name), overlap->other, overlap->mine);
    const std::lock_guard lock(mutex);
    found.push_back(other);
    return {};
  };
  const CommitContext& commit = context.commit;
  FIRN_RETURN_IF_ERROR(
      VisitOtherTables(*commit.catalog, table.name, *commit.executor, commit.cancel, look));
  return found;
}

Status VisitReachable(const MaintainContext& context, const Table& table,
                      const ReachableVisitor& visit) {
  const TableMetadata& metadata = *table.metadata;
  std::vector<std::string> paths = FilesNamedByMetadata(table);
  std::vector<const Snapshot*> snapshots;
  for (const Snapshot& snapshot : metadata.snapshots)
    snapshots.push_back(&snapshot);
  const ReachableReader reader{context, *table.io};
  FIRN_ASSIGN(const auto manifests, reader.ReadManifestsOf(snapshots, Unreadable::kFail));
  for (const ManifestFile& manifest : manifests)
    paths.push_back(manifest.manifest_path);
  for (const std::string& path : paths) {
    if (!path.empty()) FIRN_RETURN_IF_ERROR(visit.metadata(path));
  }
  return reader.VisitContent(PartitionTypes(metadata), manifests, Unreadable::kFail,
                             [&](const DataFile& file) { return visit.content(file.file_path); });
}

}  // namespace firn
