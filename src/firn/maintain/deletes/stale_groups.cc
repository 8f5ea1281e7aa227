#include <algorithm>
#include <mutex>
#include <utility>

#include "firn/format/puffin/delete_reference.h"
#include "firn/maintain/deletes/stale_groups_internal.h"

namespace firn {

void StaleGroups::Add(const DeleteGroup& group, const DeleteGroupResult& result) {
  for (const DeleteFilePtr& file : group.inputs) {
    inputs_.emplace(FileKey(file->file), group.index);
    taken_out_.emplace(FileKey(file->file), group.index);
  }
  for (const DeleteFilePtr& file : result.removed)
    taken_out_.emplace(FileKey(file->file), group.index);
  std::unordered_set<std::string_view> targets;
  for (const DeleteFile& file : result.added) {
    if (file.file.is_deletion_vector()) targets.insert(ReferencedDataFile(file.file));
  }
  for (const FileScanTask& task : group.tasks) {
    const bool gets_vector = targets.contains(task.file.file_path);
    parts_[task.file.file_path].push_back({.group = group.index,
                                           .gets_vector = gets_vector,
                                           .deletes = DeletesFor(task, group.index, gets_vector)});
  }
}

// Of the deletes of a data file: inputs of the group, and if it gets a vector, all by position.
std::vector<std::string> StaleGroups::DeletesFor(const FileScanTask& task, int64_t group,
                                                 bool gets_vector) const {
  std::vector<std::string> keys;
  for (const DeleteFilePtr& file : task.deletes) {
    std::string key = FileKey(file->file);
    const auto input = inputs_.find(key);
    const bool is_input = input != inputs_.end() && input->second == group;
    const bool is_in_vector = gets_vector && file->file.content != FileContent::kEqualityDeletes;
    if (is_input || is_in_vector) keys.push_back(std::move(key));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

Result<std::set<int64_t>> StaleGroups::Find(const MaintainContext& context,
                                            const LiveBranch& live) {
  std::set<int64_t> stale;
  FIRN_RETURN_IF_ERROR(FindGone(context, live, stale));
  ScanOptions scan;
  scan.snapshot_id = live.snapshot_id;
  scan.with_residuals = false;
  FIRN_ASSIGN([[maybe_unused]] const ScanStatistics statistics,
              PlanFiles(*live.table.io, *live.table.metadata, scan, *context.commit.executor,
                        context.commit.cancel, [&](FileScanTask&& task) -> Status {
                          Compare(task, stale);
                          return {};
                        }));
  return stale;
}

Status StaleGroups::FindGone(const MaintainContext& context, const LiveBranch& live,
                             std::set<int64_t>& stale) const {
  const TableMetadata& metadata = *live.table.metadata;
  const Snapshot* head = metadata.FindSnapshot(live.snapshot_id);
  FIRN_CHECK(head != nullptr);
  FIRN_ASSIGN(std::vector<ManifestFile> manifests, ReadManifests(*live.table.io, *head));
  std::erase_if(manifests, [](const ManifestFile& manifest) {
    return manifest.content != ManifestContent::kDeletes || !manifest.has_live_files();
  });
  std::mutex mutex;
  std::unordered_map<std::string, int64_t> gone = taken_out_;
  const auto visit = [&](ManifestEntry& entry) -> Status {
    const std::lock_guard lock(mutex);
    gone.erase(FileKey(entry.file));
    return {};
  };
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *context.commit.executor, manifests.size(),
      [&](size_t i) -> Status {
        const PartitionSpecPtr spec = metadata.FindSpec(manifests[i].partition_spec_id);
        if (spec == nullptr) {
          return MakeError(ErrorCode::kCorrupt,
                           "manifest '{}' has partition spec {}, which the table does not know",
                           manifests[i].manifest_path, manifests[i].partition_spec_id);
        }
        const TypePtr type = PartitionType(*spec, metadata.SchemasNewestFirst());
        return ReadManifest(*live.table.io, manifests[i], *type,
                            {.with_metrics = false, .with_deleted = false}, visit);
      },
      context.commit.cancel));
  for (const auto& [key, group] : gone)
    stale.insert(group);
  return {};
}

// Data files that are gone do not matter: what is deleted in them is deleted.
void StaleGroups::Compare(const FileScanTask& task, std::set<int64_t>& stale) const {
  const auto found = parts_.find(task.file.file_path);
  std::set<int64_t> known;
  if (found != parts_.end()) {
    for (const Part& part : found->second) {
      known.insert(part.group);
      if (DeletesFor(task, part.group, part.gets_vector) != part.deletes) stale.insert(part.group);
    }
  }
  for (const DeleteFilePtr& file : task.deletes) {
    const auto input = inputs_.find(FileKey(file->file));
    if (input != inputs_.end() && !known.contains(input->second)) stale.insert(input->second);
  }
}

}  // namespace firn
