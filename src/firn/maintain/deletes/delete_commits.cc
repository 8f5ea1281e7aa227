#include <algorithm>
#include <unordered_set>
#include <utility>

#include "firn/base/log.h"
#include "firn/commit/rewrite_deletes.h"
#include "firn/format/puffin/delete_reference.h"
#include "firn/maintain/deletes/delete_commits_internal.h"
#include "firn/maintain/deletes/stale_groups_internal.h"
#include "firn/maintain/group_name_internal.h"

namespace firn {
namespace {

int64_t StartingSequenceNumber(const Table& table, SnapshotId starting_snapshot_id) {
  const Snapshot* snapshot = table.metadata->FindSnapshot(starting_snapshot_id);
  return snapshot == nullptr ? 0 : snapshot->sequence_number;
}

}  // namespace

int64_t OwnBytes(const DataFile& file) {
  return file.is_deletion_vector() ? file.content_size_in_bytes.value_or(0)
                                   : file.file_size_in_bytes;
}

std::vector<DataFile> FilesOf(const std::vector<DeleteFile>& deletes) {
  std::vector<DataFile> files;
  for (const DeleteFile& deletes_file : deletes)
    files.push_back(deletes_file.file);
  return files;
}

DeleteCommits::DeleteCommits(const MaintainContext& context, const Table& table,
                             DeleteRewritePlan plan, std::string branch,
                             const DeleteRewriteOptions& options, const DeletePlanner& planner)
    : context_(context),
      table_(table),
      table_of_round_(table),
      starting_snapshot_id_(plan.starting_snapshot_id),
      branch_(std::move(branch)),
      planner_(planner),
      batches_(*this, {.group_count = plan.groups.size(),
                       .has_partial_progress = options.has_partial_progress,
                       .max_commits = options.max_commits,
                       .rounds_max = RewriteRoundsMax(*table.metadata)}) {
  const int64_t number = StartingSequenceNumber(table, starting_snapshot_id_);
  for (DeleteGroup& group : plan.groups) {
    groups_.push_back({.group = std::move(group),
                       .result = {},
                       .snapshot_id = starting_snapshot_id_,
                       .sequence_number = number,
                       .format_version = table.metadata->format_version});
  }
}

Status DeleteCommits::Add(DeleteGroupResult result) {
  const int64_t index = result.index;
  state(index).result = std::move(result);
  return batches_.Add(index);
}

Status DeleteCommits::Commit(const std::vector<int64_t>& groups) {
  RewriteDeletesRequest request;
  request.branch = branch_;
  const int64_t oldest = *std::min_element(groups.begin(), groups.end(), [&](int64_t a, int64_t b) {
    return state(a).sequence_number < state(b).sequence_number;
  });
  request.starting_snapshot_id = state(oldest).snapshot_id;
  for (const int64_t index : groups) {
    const GroupState& group = state(index);
    for (const std::vector<DeleteFilePtr>* removed : {&group.group.inputs, &group.result.removed}) {
      request.removed_delete_files.insert(request.removed_delete_files.end(), removed->begin(),
                                          removed->end());
    }
    request.added_delete_files.insert(request.added_delete_files.end(), group.result.added.begin(),
                                      group.result.added.end());
  }
  FIRN_ASSIGN(const CommitResult committed, CommitRewriteDeletes(context_.commit, table_, request));
  Count(groups);
  result_.snapshot_id = committed.snapshot_id;
  ++result_.commit_count;
  return {};
}

void DeleteCommits::Count(const std::vector<int64_t>& groups) {
  for (const int64_t index : groups) {
    const GroupState& group = state(index);
    for (const std::vector<DeleteFilePtr>* removed : {&group.group.inputs, &group.result.removed}) {
      for (const DeleteFilePtr& file : *removed) {
        const bool is_equality = file->file.content == FileContent::kEqualityDeletes;
        ++(is_equality ? result_.converted_equality_deletes : result_.rewritten_position_deletes);
        result_.rewritten_bytes += OwnBytes(file->file);
      }
    }
    result_.added_position_deletes += static_cast<int32_t>(group.result.added.size());
    for (const DeleteFile& file : group.result.added)
      result_.added_bytes += OwnBytes(file.file);
  }
}

void DeleteCommits::Discard(int64_t group) {
  DiscardOutputs(*table_.io, FilesOf(state(group).result.added));
}

std::string DeleteCommits::NameOf(int64_t group) const {
  return NameGroup(group, state(group).group.partition_path) + " of delete files";
}

Result<std::vector<int64_t>> DeleteCommits::FindConflicts(const std::vector<int64_t>& groups) {
  FIRN_ASSIGN(const LiveBranch live,
              LoadLiveBranch(context_, table_, branch_, starting_snapshot_id_));
  return FindStale(live, groups);
}

// The others are from then on as if they were written for the table as it is.
Result<std::vector<int64_t>> DeleteCommits::FindStale(const LiveBranch& live,
                                                      const std::vector<int64_t>& groups) {
  StaleGroups known;
  for (const int64_t index : groups)
    known.Add(state(index).group, state(index).result);
  FIRN_ASSIGN(const std::set<int64_t> found, known.Find(context_, live));
  std::vector<int64_t> stale;
  for (const int64_t index : groups) {
    GroupState& group = state(index);
    if (found.contains(index) || group.format_version != live.table.metadata->format_version) {
      stale.push_back(index);
      continue;
    }
    group.snapshot_id = live.snapshot_id;
    group.sequence_number = live.sequence_number;
  }
  return stale;
}

Result<std::vector<int64_t>> DeleteCommits::Replan(const std::vector<int64_t>& groups,
                                                   const std::vector<int64_t>& kept) {
  FIRN_ASSIGN(const LiveBranch live,
              LoadLiveBranch(context_, table_, branch_, starting_snapshot_id_));
  DeleteFileKeys only;
  for (const int64_t index : groups) {
    for (const DeleteFilePtr& file : state(index).group.inputs)
      only.insert(FileKey(file->file));
  }
  FIRN_ASSIGN(DeleteRewritePlan plan, planner_(live.table, &only));
  FIRN_RETURN_IF_ERROR(CheckDisjoint(plan, kept));
  // What has become stale meanwhile is found by the commit.
  FIRN_ASSIGN([[maybe_unused]] const std::vector<int64_t> stale, FindStale(live, kept));
  std::vector<int64_t> again;
  for (DeleteGroup& group : plan.groups) {
    group.index = static_cast<int64_t>(groups_.size());
    again.push_back(group.index);
    groups_.push_back({.group = std::move(group),
                       .result = {},
                       .snapshot_id = live.snapshot_id,
                       .sequence_number = live.sequence_number,
                       .format_version = live.table.metadata->format_version});
  }
  table_of_round_ = live.table;
  Log(LogLevel::kInfo, "{} groups of delete files are done again as {}", groups.size(),
      again.size());
  return again;
}

// Two vectors for one data file must not come into one commit.
Status DeleteCommits::CheckDisjoint(const DeleteRewritePlan& plan,
                                    const std::vector<int64_t>& kept) const {
  std::unordered_set<std::string_view> targets;
  for (const int64_t index : kept) {
    for (const DeleteFile& file : state(index).result.added) {
      if (file.file.is_deletion_vector()) targets.insert(ReferencedDataFile(file.file));
    }
  }
  for (const DeleteGroup& group : plan.groups) {
    for (const FileScanTask& task : group.tasks) {
      if (!targets.contains(task.file.file_path)) continue;
      return MakeError(ErrorCode::kCommitConflict,
                       "data file '{}' has got deletes of two groups; run the operation again",
                       task.file.file_path);
    }
  }
  return {};
}

Result<DeleteRewriteResult> DeleteCommits::Finish() {
  FIRN_RETURN_IF_ERROR(batches_.CheckAnyCommitted(result_.commit_count));
  return result_;
}

void DeleteCommits::Abandon() {
  for (const int64_t group : batches_.TakeWaiting())
    Discard(group);
}

}  // namespace firn
