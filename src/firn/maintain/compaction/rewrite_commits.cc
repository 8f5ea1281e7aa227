#include <algorithm>
#include <unordered_set>
#include <utility>

#include "firn/base/log.h"
#include "firn/commit/rewrite_files.h"
#include "firn/format/puffin/delete_reference.h"
#include "firn/maintain/compaction/compaction_internal.h"
#include "firn/maintain/compaction/rewrite_commits_internal.h"
#include "firn/maintain/group_name_internal.h"

namespace firn {
namespace {

// Keys of the delete files that apply to inputs of the group, each once.
std::unordered_set<std::string> DeletesOf(const FileGroup& group) {
  std::unordered_set<std::string> keys;
  for (const FileScanTask& task : group.inputs) {
    for (const DeleteFilePtr& file : task.deletes)
      keys.insert(FileKey(file->file));
  }
  return keys;
}

}  // namespace

RewriteCommits::RewriteCommits(const MaintainContext& context, const Table& table,
                               CompactionPlan plan, std::string branch,
                               const RewriteDataFilesOptions& options, RewriteJournal* journal)
    : context_(context),
      table_(table),
      table_of_round_(table),
      starting_snapshot_id_(plan.starting_snapshot_id),
      starting_sequence_number_(plan.starting_sequence_number),
      branch_(std::move(branch)),
      options_(options),
      journal_(journal),
      obsolete_deletes_(std::move(plan.obsolete_deletes)),
      groups_left_(plan.groups.size()),
      batches_(*this, {.group_count = plan.groups.size(),
                       .has_partial_progress = options.has_partial_progress,
                       .max_commits = options.max_commits,
                       .rounds_max = RewriteRoundsMax(*table.metadata)}) {
  for (FileGroup& group : plan.groups) {
    for (const std::string& key : DeletesOf(group))
      ++delete_uses_[key];
    groups_.push_back({std::move(group), {}, starting_sequence_number_});
  }
}

bool RewriteCommits::keeps_number() const {
  return options_.use_starting_sequence_number && table_.metadata->format_version >= 2;
}

Status RewriteCommits::Add(GroupResult result) {
  const int64_t index = result.index;
  state(index).result = std::move(result);
  return batches_.Add(index);
}

RewriteFilesRequest RewriteCommits::MakeRequest(const std::vector<int64_t>& groups) const {
  RewriteFilesRequest request;
  request.branch = branch_;
  request.starting_snapshot_id = starting_snapshot_id_;
  // Also of groups that were read later: deletes that they have read apply to them once more.
  if (keeps_number()) request.data_sequence_number = starting_sequence_number_;
  std::unordered_map<std::string, size_t> uses_in_batch;
  for (const int64_t index : groups) {
    const auto& [group, result, number] = state(index);
    for (const FileScanTask& task : group.inputs)
      request.removed_data_files.push_back(task.file);
    request.added_data_files.insert(request.added_data_files.end(), result.outputs.begin(),
                                    result.outputs.end());
    for (const std::string& key : DeletesOf(group))
      ++uses_in_batch[key];
  }
  // A delete file goes with the last group that it applies to; one that applied to nothing before
  // goes with the last commit.
  const bool is_last = groups_left_ == groups.size();
  for (const DeleteFilePtr& file : obsolete_deletes_) {
    const auto uses = delete_uses_.find(FileKey(file->file));
    const auto in_batch = uses_in_batch.find(FileKey(file->file));
    const size_t left = uses == delete_uses_.end() ? 0 : uses->second;
    const size_t now = in_batch == uses_in_batch.end() ? 0 : in_batch->second;
    if (left == now && (now > 0 || is_last)) request.removed_delete_files.push_back(file);
  }
  return request;
}

Status RewriteCommits::Commit(const std::vector<int64_t>& groups) {
  std::vector<int64_t> read_sequence_numbers;
  for (const int64_t index : groups) {
    const GroupState& group = state(index);
    read_sequence_numbers.insert(read_sequence_numbers.end(), group.group.inputs.size(),
                                 group.read_sequence_number);
  }
  FIRN_ASSIGN(
      const CommitResult committed,
      CommitRewriteFiles(context_.commit, table_, MakeRequest(groups), read_sequence_numbers));
  Count(groups, committed);
  for (const int64_t index : groups) {
    if (journal_ != nullptr) journal_->Forget(index);
  }
  return {};
}

void RewriteCommits::Count(const std::vector<int64_t>& groups, const CommitResult& committed) {
  for (const int64_t index : groups) {
    const auto& [group, result, number] = state(index);
    result_.rewritten_data_files_count += static_cast<int32_t>(group.inputs.size());
    result_.rewritten_bytes_count += group.input_bytes;
    result_.added_data_files_count += static_cast<int32_t>(result.outputs.size());
    for (const FileScanTask& task : group.inputs)
      result_.rewritten.Add(task.file.file_size_in_bytes);
    for (const DataFile& file : result.outputs)
      result_.added.Add(file.file_size_in_bytes);
    for (const std::string& key : DeletesOf(group))
      --delete_uses_[key];
  }
  groups_left_ -= groups.size();
  result_.removed_delete_files_count += static_cast<int32_t>(committed.removed_delete_files);
  result_.snapshot_id = committed.snapshot_id;
  ++result_.commit_count;
}

void RewriteCommits::CountFailed(int64_t group) {
  result_.failed_data_files_count += static_cast<int32_t>(state(group).group.inputs.size());
}

std::string RewriteCommits::NameOf(int64_t group) const {
  return NameGroup(group, state(group).group.partition_path);
}

void RewriteCommits::Discard(int64_t group) {
  const GroupResult& result = state(group).result;
  const bool is_ours = journal_ == nullptr || journal_->ClaimForGood(group);
  if (is_ours && !result.may_be_committed) DiscardOutputs(*table_.io, result.outputs);
  if (journal_ != nullptr) journal_->Forget(group);
}

void RewriteCommits::Release(int64_t group) {
  if (journal_ != nullptr) journal_->Release(group);
}

// Leave what no other run has taken over.
Status RewriteCommits::Claim(std::vector<int64_t>& groups) {
  if (journal_ == nullptr) return {};
  std::vector<int64_t> ours;
  std::optional<int64_t> lost;
  for (const int64_t group : groups) {
    FIRN_ASSIGN(const bool is_ours, journal_->Claim(group));
    if (is_ours) {
      ours.push_back(group);
      continue;
    }
    lost = group;
    CountFailed(group);
    Log(LogLevel::kWarning, "{} was taken over by another run", NameOf(group));
  }
  groups = std::move(ours);
  if (!lost || options_.has_partial_progress) return {};
  for (const int64_t group : groups)
    Discard(group);
  return MakeError(ErrorCode::kCommitConflict,
                   "group {} was taken over by another rewrite of this table, which took this one "
                   "for ended; nothing was committed",
                   *lost);
}

Result<LiveInputs> RewriteCommits::ReadLive(std::vector<int64_t> groups) const {
  std::vector<const FileGroup*> asked;
  for (const int64_t index : groups)
    asked.push_back(&group(index));
  return ReadLiveInputs(context_, table_, branch_, starting_snapshot_id_, asked);
}

Result<std::vector<int64_t>> RewriteCommits::FindConflicts(const std::vector<int64_t>& groups) {
  FIRN_ASSIGN(const LiveInputs live, ReadLive(groups));
  std::vector<int64_t> conflicting;
  for (const int64_t index : groups) {
    GroupState& group = state(index);
    switch (StandingOf(group.group, group.read_sequence_number, keeps_number(), live)) {
      case GroupStanding::kConflict:
        conflicting.push_back(index);
        break;
      case GroupStanding::kUpToDate:
        group.read_sequence_number = live.branch.sequence_number;
        break;
      // What becomes of the equality deletes from here on is still to be watched.
      case GroupStanding::kBehind:
        break;
    }
  }
  return conflicting;
}

Result<std::vector<int64_t>> RewriteCommits::Replan(const std::vector<int64_t>& groups,
                                                    const std::vector<int64_t>& kept) {
  std::vector<int64_t> uncommitted = kept;
  uncommitted.insert(uncommitted.end(), groups.begin(), groups.end());
  FIRN_ASSIGN(LiveInputs live, ReadLive(std::move(uncommitted)));
  for (const int64_t index : groups)
    FIRN_RETURN_IF_ERROR(CheckFits(*live.branch.table.metadata, index));
  std::vector<int64_t> again;
  for (const int64_t index : groups) {
    if (const auto number = AddAgain(state(index), live)) again.push_back(*number);
  }
  for (const int64_t index : kept)
    Refresh(state(index), live);
  groups_left_ = groups_left_ - groups.size() + again.size();
  table_of_round_ = live.branch.table;
  uncommitted = kept;
  uncommitted.insert(uncommitted.end(), again.begin(), again.end());
  RefreshObsoleteDeletes(uncommitted, std::move(live));
  return again;
}

// What a group is written with came from the table as it was.
Status RewriteCommits::CheckFits(const TableMetadata& metadata, int64_t group) const {
  const int32_t spec_id = state(group).group.output_spec_id;
  if (metadata.FindSpec(spec_id) == nullptr) {
    return MakeError(ErrorCode::kCommitConflict, "partition spec {} is gone", spec_id);
  }
  std::vector<int32_t> ids = options_.order.columns;
  for (const SortField& field : options_.order.sort_order.fields)
    ids.insert(ids.end(), field.source_ids.begin(), field.source_ids.end());
  for (const int32_t id : ids) {
    if (metadata.current_schema()->FindField(id) != nullptr) continue;
    return MakeError(ErrorCode::kCommitConflict,
                     "the column with id {}, by which rows are arranged, is gone", id);
  }
  return {};
}

// The group with what is left of its inputs, if it is worth it.
std::optional<int64_t> RewriteCommits::AddAgain(const GroupState& old, const LiveInputs& live) {
  std::vector<FileScanTask> inputs;
  for (const FileScanTask& input : old.group.inputs) {
    if (const FileScanTask* task = live.Find(input)) inputs.push_back(*task);
  }
  const size_t left = inputs.size();
  FileGroup group = MakePartOfGroup(old.group, std::move(inputs), options_);
  const bool is_whole = left == old.group.inputs.size();
  if (left == 0 || (!is_whole && !IsWorthRewriting(group, options_))) {
    Log(LogLevel::kWarning, "{} is left as others made it: {} of its {} files are still there",
        NameOf(old.group.index), left, old.group.inputs.size());
    return std::nullopt;
  }
  group.index = static_cast<int64_t>(groups_.size());
  groups_.push_back({std::move(group), {}, live.branch.sequence_number});
  return groups_.back().group.index;
}

// Deletes of the inputs become those that there are now and that were read.
void RewriteCommits::Refresh(GroupState& kept, const LiveInputs& live) const {
  if (StandingOf(kept.group, kept.read_sequence_number, keeps_number(), live) ==
      GroupStanding::kUpToDate) {
    kept.read_sequence_number = live.branch.sequence_number;
  }
  for (FileScanTask& input : kept.group.inputs) {
    const FileScanTask* task = live.Find(input);
    input.deletes.clear();
    if (task == nullptr) continue;  // Which is the next conflict.
    for (const DeleteFilePtr& file : task->deletes) {
      if (file->sequence_number <= kept.read_sequence_number) input.deletes.push_back(file);
    }
  }
}

// As the planner would find them for these groups, and what was found to apply to nothing before.
void RewriteCommits::RefreshObsoleteDeletes(const std::vector<int64_t>& uncommitted,
                                            LiveInputs live) {
  delete_uses_.clear();
  for (const int64_t index : uncommitted) {
    live.uses.Remove(group(index).inputs);
    for (const std::string& key : DeletesOf(group(index)))
      ++delete_uses_[key];
  }
  std::vector<DeleteFilePtr> obsolete = live.uses.Unused();
  std::unordered_set<std::string> keys;
  for (const DeleteFilePtr& file : obsolete)
    keys.insert(FileKey(file->file));
  for (const DeleteFilePtr& file : obsolete_deletes_) {
    if (live.uses.IsUsed(file->file) || keys.contains(FileKey(file->file))) continue;
    obsolete.push_back(file);
  }
  obsolete_deletes_ = std::move(obsolete);
}

Result<RewriteDataFilesResult> RewriteCommits::Finish() {
  const std::optional<Error>& failure = batches_.first_failure();
  if (batches_.failed_commits() > options_.max_failed_commits) {
    return MakeError(failure->code(),
                     "{} commits failed, {} are allowed (partial-progress.max-failed-commits), {} "
                     "succeeded and stay; the first failure: {}",
                     batches_.failed_commits(), options_.max_failed_commits, result_.commit_count,
                     failure->message());
  }
  FIRN_RETURN_IF_ERROR(batches_.CheckAnyCommitted(result_.commit_count));
  return result_;
}

void RewriteCommits::Abandon() {
  for (const int64_t group : batches_.TakeWaiting()) {
    if (journal_ == nullptr) DiscardOutputs(*table_.io, state(group).result.outputs);
  }
}

}  // namespace firn
