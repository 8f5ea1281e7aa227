#include "firn/maintain/compaction/rewrite_data_files.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "firn/base/log.h"
#include "firn/maintain/compaction/read_meter_internal.h"
#include "firn/maintain/compaction/rewrite_adoption_internal.h"
#include "firn/maintain/compaction/rewrite_commits_internal.h"

namespace firn {
namespace {

/// Runs groups, several at a time, and hands on what they wrote.
class GroupRunner {
 public:
  GroupRunner(const MaintainContext& context, const Table& planned,
              const RewriteDataFilesOptions& options, RewriteCommits& commits,
              RewriteJournal* journal)
      : context_(context),
        planned_(planned),
        options_(options),
        commits_(commits),
        journal_(journal) {
    progress_.phase = "rewriting";
  }

  /// Groups that were written by somebody else.
  Status Add(std::vector<GroupResult> results) {
    for (const GroupResult& result : results)
      Expect(commits_.group(result.index));
    for (GroupResult& result : results) {
      const FileGroup& group = commits_.group(result.index);
      FIRN_RETURN_IF_ERROR(commits_.Add(std::move(result)));
      AddDone(group);
    }
    return {};
  }

  Status Run(const std::vector<int64_t>& groups) {
    for (const int64_t group : groups)
      Expect(commits_.group(group));
    Report();
    return ParallelFor(
        *context_.commit.executor, groups.size(),
        [&](size_t i) { return RunGroup(commits_.group(groups[i])); }, context_.commit.cancel,
        ConcurrentGroups());
  }

 private:
  // A sort takes what memory there is, so that two of them would wait for each other.
  size_t ConcurrentGroups() const {
    if (options_.order.strategy != RewriteOrder::Strategy::kBinpack) return 1;
    return static_cast<size_t>(options_.max_concurrent_file_group_rewrites);
  }

  Status RunGroup(const FileGroup& group) {
    Table table = commits_.table();
    if (journal_ != nullptr) table = journal_->ForGroup(std::move(table), group.index);
    table.io = MeterReads(table.io, group.inputs,
                          [this, &group](int64_t bytes) { AddRead(group, bytes); });
    Result<GroupResult> result = RunFileGroup(context_, table, group, options_.order);
    if (result.ok()) {
      if (journal_ != nullptr && IsAsPlanned()) journal_->AddFinished(group, *result);
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

  // The journal says once for all groups what they were written with.
  bool IsAsPlanned() const {
    const TableMetadata& now = *commits_.table().metadata;
    return &now == planned_.metadata.get() ||
           RewriteSignature(now, options_) == RewriteSignature(*planned_.metadata, options_);
  }

  void Expect(const FileGroup& group) {
    progress_.files_total += static_cast<int64_t>(group.inputs.size());
    progress_.bytes_total += group.input_bytes;
    group_bytes_[group.index] = 0;
  }

  // Bytes of a group that were read. Some are read twice or never: its end sets that right.
  void AddRead(const FileGroup& group, int64_t bytes) {
    // Sorted rows are written when all are read.
    if (options_.order.strategy != RewriteOrder::Strategy::kBinpack) bytes /= 2;
    const std::lock_guard lock(mutex_);
    int64_t& done = group_bytes_[group.index];
    const int64_t more = std::min(bytes, group.input_bytes - done);
    done += more;
    progress_.bytes_done += more;
    Report();
  }

  void AddDone(const FileGroup& group) {
    const std::lock_guard lock(mutex_);
    progress_.files_done += static_cast<int64_t>(group.inputs.size());
    int64_t& done = group_bytes_[group.index];
    progress_.bytes_done += group.input_bytes - std::exchange(done, group.input_bytes);
    Report();
  }

  void Report() const {
    if (context_.progress) context_.progress(progress_);
  }

  const MaintainContext& context_;
  const Table& planned_;
  const RewriteDataFilesOptions& options_;
  RewriteCommits& commits_;
  RewriteJournal* const journal_;  // May be null.
  std::mutex mutex_;
  Progress progress_;
  std::unordered_map<int64_t, int64_t> group_bytes_;  // Of each group, how many count as done.
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

// `groups` of the plan are run, and committed with those that are finished. What has met another
// writer is run again.
Result<RewriteDataFilesResult> RunPlan(const MaintainContext& context, const Table& table,
                                       const std::string& branch,
                                       const RewriteDataFilesOptions& options, CompactionPlan plan,
                                       RewriteJournal* journal, std::vector<GroupResult> finished,
                                       std::vector<int64_t> groups) {
  RewriteCommits commits(context, table, std::move(plan), branch, options, journal);
  GroupRunner runner(context, table, options, commits, journal);
  const auto run_and_commit = [&]() -> Result<std::vector<int64_t>> {
    FIRN_RETURN_IF_ERROR(runner.Add(std::exchange(finished, {})));
    FIRN_RETURN_IF_ERROR(runner.Run(groups));
    return commits.CommitRest();
  };
  for (;;) {
    Result<std::vector<int64_t>> again = run_and_commit();
    if (!again.ok()) {
      commits.Abandon();
      return again.error();
    }
    if (again->empty()) return commits.Finish();
    groups = std::move(*again);
  }
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
  return RunPlan(context, table, branch, options, plan, nullptr, std::move(results), {});
}

Result<RewriteDataFilesResult> RewriteDataFiles(const MaintainContext& context, const Table& table,
                                                const std::string& branch,
                                                const ExpressionPtr& where,
                                                const RewriteDataFilesOptions& options) {
  FIRN_ASSIGN(CompactionPlan plan, PlanCompaction(context, table, branch, where, options));
  // With nothing left to do, a run that died behind its commit may still have left its journal.
  const bool tidies_up = options.has_journal.value_or(false);
  const std::string reason =
      plan.groups.empty() ? DescribeNothingToDo(plan.survey, options) : std::string();
  if (plan.groups.empty() && !tidies_up) return RewriteDataFilesResult{.reason = reason};
  std::unique_ptr<RewriteJournal> journal;
  std::vector<GroupResult> adopted;
  if (WantsJournal(plan, options)) {
    const std::string signature = RewriteSignature(*table.metadata, options);
    journal = StartJournal(context, table, signature);
    if (journal != nullptr) {
      adopted = AdoptFinishedGroups(context, table, options, plan, signature, *journal);
    }
  }
  // Groups that were taken over are the last ones.
  std::vector<int64_t> groups(plan.groups.size() - adopted.size());
  std::iota(groups.begin(), groups.end(), int64_t{0});
  auto result = RunPlan(context, table, branch, options, std::move(plan), journal.get(),
                        std::move(adopted), std::move(groups));
  if (result.ok()) result->reason = reason;
  if (journal == nullptr) return result;
  const size_t finished = journal->End();
  if (!result.ok()) return WithHint(result.error(), finished);
  return result;
}

}  // namespace firn
