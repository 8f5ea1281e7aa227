#include "firn/maintain/compaction/rewrite_data_files.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "firn/base/log.h"
#include "firn/maintain/compaction/read_meter_internal.h"
#include "firn/maintain/compaction/rewrite_adoption_internal.h"
#include "firn/maintain/compaction/rewrite_commits_internal.h"

namespace firn {
namespace {

/// Runs the groups of a plan, several at a time, and hands on what they wrote.
class GroupRunner {
 public:
  GroupRunner(const MaintainContext& context, const Table& table, const CompactionPlan& plan,
              const RewriteDataFilesOptions& options, RewriteCommits& commits,
              RewriteJournal* journal, std::vector<GroupResult> adopted)
      : context_(context),
        table_(table),
        plan_(plan),
        options_(options),
        commits_(commits),
        journal_(journal),
        adopted_(std::move(adopted)) {
    progress_.phase = "rewriting";
    group_bytes_.resize(plan.groups.size());
    for (const FileGroup& group : plan.groups) {
      progress_.files_total += static_cast<int64_t>(group.inputs.size());
      progress_.bytes_total += group.input_bytes;
    }
  }

  Status Run() {
    Report();
    // Groups that were taken over are the last ones.
    const size_t written_here = plan_.groups.size() - adopted_.size();
    for (GroupResult& result : adopted_) {
      const FileGroup& group = plan_.groups[static_cast<size_t>(result.index)];
      FIRN_RETURN_IF_ERROR(commits_.Add(std::move(result)));
      AddDone(group);
    }
    return ParallelFor(
        *context_.commit.executor, written_here,
        [&](size_t i) { return RunGroup(plan_.groups[i]); }, context_.commit.cancel,
        ConcurrentGroups());
  }

 private:
  // A sort takes what memory there is, so that two of them would wait for each other.
  size_t ConcurrentGroups() const {
    if (options_.order.strategy != RewriteOrder::Strategy::kBinpack) return 1;
    return static_cast<size_t>(options_.max_concurrent_file_group_rewrites);
  }

  Status RunGroup(const FileGroup& group) {
    Table table = journal_ == nullptr ? table_ : journal_->ForGroup(group.index);
    table.io = MeterReads(table.io, group.inputs,
                          [this, &group](int64_t bytes) { AddRead(group, bytes); });
    Result<GroupResult> result = RunFileGroup(context_, table, group, options_.order);
    if (result.ok()) {
      if (journal_ != nullptr) journal_->AddFinished(group, *result);
      FIRN_RETURN_IF_ERROR(commits_.Add(std::move(*result)));
    } else {
      // Nothing is left of it, or what is left is evidence.
      if (journal_ != nullptr) journal_->Forget(group.index);
      if (!options_.has_partial_progress || result.error().code() == ErrorCode::kCancelled ||
          result.error().code() == ErrorCode::kInternal) {
        return result.error();
      }
      commits_.AddFailure(group, result.error());
    }
    AddDone(group);
    return {};
  }

  // Bytes of a group that were read. Some are read twice or never: its end sets that right.
  void AddRead(const FileGroup& group, int64_t bytes) {
    // Sorted rows are written when all are read.
    if (options_.order.strategy != RewriteOrder::Strategy::kBinpack) bytes /= 2;
    const std::lock_guard lock(mutex_);
    int64_t& done = group_bytes_[static_cast<size_t>(group.index)];
    const int64_t more = std::min(bytes, group.input_bytes - done);
    done += more;
    progress_.bytes_done += more;
    Report();
  }

  void AddDone(const FileGroup& group) {
    const std::lock_guard lock(mutex_);
    progress_.files_done += static_cast<int64_t>(group.inputs.size());
    int64_t& done = group_bytes_[static_cast<size_t>(group.index)];
    progress_.bytes_done += group.input_bytes - std::exchange(done, group.input_bytes);
    Report();
  }

  void Report() const {
    if (context_.progress) context_.progress(progress_);
  }

  const MaintainContext& context_;
  const Table& table_;
  const CompactionPlan& plan_;
  const RewriteDataFilesOptions& options_;
  RewriteCommits& commits_;
  RewriteJournal* const journal_;  // May be null.
  std::vector<GroupResult> adopted_;
  std::mutex mutex_;
  Progress progress_;
  std::vector<int64_t> group_bytes_;  // Of each group, how many count as done.
};

// Jobs that are smaller are done again rather than written down.
constexpr int64_t kJournalBytesMin = int64_t{1} << 30;

bool WantsJournal(const CompactionPlan& plan, const RewriteDataFilesOptions& options) {
  if (options.has_journal) return *options.has_journal;
  int64_t bytes = 0;
  for (const FileGroup& group : plan.groups)
    bytes += group.input_bytes;
  return bytes > kJournalBytesMin;
}

// A rewrite without journal is better than none.
std::unique_ptr<RewriteJournal> StartJournal(const MaintainContext& context, const Table& table,
                                             const std::string& signature) {
  auto journal = RewriteJournal::Start(context, table, signature);
  if (journal.ok()) return std::move(*journal);
  Log(LogLevel::kWarning, "the rewrite goes on without a journal: {}", journal.error().Format());
  return nullptr;
}

Result<RewriteDataFilesResult> RunPlan(const MaintainContext& context, const Table& table,
                                       const std::string& branch,
                                       const RewriteDataFilesOptions& options,
                                       const CompactionPlan& plan, RewriteJournal* journal,
                                       std::vector<GroupResult> adopted) {
  RewriteCommits commits(context, table, plan, branch, options, journal);
  GroupRunner runner(context, table, plan, options, commits, journal, std::move(adopted));
  if (const Status status = runner.Run(); !status.ok()) {
    commits.Abandon();
    return status.error();
  }
  return commits.Finish();
}

// So that people know that a second run costs less.
Error WithHint(const Error& error, size_t finished) {
  if (finished == 0) return error;
  return MakeError(error.code(),
                   "{} ({} finished groups are kept: the same command, run again within two days, "
                   "takes them over)",
                   error.message(), finished);
}

// Each result is of a group of the plan, and no two of one.
Status CheckResults(const CompactionPlan& plan, const RewriteDataFilesOptions& options,
                    const std::vector<GroupResult>& results) {
  std::vector<bool> is_there(plan.groups.size());
  for (const GroupResult& result : results) {
    const bool is_known =
        result.index >= 0 && result.index < static_cast<int64_t>(plan.groups.size());
    if (!is_known || is_there[static_cast<size_t>(result.index)]) {
      return MakeError(ErrorCode::kInvalidInput,
                       "{} for group {}, expected one for each of the {} groups of the plan",
                       is_known ? "two results" : "a result", result.index, plan.groups.size());
    }
    is_there[static_cast<size_t>(result.index)] = true;
  }
  if (options.has_partial_progress || results.size() == plan.groups.size()) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   "{} of {} groups have a result; only with partial progress can some be left out",
                   results.size(), plan.groups.size());
}

}  // namespace

Result<RewriteDataFilesResult> CommitGroupResults(const MaintainContext& context,
                                                  const Table& table, const std::string& branch,
                                                  const RewriteDataFilesOptions& options,
                                                  const CompactionPlan& plan,
                                                  std::vector<GroupResult> results) {
  FIRN_RETURN_IF_ERROR(CheckResults(plan, options, results));
  if (results.empty()) return RewriteDataFilesResult();
  RewriteCommits commits(context, table, plan, branch, options, nullptr);
  for (GroupResult& result : results) {
    if (const Status added = commits.Add(std::move(result)); !added.ok()) {
      commits.Abandon();
      return added.error();
    }
  }
  return commits.Finish();
}

Result<RewriteDataFilesResult> RewriteDataFiles(const MaintainContext& context, const Table& table,
                                                const std::string& branch,
                                                const ExpressionPtr& where,
                                                const RewriteDataFilesOptions& options) {
  FIRN_ASSIGN(CompactionPlan plan, PlanCompaction(context, table, branch, where, options));
  // With nothing left to do, a run that died behind its commit may still have left its journal.
  const bool tidies_up = options.has_journal.value_or(false);
  if (plan.groups.empty() && !tidies_up) return RewriteDataFilesResult();
  std::unique_ptr<RewriteJournal> journal;
  std::vector<GroupResult> adopted;
  if (WantsJournal(plan, options)) {
    const std::string signature = RewriteSignature(*table.metadata, options);
    journal = StartJournal(context, table, signature);
    if (journal != nullptr) {
      adopted = AdoptFinishedGroups(context, table, options, plan, signature, *journal);
    }
  }
  auto result = RunPlan(context, table, branch, options, plan, journal.get(), std::move(adopted));
  if (journal == nullptr) return result;
  const size_t finished = journal->End();
  if (!result.ok()) return WithHint(result.error(), finished);
  return result;
}

}  // namespace firn
