#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "firn/format/puffin/delete_reference.h"
#include "firn/maintain/compaction/obsolete_deletes_internal.h"

namespace firn {
namespace {

bool HasDeletes(const FileGroup& group) {
  return std::any_of(group.inputs.begin(), group.inputs.end(),
                     [](const FileScanTask& task) { return !task.deletes.empty(); });
}

std::vector<DeleteFilePtr> InOrder(std::map<std::string, DeleteFilePtr> files) {
  std::vector<DeleteFilePtr> ordered;
  for (auto& [key, file] : files)
    ordered.push_back(std::move(file));
  return ordered;
}

}  // namespace

Result<std::vector<DeleteFilePtr>> FindUnusedDeletes(const MaintainContext& context,
                                                     const Table& table, const Snapshot& snapshot,
                                                     const DeleteUses& uses) {
  FIRN_ASSIGN(std::vector<ManifestFile> manifests, ReadManifests(*table.io, snapshot));
  std::erase_if(manifests, [](const ManifestFile& manifest) {
    return manifest.content != ManifestContent::kDeletes;
  });
  const TableMetadata& metadata = *table.metadata;
  std::mutex mutex;
  std::map<std::string, DeleteFilePtr> unused;  // Ordered, so that plans do not vary.
  const auto read_manifest = [&](size_t index) -> Status {
    const ManifestFile& manifest = manifests[index];
    const PartitionSpecPtr spec = metadata.FindSpec(manifest.partition_spec_id);
    FIRN_CHECK(spec != nullptr);  // The scan has read the manifest.
    const TypePtr type = PartitionType(*spec, metadata.SchemasNewestFirst());
    const auto visit = [&](ManifestEntry& entry) -> Status {
      if (uses.IsUsed(entry.file)) return {};
      std::string key = FileKey(entry.file);
      DeleteFile unused_file{.file = std::move(entry.file),
                             .sequence_number = entry.sequence_number.value_or(0)};
      const std::lock_guard lock(mutex);
      unused.emplace(std::move(key), std::make_shared<const DeleteFile>(std::move(unused_file)));
      return {};
    };
    return ReadManifest(*table.io, manifest, *type, {.with_metrics = false, .with_deleted = false},
                        visit);
  };
  FIRN_RETURN_IF_ERROR(ParallelFor(*context.commit.executor, manifests.size(), read_manifest,
                                   context.commit.cancel));
  return InOrder(std::move(unused));
}

void DeleteUses::Add(const FileScanTask& task) {
  for (const DeleteFilePtr& file : task.deletes) {
    Use& use = uses_[FileKey(file->file)];
    use.file = file;
    ++use.count;
  }
}

void DeleteUses::Add(const std::vector<FileScanTask>& tasks) {
  for (const FileScanTask& task : tasks)
    Add(task);
}

void DeleteUses::Remove(const std::vector<FileScanTask>& tasks) {
  for (const FileScanTask& task : tasks) {
    for (const DeleteFilePtr& file : task.deletes) {
      const auto found = uses_.find(FileKey(file->file));
      if (found != uses_.end()) --found->second.count;
    }
  }
}

bool DeleteUses::IsUsed(const DataFile& file) const {
  const auto found = uses_.find(FileKey(file));
  return found != uses_.end() && found->second.count > 0;
}

std::vector<DeleteFilePtr> DeleteUses::Unused() const {
  std::map<std::string, DeleteFilePtr> unused;
  for (const auto& [key, use] : uses_) {
    if (use.count <= 0) unused.emplace(key, use.file);
  }
  return InOrder(std::move(unused));
}

Result<std::vector<DeleteFilePtr>> FindObsoleteDeletes(const MaintainContext& context,
                                                       const Table& table, const ScanOptions& scan,
                                                       const std::vector<FileGroup>& groups,
                                                       DeleteUses task_uses) {
  DeleteUses uses = std::move(task_uses);
  const bool is_filtered = scan.filter != nullptr;
  if (groups.empty() || (is_filtered && std::none_of(groups.begin(), groups.end(), HasDeletes))) {
    return std::vector<DeleteFilePtr>();
  }
  if (is_filtered) {  // The filter hides files that a delete applies to.
    ScanOptions unfiltered = scan;
    unfiltered.filter = nullptr;
    FIRN_ASSIGN(const std::vector<FileScanTask> all,
                PlanAllFiles(*table.io, *table.metadata, unfiltered, *context.commit.executor,
                             context.commit.cancel));
    uses = {};
    uses.Add(all);
  }
  for (const FileGroup& group : groups)
    uses.Remove(group.inputs);
  if (is_filtered) return uses.Unused();
  const Snapshot* snapshot = table.metadata->FindSnapshot(*scan.snapshot_id);
  FIRN_CHECK(snapshot != nullptr);
  return FindUnusedDeletes(context, table, *snapshot, uses);
}

}  // namespace firn
