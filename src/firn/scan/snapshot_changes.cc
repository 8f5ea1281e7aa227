#include "firn/scan/snapshot_changes.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "firn/scan/metadata_table_internal.h"

namespace firn {
namespace {

constexpr std::string_view kReplace = "replace";

// Several deletion vectors may lie in one file.
std::string KeyOf(const DataFile& file) {
  return fmt::format("{}\n{}", file.file_path, file.content_offset.value_or(-1));
}

bool HasDeletes(const std::vector<ManifestFile>& manifests) {
  return std::any_of(manifests.begin(), manifests.end(), [](const ManifestFile& manifest) {
    return manifest.content == ManifestContent::kDeletes && manifest.has_live_files();
  });
}

class ChangePlanner {
 public:
  ChangePlanner(FileIO& io, const TableMetadata& metadata, const Snapshot& snapshot,
                Executor& executor, const CancelToken& cancel)
      : io_(io), metadata_(metadata), snapshot_(snapshot), executor_(executor), cancel_(cancel) {}

  Result<SnapshotChanges> Plan() {
    FIRN_ASSIGN(const auto manifests, ReadManifests(io_, snapshot_));
    for (const ManifestFile& manifest : manifests) {
      if (manifest.added_snapshot_id != snapshot_.snapshot_id) continue;
      FIRN_RETURN_IF_ERROR(cancel_.Check());
      FIRN_RETURN_IF_ERROR(ReadOwnManifest(manifest));
    }
    // A delete file of the parent is here, too, or was taken out by this snapshot.
    const bool had_deletes = HasDeletes(manifests) || !removed_deletes_.empty();
    if (!had_deletes) {
      TakeAll(removed_, changes_.removed);
      TakeAll(added_, changes_.added);
      return std::move(changes_);
    }
    if (!removed_.empty() || !removed_deletes_.empty()) FIRN_RETURN_IF_ERROR(PlanParent());
    FIRN_RETURN_IF_ERROR(PlanOwn());
    return std::move(changes_);
  }

 private:
  using TasksByPath = std::unordered_map<std::string, FileScanTask>;

  static void TakeAll(TasksByPath& from, std::vector<FileScanTask>& to) {
    for (auto& [path, task] : from)
      to.push_back(std::move(task));
  }

  static FileScanTask TaskOf(ManifestEntry& entry) {
    FileScanTask task;
    task.file = std::move(entry.file);
    task.sequence_number = entry.sequence_number.value_or(0);
    task.added_snapshot_id = entry.snapshot_id;
    return task;
  }

  Status ReadOwnManifest(const ManifestFile& manifest) {
    FIRN_ASSIGN(const ManifestSpec spec, FindManifestSpec(metadata_, manifest));
    const auto take = [&](ManifestEntry& entry) -> Status {
      const bool is_change =
          entry.status != EntryStatus::kExisting && entry.snapshot_id == snapshot_.snapshot_id;
      if (!is_change) return {};
      if (manifest.content == ManifestContent::kDeletes) {
        (entry.is_live() ? added_deletes_ : removed_deletes_).insert(KeyOf(entry.file));
        return {};
      }
      FileScanTask task = TaskOf(entry);
      std::string path = task.file.file_path;
      (entry.status == EntryStatus::kAdded ? added_ : removed_)
          .insert_or_assign(std::move(path), std::move(task));
      return {};
    };
    return ReadManifest(io_, manifest, *spec.partition_type,
                        {.with_metrics = false, .with_counted_columns = true}, take);
  }

  bool IsChangedBy(const FileScanTask& task, const std::unordered_set<std::string>& deletes) const {
    return !deletes.empty() &&
           std::any_of(task.deletes.begin(), task.deletes.end(), [&](const DeleteFilePtr& file) {
             return deletes.contains(KeyOf(file->file));
           });
  }

  Status PlanAll(const Snapshot& snapshot, const std::function<Status(FileScanTask&&)>& visit) {
    const ScanOptions options{.snapshot_id = snapshot.snapshot_id,
                              .schema = metadata_.current_schema(),
                              .with_residuals = false};
    FIRN_RETURN_IF_ERROR(PlanFiles(io_, metadata_, options, executor_, cancel_, visit));
    return {};
  }

  Status PlanParent();
  Status PlanOwn();

  FileIO& io_;
  const TableMetadata& metadata_;
  const Snapshot& snapshot_;
  Executor& executor_;
  const CancelToken& cancel_;
  TasksByPath added_;  // By path, as their entries tell.
  TasksByPath removed_;
  std::unordered_set<std::string> added_deletes_;
  std::unordered_set<std::string> removed_deletes_;
  TasksByPath undeleted_;  // Files of which deletes went, before.
  SnapshotChanges changes_;
};

// The rows that went with a file are those that were live in the parent.
Status ChangePlanner::PlanParent() {
  const Snapshot* parent = snapshot_.parent_snapshot_id
                               ? metadata_.FindSnapshot(*snapshot_.parent_snapshot_id)
                               : nullptr;
  if (parent == nullptr) {
    return MakeError(
        ErrorCode::kInvalidInput,
        "what it deleted cannot be told, since its parent has expired; begin after it");
  }
  return PlanAll(*parent, [this](FileScanTask&& task) -> Status {
    if (removed_.contains(task.file.file_path)) {
      changes_.removed.push_back(std::move(task));
    } else if (IsChangedBy(task, removed_deletes_)) {
      std::string path = task.file.file_path;
      undeleted_.insert_or_assign(std::move(path), std::move(task));
    }
    return {};
  });
}

Status ChangePlanner::PlanOwn() {
  return PlanAll(snapshot_, [this](FileScanTask&& task) -> Status {
    if (added_.contains(task.file.file_path)) {
      changes_.added.push_back(std::move(task));
      return {};
    }
    const auto undeleted = undeleted_.find(task.file.file_path);
    if (undeleted != undeleted_.end()) {
      changes_.changed.push_back({std::move(undeleted->second), std::move(task)});
    } else if (IsChangedBy(task, added_deletes_)) {
      FileScanTask before = task;
      std::erase_if(before.deletes, [this](const DeleteFilePtr& file) {
        return added_deletes_.contains(KeyOf(file->file));
      });
      changes_.changed.push_back({std::move(before), std::move(task)});
    }
    return {};
  });
}

}  // namespace

Result<SnapshotChanges> PlanSnapshotChanges(FileIO& io, const TableMetadata& metadata,
                                            const Snapshot& snapshot, Executor& executor,
                                            const CancelToken& cancel) {
  auto changes = ChangePlanner(io, metadata, snapshot, executor, cancel).Plan();
  if (!changes.ok()) {
    return changes.error().Within(fmt::format("changes of snapshot {}", snapshot.snapshot_id));
  }
  // In the order of paths, so that the same question has the same answer.
  const auto by_path = [](const FileScanTask& a, const FileScanTask& b) {
    return a.file.file_path < b.file.file_path;
  };
  std::sort(changes->added.begin(), changes->added.end(), by_path);
  std::sort(changes->removed.begin(), changes->removed.end(), by_path);
  std::sort(
      changes->changed.begin(), changes->changed.end(),
      [&](const ChangedDeletes& a, const ChangedDeletes& b) { return by_path(a.after, b.after); });
  return changes;
}

Result<std::vector<const Snapshot*>> FindChangingSnapshots(const TableMetadata& metadata,
                                                           std::optional<SnapshotId> start,
                                                           SnapshotId end) {
  const auto ancestors = AncestorsOf(metadata, end);
  if (ancestors.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     "snapshot {} is no snapshot of the table (it may have expired)", end);
  }
  std::vector<const Snapshot*> found;
  bool has_start = !start;
  for (const Snapshot* ancestor : ancestors) {
    has_start = has_start || ancestor->snapshot_id == *start;
    if (start && has_start) break;
    if (ancestor->operation != kReplace) found.push_back(ancestor);
    has_start = has_start || ancestor->parent_snapshot_id == start;  // Which may have expired.
  }
  if (!has_start) {
    return MakeError(ErrorCode::kInvalidInput,
                     "snapshot {} is not among the ancestors of {} that are known", *start, end);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace firn
