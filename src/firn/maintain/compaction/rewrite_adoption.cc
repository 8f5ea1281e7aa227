#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "firn/base/log.h"
#include "firn/io/discard_files.h"
#include "firn/io/uri.h"
#include "firn/maintain/compaction/compaction_internal.h"
#include "firn/maintain/compaction/journal_reader_internal.h"
#include "firn/maintain/compaction/rewrite_adoption_internal.h"

namespace firn {
namespace {

// A run on another machine that has written nothing for so long is taken to have ended.
constexpr std::chrono::hours kSilence{1};

/// Takes inputs of finished groups out of the groups of a plan.
class PlanEditor {
 public:
  PlanEditor(CompactionPlan& plan, const RewriteDataFilesOptions& options)
      : plan_(plan), options_(options) {
    for (size_t group = 0; group < plan.groups.size(); ++group) {
      const auto& inputs = plan.groups[group].inputs;
      for (size_t i = 0; i < inputs.size(); ++i)
        places_.emplace(inputs[i].file.file_path, Place{.group = group, .input = i});
    }
  }

  /// The group that consists of just these inputs, if the plan has all of them, as they were, for
  /// one place; they are not taken yet.
  std::optional<FileGroup> Find(const std::vector<FinishedInput>& inputs) const {
    std::vector<FileScanTask> tasks;
    const FileGroup* first = nullptr;
    for (const FinishedInput& input : inputs) {
      const auto place = places_.find(input.path);
      if (place == places_.end()) return std::nullopt;
      const FileGroup& group = plan_.groups[place->second.group];
      const FileScanTask& task = group.inputs[place->second.input];
      const bool is_same = task.sequence_number == input.sequence_number &&
                           task.file.file_size_in_bytes == input.bytes &&
                           DeleteKeysOf(task) == input.deletes;
      if (first == nullptr) first = &group;
      if (!is_same || group.partition.has_value() != first->partition.has_value() ||
          (group.partition && group.partition->fields != first->partition->fields)) {
        return std::nullopt;
      }
      tasks.push_back(task);
    }
    if (first == nullptr) return std::nullopt;
    return MakePartOfGroup(*first, std::move(tasks), options_);
  }

  /// `group`, of `Find`, is done.
  void Take(FileGroup group, GroupResult result) {
    for (const FileScanTask& task : group.inputs)
      places_.erase(task.file.file_path);
    taken_.emplace_back(std::move(group), std::move(result));
  }

  /// Move what was taken behind the groups that are left, and number all.
  std::vector<GroupResult> Finish() {
    std::vector<GroupResult> results;
    if (taken_.empty()) return results;
    std::vector<FileGroup> left;
    for (FileGroup& group : plan_.groups) {
      std::vector<FileScanTask> inputs;
      for (const FileScanTask& task : group.inputs) {
        if (places_.contains(task.file.file_path)) inputs.push_back(task);
      }
      if (inputs.size() == group.inputs.size()) {
        left.push_back(std::move(group));
      } else if (!inputs.empty()) {
        left.push_back(MakePartOfGroup(group, std::move(inputs), options_));
      }
    }
    for (auto& [group, result] : taken_) {
      result.index = static_cast<int64_t>(left.size());
      results.push_back(std::move(result));
      left.push_back(std::move(group));
    }
    plan_.groups = std::move(left);
    RenumberGroups(plan_);
    return results;
  }

 private:
  struct Place {
    size_t group = 0;
    size_t input = 0;
  };

  CompactionPlan& plan_;
  const RewriteDataFilesOptions& options_;
  std::unordered_map<std::string, Place> places_;
  std::vector<std::pair<FileGroup, GroupResult>> taken_;
};

/// Goes through the journals of other runs.
class Adoption {
 public:
  Adoption(const MaintainContext& context, const Table& table, const std::string& signature,
           PlanEditor& editor)
      : context_(context), table_(table), signature_(signature), editor_(editor) {}

  Status Take(const std::string& location, const JournalFiles& files) {
    const Result<JournalOwner> owner =
        ReadJournalOwner(io(), JoinUri(location, JournalOwnerName()));
    if (!owner.ok() && owner.error().code() == ErrorCode::kNotFound) {
      RemoveJournal(io(), location, files.uris);
      return {};
    }
    if (!owner.ok() && owner.error().code() != ErrorCode::kCorrupt) return owner.error();
    const ProcessState state = FindOwner(io(), location, owner.ok() ? &*owner : nullptr);
    const bool is_gone = state == ProcessState::kEnded;
    if (!owner.ok()) {
      // What it has written cannot be compared; if it is over, nobody will commit it any more.
      if (!is_gone) return owner.error();
      return TakeGroups(location, files, /*is_alike=*/false, is_gone);
    }
    if (owner->table_uuid != table_.metadata->table_uuid) return {};
    if (!owner->is_released && !HasEnded(state, files)) return {};
    return TakeGroups(location, files, owner->signature == signature_ && IsFresh(files), is_gone);
  }

  /// To be called when what was taken over stands in the journal of this run.
  void Close() {
    for (Closing& closing : closings_)
      Close(closing);
  }

 private:
  struct Closing {
    std::string location;
    JournalFiles files;
    std::set<int64_t> ours;
  };

  Status TakeGroups(const std::string& location, const JournalFiles& files, bool is_alike,
                    bool is_gone) {
    std::set<int64_t> ours;
    for (const int64_t group : files.Groups()) {
      FIRN_ASSIGN(const bool is_ours, Claim(location, JournalClaimName(group)));
      if (is_ours) {
        FIRN_RETURN_IF_ERROR(TakeGroup(location, files, group, is_alike));
        ours.insert(group);
        continue;
      }
      // Its owner may have died while it committed the group. What another run took over is that
      // one's, whatever became of the owner.
      if (!is_gone) continue;
      FIRN_ASSIGN(const bool is_owners, IsClaimOfOwner(location, group));
      if (!is_owners) continue;
      FIRN_ASSIGN(const bool is_left_to_us, Claim(location, JournalSecondClaimName(group)));
      if (!is_left_to_us) continue;
      TakeClaimedGroup(location, group, is_alike);
      ours.insert(group);
    }
    closings_.push_back({location, files, std::move(ours)});
    return {};
  }

  FileIO& io() const { return *table_.io; }

  bool HasEnded(ProcessState state, const JournalFiles& files) const {
    if (state != ProcessState::kUnknown) return state == ProcessState::kEnded;
    return files.newest && context_.commit.clock->Now() - *files.newest > kSilence;
  }

  // After this nobody else may commit or delete what the group wrote.
  Result<bool> Claim(const std::string& location, const std::string& name) const {
    const Status claim =
        WriteFile(io(), JoinUri(location, name), AsBytes(kClaimOfLaterRun), {.exclusive = true});
    if (claim.ok()) return true;
    if (claim.error().code() == ErrorCode::kAlreadyExists) return false;
    return claim.error();
  }

  Result<bool> IsClaimOfOwner(const std::string& location, int64_t group) const {
    const auto claim = ReadJournalText(io(), JoinUri(location, JournalClaimName(group)));
    if (claim.ok()) return *claim == kClaimOfOwner;
    if (claim.error().code() == ErrorCode::kNotFound) return false;
    return claim.error();
  }

  // What was listed may have been committed since: only what is read behind the claim counts.
  Status TakeGroup(const std::string& location, const JournalFiles& files, int64_t group,
                   bool is_alike) {
    std::vector<std::string> outputs;
    if (const auto notes = files.outputs.find(group); notes != files.outputs.end()) {
      for (const std::string& name : notes->second) {
        Result<std::string> uri = ReadJournalText(io(), JoinUri(location, name));
        if (uri.ok()) {
          outputs.push_back(std::move(*uri));
        } else if (uri.error().code() != ErrorCode::kNotFound) {
          return uri.error();
        }
      }
    }
    const auto entry =
        ReadFinishedGroup(io(), *table_.metadata, JoinUri(location, JournalEntryName(group)));
    if (entry.ok()) {
      if ((is_alike && Adopt(*entry)) || entry->may_be_committed) return {};
      for (const FinishedOutput& output : entry->outputs)
        outputs.push_back(output.file.file_path);
    }
    std::erase_if(outputs, [&](const std::string& uri) { return adopted_.contains(uri); });
    DiscardFiles(io(), outputs, "an output of a run that ended");
    return {};
  }

  // A catalog may still answer the owner's last request, so nothing of the group is ever deleted.
  void TakeClaimedGroup(const std::string& location, int64_t group, bool is_alike) {
    auto entry =
        ReadFinishedGroup(io(), *table_.metadata, JoinUri(location, JournalEntryName(group)));
    if (!entry.ok() || !is_alike) return;
    entry->may_be_committed = true;
    (void)Adopt(*entry);
  }

  bool IsFresh(const JournalFiles& files) const {
    return files.oldest && context_.commit.clock->Now() - *files.oldest < kJournalAgeMax;
  }

  bool Adopt(const FinishedGroup& finished) {
    std::optional<FileGroup> group = editor_.Find(finished.inputs);
    if (!group) return false;
    std::vector<DataFile> outputs;
    for (const FinishedOutput& output : finished.outputs) {
      const Result<uint32_t> checksum = TailChecksum(io(), output.file);
      if (!checksum.ok() || *checksum != output.checksum) return false;
      outputs.push_back(output.file);
    }
    if (const Status same = VerifyGroup(context_, table_, *group, outputs); !same.ok()) {
      Log(LogLevel::kWarning, "a group of an earlier run is written again: {}",
          same.error().Format());
      return false;
    }
    for (const DataFile& file : outputs)
      adopted_.insert(file.file_path);
    editor_.Take(std::move(*group),
                 {.outputs = std::move(outputs), .may_be_committed = finished.may_be_committed});
    return true;
  }

  void Close(Closing& closing) {
    for (const int64_t group : closing.ours) {
      closing.files.uris.push_back(JoinUri(closing.location, JournalClaimName(group)));
      closing.files.uris.push_back(JoinUri(closing.location, JournalSecondClaimName(group)));
    }
    RemoveJournal(io(), closing.location, closing.files.uris);
  }

  const MaintainContext& context_;
  const Table& table_;
  const std::string& signature_;
  PlanEditor& editor_;
  std::set<std::string> adopted_;  // Paths of outputs.
  std::vector<Closing> closings_;
};

}  // namespace

std::vector<GroupResult> AdoptFinishedGroups(const MaintainContext& context, const Table& table,
                                             const RewriteDataFilesOptions& options,
                                             CompactionPlan& plan, const std::string& signature,
                                             RewriteJournal& journal) {
  const std::string location = JournalsLocation(*table.metadata);
  const auto journals = ListJournals(*table.io, location);
  if (!journals.ok()) {
    Log(LogLevel::kWarning, "earlier runs are not looked for: {}", journals.error().Format());
    return {};
  }
  PlanEditor editor(plan, options);
  Adoption adoption(context, table, signature, editor);
  for (const auto& [place, files] : *journals) {
    if (place == journal.location()) continue;
    if (const Status status = adoption.Take(place, files); !status.ok()) {
      Log(LogLevel::kWarning, "the journal '{}' of an earlier run is left as it is: {}", place,
          status.error().Format());
    }
  }
  std::vector<GroupResult> results = editor.Finish();
  for (const GroupResult& result : results)
    journal.AddAdopted(plan.groups[static_cast<size_t>(result.index)], result);
  adoption.Close();
  if (!results.empty()) {
    Log(LogLevel::kWarning, "{} groups that an earlier run had finished are taken over",
        results.size());
  }
  return results;
}

}  // namespace firn
