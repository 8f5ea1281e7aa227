#include <utility>

#include "firn/maintain/compaction/live_inputs_internal.h"

namespace firn {

const FileScanTask* LiveInputs::Find(const FileScanTask& planned) const {
  const auto found = tasks.find(planned.file.file_path);
  if (found == tasks.end()) return nullptr;
  // With another number other deletes apply to it.
  return found->second.sequence_number == planned.sequence_number ? &found->second : nullptr;
}

GroupStanding StandingOf(const FileGroup& group, int64_t read_sequence_number, bool keeps_number,
                         const LiveInputs& live) {
  GroupStanding standing = GroupStanding::kUpToDate;
  for (const FileScanTask& input : group.inputs) {
    const FileScanTask* task = live.Find(input);
    if (task == nullptr) return GroupStanding::kConflict;
    for (const DeleteFilePtr& file : task->deletes) {
      if (file->sequence_number <= read_sequence_number) continue;
      const bool stays_in_force =
          keeps_number && file->file.content == FileContent::kEqualityDeletes;
      if (!stays_in_force) return GroupStanding::kConflict;
      standing = GroupStanding::kBehind;
    }
  }
  return standing;
}

Result<LiveInputs> ReadLiveInputs(const MaintainContext& context, const Table& planned,
                                  const std::string& branch, SnapshotId starting_snapshot_id,
                                  const std::vector<const FileGroup*>& groups) {
  LiveInputs live;
  FIRN_ASSIGN(live.branch, LoadLiveBranch(context, planned, branch, starting_snapshot_id));
  std::unordered_set<std::string_view> wanted;
  for (const FileGroup* group : groups) {
    for (const FileScanTask& task : group->inputs)
      wanted.insert(task.file.file_path);
  }
  const Table& table = live.branch.table;
  ScanOptions scan;
  scan.snapshot_id = live.branch.snapshot_id;
  scan.with_residuals = false;
  FIRN_ASSIGN([[maybe_unused]] const ScanStatistics statistics,
              PlanFiles(*table.io, *table.metadata, scan, *context.commit.executor,
                        context.commit.cancel, [&](FileScanTask&& task) -> Status {
                          live.uses.Add(task);
                          if (wanted.contains(task.file.file_path)) {
                            std::string path = task.file.file_path;
                            live.tasks.emplace(std::move(path), std::move(task));
                          }
                          return {};
                        }));
  return live;
}

}  // namespace firn
