#include <algorithm>
#include <cstring>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "firn/io/uri.h"
#include "firn/maintain/expiry/expired_files_internal.h"
#include "firn/maintain/file_lookup.h"
#include "firn/maintain/reachable_files_internal.h"

namespace firn {
namespace {

/// The share of the budget that paths may take before they go to disk, and the most of it: writing
/// a few hundred megabytes there and reading them back costs less than such memory does.
constexpr int64_t kMemoryShare = 4;
constexpr int64_t kMemoryBytesMax = int64_t{128} << 20;

std::vector<const Snapshot*> Pointers(const std::vector<Snapshot>& snapshots) {
  std::vector<const Snapshot*> pointers;
  for (const Snapshot& snapshot : snapshots)
    pointers.push_back(&snapshot);
  return pointers;
}

PathKey KeyOf(std::string_view path) { return MakePathKey(CanonicalUriKey(path)); }

std::string EncodeFile(const DataFile& file) {
  std::string payload(1 + sizeof(int64_t), '\0');
  payload[0] = static_cast<char>(KindOf(file));
  std::memcpy(payload.data() + 1, &file.file_size_in_bytes, sizeof(int64_t));
  return payload.append(file.file_path);
}

FileToDelete DecodeFile(std::string_view payload) {
  FileToDelete file;
  file.kind = static_cast<FileKind>(payload[0]);
  int64_t bytes = 0;
  std::memcpy(&bytes, payload.data() + 1, sizeof(bytes));
  file.bytes = bytes;
  file.path = payload.substr(1 + sizeof(bytes));
  return file;
}

}  // namespace

ExpiredPart TakeExpiredPart(const TableMetadata& metadata,
                            const std::vector<SnapshotId>& snapshot_ids) {
  const std::unordered_set<SnapshotId> ids(snapshot_ids.begin(), snapshot_ids.end());
  const auto is_expired = [&](const auto& item) { return ids.contains(item.snapshot_id); };
  ExpiredPart part{.schemas = metadata.schemas,
                   .current_schema_id = metadata.current_schema_id,
                   .partition_specs = metadata.partition_specs};
  std::copy_if(metadata.snapshots.begin(), metadata.snapshots.end(),
               std::back_inserter(part.snapshots), is_expired);
  std::copy_if(metadata.statistics.begin(), metadata.statistics.end(),
               std::back_inserter(part.statistics), is_expired);
  std::copy_if(metadata.partition_statistics.begin(), metadata.partition_statistics.end(),
               std::back_inserter(part.partition_statistics), is_expired);
  return part;
}

ExpiredFiles::ExpiredFiles(const MaintainContext& context)
    : content_(*context.budget,
               std::min(context.budget->total_bytes() / kMemoryShare, kMemoryBytesMax)) {}

Result<std::unique_ptr<ExpiredFiles>> ExpiredFiles::Find(const MaintainContext& context,
                                                         const ExpiredPart& part,
                                                         const Table& after) {
  std::unique_ptr<ExpiredFiles> files(new ExpiredFiles(context));
  const ReachableReader reader{context, *after.io};
  FIRN_ASSIGN(const auto remaining,
              reader.ReadManifestsOf(Pointers(after.metadata->snapshots), Unreadable::kFail));
  FIRN_ASSIGN(files->manifests_,
              reader.ReadManifestsOf(Pointers(part.snapshots), Unreadable::kSkip));
  PathSet kept(remaining.size());
  for (const ManifestFile& manifest : remaining)
    kept.Insert(KeyOf(manifest.manifest_path));
  std::erase_if(files->manifests_, [&](const ManifestFile& manifest) {
    return kept.Contains(KeyOf(manifest.manifest_path));
  });
  FIRN_RETURN_IF_ERROR(files->FindContent(context, part, after, remaining));
  files->FindMetadata(part, after);
  return files;
}

Status ExpiredFiles::FindContent(const MaintainContext& context, const ExpiredPart& part,
                                 const Table& after, const std::vector<ManifestFile>& remaining) {
  const ReachableReader reader{context, *after.io};
  TableMetadata layout;  // The table's own may have forgotten specs.
  layout.schemas = part.schemas;
  layout.current_schema_id = part.current_schema_id;
  layout.partition_specs = part.partition_specs;
  FIRN_RETURN_IF_ERROR(reader.VisitContent(
      PartitionTypes(layout), manifests_, Unreadable::kSkip, [&](const DataFile& file) {
        return content_.AddCandidate(CanonicalUriKey(file.file_path), EncodeFile(file));
      }));
  if (!content_.has_candidates()) return {};
  // Whatever a broken manifest calls a data file.
  const auto keep = [&](const std::string& path) {
    return content_.AddOther(CanonicalUriKey(path));
  };
  FIRN_RETURN_IF_ERROR(keep(after.metadata_location));
  for (const MetadataLogEntry& entry : after.metadata->metadata_log) {
    FIRN_RETURN_IF_ERROR(keep(entry.metadata_file));
  }
  for (const StatisticsFile& file : after.metadata->statistics) {
    FIRN_RETURN_IF_ERROR(keep(file.path));
  }
  for (const PartitionStatisticsFile& file : after.metadata->partition_statistics) {
    FIRN_RETURN_IF_ERROR(keep(file.path));
  }
  for (const Snapshot& snapshot : after.metadata->snapshots) {
    FIRN_RETURN_IF_ERROR(keep(snapshot.manifest_list));
  }
  for (const ManifestFile& manifest : remaining) {
    FIRN_RETURN_IF_ERROR(keep(manifest.manifest_path));
  }
  return reader.VisitContent(
      PartitionTypes(*after.metadata), remaining, Unreadable::kFail,
      [&](const DataFile& file) { return content_.AddOther(CanonicalUriKey(file.file_path)); });
}

void ExpiredFiles::FindMetadata(const ExpiredPart& part, const Table& after) {
  const TableMetadata& metadata = *after.metadata;
  PathSet kept(metadata.snapshots.size());
  for (const Snapshot& snapshot : metadata.snapshots)
    kept.Insert(KeyOf(snapshot.manifest_list));
  for (const StatisticsFile& file : metadata.statistics)
    kept.Insert(KeyOf(file.path));
  for (const PartitionStatisticsFile& file : metadata.partition_statistics)
    kept.Insert(KeyOf(file.path));
  // Each file once, too.
  const auto add = [&](FileKind kind, const std::string& path, std::optional<int64_t> bytes) {
    if (!path.empty() && kept.Insert(KeyOf(path))) others_.push_back({kind, path, bytes});
  };
  for (const Snapshot& snapshot : part.snapshots)
    add(FileKind::kManifestList, snapshot.manifest_list, std::nullopt);
  for (const StatisticsFile& file : part.statistics)
    add(FileKind::kStatistics, file.path, file.file_size_in_bytes);
  for (const PartitionStatisticsFile& file : part.partition_statistics)
    add(FileKind::kStatistics, file.path, file.file_size_in_bytes);
}

Status ExpiredFiles::LookUpListSizes(const MaintainContext& context, FileIO& io) {
  return LookUpSizes(context, io, others_);
}

Status ExpiredFiles::Visit(const std::function<Status(FileToDelete)>& visit) {
  FIRN_RETURN_IF_ERROR(content_.VisitRest({}, [&](const FileDifference::Candidate& candidate) {
    return visit(DecodeFile(candidate.payload));
  }));
  for (const ManifestFile& manifest : manifests_) {
    FIRN_RETURN_IF_ERROR(
        visit({FileKind::kManifest, manifest.manifest_path, manifest.manifest_length}));
  }
  for (const FileToDelete& file : others_) {
    FIRN_RETURN_IF_ERROR(visit(file));
  }
  return {};
}

}  // namespace firn
