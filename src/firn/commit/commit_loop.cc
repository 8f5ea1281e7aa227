#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "firn/base/log.h"
#include "firn/base/retry.h"
#include "firn/base/text.h"
#include "firn/commit/commit_attempt_internal.h"
#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/summary_keys_internal.h"

namespace firn {
namespace {

using std::chrono::milliseconds;

Result<RetryPolicy> ReadPolicy(const TableMetadata& metadata, std::string_view prefix,
                               RetryPolicy policy) {
  const auto read = [&](std::string_view key, int64_t fallback) {
    return metadata.IntProperty(fmt::format("{}.{}", prefix, key), fallback);
  };
  FIRN_ASSIGN(const int64_t count, read("num-retries", policy.retry_count_max));
  FIRN_ASSIGN(const int64_t wait_min, read("min-wait-ms", policy.wait_min.count()));
  FIRN_ASSIGN(const int64_t wait_max, read("max-wait-ms", policy.wait_max.count()));
  FIRN_ASSIGN(const int64_t total, read("total-timeout-ms", policy.total_max.count()));
  policy.retry_count_max = static_cast<int>(std::clamp<int64_t>(count, 0, 1'000'000));
  policy.wait_min = milliseconds(std::max<int64_t>(wait_min, 0));
  policy.wait_max = milliseconds(std::max<int64_t>(wait_max, 0));
  policy.total_max = milliseconds(std::max<int64_t>(total, 0));
  return policy;
}

/// Codes by which a catalog says for certain that nothing changed.
bool IsDefiniteFailure(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCommitUnknown:
    case ErrorCode::kInternal:
    case ErrorCode::kCancelled:
      return false;
    case ErrorCode::kInvalidInput:
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kUnsupported:
    case ErrorCode::kCorrupt:
    case ErrorCode::kUnavailable:
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kCommitConflict:
      return true;
  }
  return false;
}

class CommitLoop {
 public:
  CommitLoop(const CommitContext& context, const Table& planned, std::span<const CommitStep> steps)
      : context_(context),
        planned_(planned),
        table_(planned.name),
        steps_(steps),
        target_(LastSnapshot(steps)),
        files_(FormatUuid(MakeUuid(*context.random))) {}

  Result<CommitResult> Run();

 private:
  static const CommitStep& LastSnapshot(std::span<const CommitStep> steps);
  std::optional<SnapshotId> FindRepeated() const;
  /// Validates, stages, writes manifest lists and asks the catalog.
  Result<Table> CommitOnce(int attempt);
  Result<std::optional<Table>> Attempt(int attempt);
  CommitResult Succeed(Table committed, int attempt);
  CommitResult Repeat(SnapshotId earlier);
  Result<Table> SettleUnknown(const Error& cause);
  Status WaitBeforeRetry(int retry, std::chrono::nanoseconds began, const Error& cause);
  Result<CommitResult> GiveUp(const Error& cause, int attempt);
  void CleanUpAfterSuccess(const Table& committed);

  bool IsOutdated(const Error& error) const;

  /// The work was done for one table, not for another one that was given its name meanwhile.
  Status CheckSameTable() const;

  const CommitContext& context_;
  const Table& planned_;
  const TableName& table_;
  std::span<const CommitStep> steps_;
  const CommitStep& target_;  ///< The last one with a snapshot: if it is there, all are.
  CommitFiles files_;
  Table base_table_;
  /// The catalog said no to the last attempt, and nobody has looked since: it may have got the
  /// request twice, and the first one had moved the branch.
  bool was_refused_ = false;
  bool has_asked_ = false;             ///< This attempt got as far as the catalog.
  std::optional<Error> lost_to_;       ///< Why the last attempt must be repeated.
  std::optional<SnapshotId> repeats_;  ///< The snapshot that had done the work before.
};

const CommitStep& CommitLoop::LastSnapshot(std::span<const CommitStep> steps) {
  const auto last = std::find_if(steps.rbegin(), steps.rend(),
                                 [](const CommitStep& step) { return step.operation != nullptr; });
  FIRN_CHECK(last != steps.rend());
  return *last;
}

std::optional<SnapshotId> CommitLoop::FindRepeated() const {
  for (const CommitStep& step : steps_) {
    if (!step.options.idempotency_key) continue;
    const auto found = FindIdempotencyKey(*base_table_.metadata, step.options.branch,
                                          *step.options.idempotency_key);
    if (found) return found;
  }
  return std::nullopt;
}

Result<Table> CommitLoop::CommitOnce(int attempt) {
  CommitAttempt staged(context_, base_table_, files_, attempt);
  for (size_t i = 0; i < steps_.size(); ++i)
    FIRN_RETURN_IF_ERROR(staged.Add(steps_[i], i + 1 == steps_.size()));
  has_asked_ = true;
  return context_.catalog->Commit(table_, staged.Requirements(), staged.updates());
}

Result<Table> CommitLoop::SettleUnknown(const Error& cause) {
  const RetryPolicy standard{
      .retry_count_max = 3, .wait_min = milliseconds(1000), .wait_max = milliseconds(60'000)};
  auto policy = ReadPolicy(*base_table_.metadata, "commit.status-check", standard);
  std::optional<Table> found;
  const Status looked = Retry(
      policy.ok() ? *policy : standard, *context_.clock, *context_.random, context_.cancel,
      [&]() -> Status {
        FIRN_ASSIGN(Table table, context_.catalog->Load(table_));
        if (table.metadata->FindSnapshot(target_.snapshot_id) == nullptr) {
          return MakeError(ErrorCode::kUnavailable, "snapshot {} is not in table {}",
                           target_.snapshot_id, FormatTableName(table_));
        }
        found = std::move(table);
        return {};
      },
      [](const Error& error) { return error.code() != ErrorCode::kCancelled; });
  if (found) {
    return *std::move(found);
  }
  return MakeError(
      ErrorCode::kCommitUnknown,
      "the outcome of snapshot {} on branch '{}' of table {} is not known ({}; then: {}); no file "
      "was "
      "deleted; look for this snapshot id with 'inspect {} snapshots' before you run it again",
      target_.snapshot_id, target_.options.branch, FormatTableName(table_), cause.message(),
      looked.ok() ? "" : looked.error().message(), FormatTableName(table_));
}

Status CommitLoop::WaitBeforeRetry(int retry, std::chrono::nanoseconds began, const Error& cause) {
  FIRN_ASSIGN(const RetryPolicy policy,
              ReadPolicy(*base_table_.metadata, "commit.retry", RetryPolicy{}));
  // As Java: the total limit ends the retries only once two attempts were made.
  const bool is_late =
      retry >= 2 && context_.clock->Elapsed() - began > std::chrono::nanoseconds(policy.total_max);
  if (retry > policy.retry_count_max || is_late) {
    return cause.Within(fmt::format("giving up after {} attempts", retry));
  }
  Log(LogLevel::kInfo, "commit attempt {} lost to another writer: {}", retry, cause.message());
  return context_.clock->Sleep(RetryWait(policy, retry, *context_.random), context_.cancel);
}

void CommitLoop::CleanUpAfterSuccess(const Table& committed) {
  std::set<std::string> used;
  for (const CommitStep& step : steps_) {
    if (step.operation == nullptr) continue;
    const Snapshot* snapshot = committed.metadata->FindSnapshot(step.snapshot_id);
    // Another writer expired it already: what it used is not known, so nothing is deleted.
    if (snapshot == nullptr) return;
    const auto manifests = ReadManifests(*committed.io, *snapshot);
    if (!manifests.ok()) {
      Log(LogLevel::kWarning, "files of losing commit attempts stay: {}",
          manifests.error().Format());
      return;
    }
    used.insert(snapshot->manifest_list);
    for (const ManifestFile& manifest : *manifests)
      used.insert(manifest.manifest_path);
  }
  files_.DeleteUnused(*committed.io, used);
}

CommitResult CommitLoop::Succeed(Table committed, int attempt) {
  CleanUpAfterSuccess(committed);
  return {.snapshot_id = target_.snapshot_id,
          .table = std::move(committed),
          .attempts = attempt,
          .removed_delete_files = 0,
          .is_repeat = false};
}

CommitResult CommitLoop::Repeat(SnapshotId earlier) {
  files_.DeleteUnused(*base_table_.io, {});
  return {.snapshot_id = earlier,
          .table = base_table_,
          .attempts = 0,
          .removed_delete_files = 0,
          .is_repeat = true};
}

Status CommitLoop::CheckSameTable() const {
  const std::string& expected = planned_.metadata->table_uuid;
  const std::string& found = base_table_.metadata->table_uuid;
  if (expected.empty() || EqualsIgnoreCase(expected, found)) return {};
  return MakeError(
      ErrorCode::kCommitConflict,
      "table {} was dropped and made anew meanwhile (its UUID is '{}', expected '{}'); "
      "look at it and run this again",
      FormatTableName(table_), found, expected);
}

/// Whether the request was wrong for what the table has become since the attempt began: it named a
/// schema, say, that another writer has removed.
bool CommitLoop::IsOutdated(const Error& error) const {
  if (error.code() != ErrorCode::kInvalidInput) return false;
  const Result<Table> now = context_.catalog->Load(table_);
  return now.ok() && now->metadata_location != base_table_.metadata_location;
}

/// The committed table, or nothing if another writer won and the attempt may be repeated.
Result<std::optional<Table>> CommitLoop::Attempt(int attempt) {
  FIRN_RETURN_IF_ERROR(context_.cancel.Check());
  FIRN_ASSIGN(base_table_, context_.catalog->Load(table_));
  if (base_table_.metadata->FindSnapshot(target_.snapshot_id) != nullptr) {
    return std::optional(base_table_);  // A "conflict" that was our own success.
  }
  was_refused_ = false;
  FIRN_RETURN_IF_ERROR(CheckSameTable());
  repeats_ = FindRepeated();
  if (repeats_) return std::optional(base_table_);
  has_asked_ = false;
  Result<Table> committed = CommitOnce(attempt);
  if (committed.ok()) return std::optional(*std::move(committed));
  if (!has_asked_) return committed.error();
  if (committed.error().code() == ErrorCode::kCommitConflict || IsOutdated(committed.error())) {
    lost_to_ = Error(ErrorCode::kCommitConflict, committed.error().message());
    was_refused_ = true;
    return std::optional<Table>();
  }
  if (IsDefiniteFailure(committed.error().code())) {
    // By contract nothing changed, but who could not reach a service may not know.
    was_refused_ = committed.error().code() == ErrorCode::kUnavailable;
    return committed.error();
  }
  FIRN_ASSIGN(Table settled, SettleUnknown(committed.error()));
  return std::optional(std::move(settled));
}

/// The end without success, unless there was one after all.
Result<CommitResult> CommitLoop::GiveUp(const Error& cause, int attempt) {
  if (was_refused_ && cause.code() != ErrorCode::kCommitUnknown) {
    Result<Table> table = context_.catalog->Load(table_);
    if (!table.ok()) {
      return MakeError(ErrorCode::kCommitUnknown,
                       "snapshot {} is probably not in table {} ({}), but looking for it failed: "
                       "{}; no file was deleted; look for this snapshot id with 'inspect {} "
                       "snapshots' before you run it again",
                       target_.snapshot_id, FormatTableName(table_), cause.message(),
                       table.error().message(), FormatTableName(table_));
    }
    if (table->metadata->FindSnapshot(target_.snapshot_id) != nullptr) {
      return Succeed(*std::move(table), attempt);
    }
  }
  if (cause.code() != ErrorCode::kCommitUnknown && base_table_.io != nullptr) {
    files_.DeleteUnused(*base_table_.io, {});
  }
  return cause;
}

Result<CommitResult> CommitLoop::Run() {
  const std::chrono::nanoseconds began = context_.clock->Elapsed();
  for (int attempt = 1;; ++attempt) {
    Result<std::optional<Table>> committed = Attempt(attempt);
    if (committed.ok() && *committed) {
      if (repeats_) return Repeat(*repeats_);
      return Succeed(**std::move(committed), attempt);
    }
    if (!committed.ok()) return GiveUp(committed.error(), attempt);
    const Status wait = WaitBeforeRetry(attempt, began, *lost_to_);
    if (!wait.ok()) return GiveUp(wait.error(), attempt);
  }
}

}  // namespace

std::optional<SnapshotId> FindIdempotencyKey(const TableMetadata& metadata,
                                             const std::string& branch, std::string_view key) {
  const auto head = metadata.RefSnapshotId(branch);
  if (!head) return std::nullopt;
  for (const Snapshot* snapshot : AncestorsOf(metadata, *head)) {
    if (snapshot->summary.Find(kIdempotencyKey) == key) return snapshot->snapshot_id;
  }
  return std::nullopt;
}

std::vector<ManifestFile> CommitBase::ManifestsOf(ManifestContent content) const {
  std::vector<ManifestFile> chosen;
  std::copy_if(manifests.begin(), manifests.end(), std::back_inserter(chosen),
               [&](const ManifestFile& manifest) { return manifest.content == content; });
  return chosen;
}

SnapshotId NewSnapshotId(const TableMetadata& metadata, Random& random) {
  for (;;) {
    const auto id = static_cast<SnapshotId>(random.Next() & 0x7FFF'FFFF'FFFF'FFFF);
    if (id != 0 && metadata.FindSnapshot(id) == nullptr) {
      return id;
    }
  }
}

Result<CommitResult> RunCommitLoop(const CommitContext& context, const Table& planned,
                                   const CommitStep& step) {
  return RunCommitLoop(context, planned, std::span(&step, 1));
}

Result<CommitResult> RunCommitLoop(const CommitContext& context, const Table& planned,
                                   std::span<const CommitStep> steps) {
  for (const CommitStep& step : steps) {
    const SnapshotOptions& options = step.options;
    if (options.wap_id && !options.is_staged) {
      return MakeError(ErrorCode::kInternal, "WAP id '{}' of a snapshot that is not staged",
                       *options.wap_id);
    }
    if (options.is_staged && options.branch != kMainBranch) {
      return MakeError(ErrorCode::kInvalidInput,
                       "a snapshot is to be staged on branch '{}'; it can be on 'main' only, into "
                       "which it is published later",
                       options.branch);
    }
  }
  return CommitLoop(context, planned, steps).Run();
}

}  // namespace firn
