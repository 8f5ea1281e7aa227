#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "firn/maintain/maintain_context.h"

namespace firn {

/// Types of partition values by spec.
class PartitionTypes {
 public:
  explicit PartitionTypes(const TableMetadata& metadata);
  /// Errors: kCorrupt if the table has no such spec.
  Result<const Type*> Find(const ManifestFile& manifest) const;

 private:
  std::unordered_map<int32_t, TypePtr> types_;
};

/// The table's metadata file and what it names: older versions, statistics, manifest lists; with
/// the places of a version hint. Paths may be empty, as in tables without manifest lists.
std::vector<std::string> FilesNamedByMetadata(const Table& table);

/// What is done about a metadata file that cannot be read.
enum class Unreadable {
  kFail,
  kSkip,  ///< If it is missing or corrupt: what only it names becomes an orphan. Logged.
};

/// Reads what is reachable from snapshots, several files at a time.
struct ReachableReader {
  const MaintainContext& context;
  FileIO& io;

  /// The manifests of all `snapshots`, each path once, without partition summaries.
  Result<std::vector<ManifestFile>> ReadManifestsOf(std::span<const Snapshot* const> snapshots,
                                                    Unreadable unreadable) const;

  /// Call `visit`, which is thread-safe, for each live file of `manifests`.
  Status VisitContent(const PartitionTypes& types, std::span<const ManifestFile> manifests,
                      Unreadable unreadable,
                      const std::function<Status(const DataFile&)>& visit) const;
};

}  // namespace firn
