#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "firn/base/log.h"
#include "firn/base/retry.h"
#include "firn/base/version.h"
#include "firn/commit/commit_loop_internal.h"

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

/// Add `snapshot` and move the branch to it, if table and branch are still what the base showed.
Result<Table> CommitSnapshot(Catalog& catalog, const Table& base, const std::string& branch,
                             std::optional<SnapshotId> head_id, const Snapshot& snapshot) {
  const TableMetadata& metadata = *base.metadata;
  std::vector<TableRequirement> requirements;
  if (!metadata.table_uuid.empty()) {
    requirements.emplace_back(AssertTableUuid{metadata.table_uuid});
  }
  requirements.emplace_back(AssertRefSnapshotId{branch, head_id});
  SnapshotRef ref;  // Retention settings of an existing branch are kept.
  if (const auto existing = metadata.refs.find(branch); existing != metadata.refs.end()) {
    ref = existing->second;
  }
  ref.snapshot_id = snapshot.snapshot_id;
  const std::vector<TableUpdate> updates = {AddSnapshot{snapshot}, SetSnapshotRef{branch, ref}};
  return catalog.Commit(base.name, requirements, updates);
}

/// The summary key under which `CommitTarget::idempotency_key` is kept.
constexpr std::string_view kIdempotencyKey = "firn.idempotency-key";

class CommitLoop {
 public:
  CommitLoop(const CommitContext& context, const CommitTarget& target, SnapshotOperation& operation)
      : context_(context),
        target_(target),
        operation_(operation),
        files_(FormatUuid(MakeUuid(*context.random)), target.snapshot_id) {}

  Result<CommitResult> Run();

 private:
  /// Loads the table; sets `base_table_` and `base_head_id_`.
  Result<CommitBase> LoadBase();
  /// Validates, stages and writes the manifest list.
  Result<Snapshot> Prepare(const CommitBase& base, int attempt);
  Result<std::optional<Table>> Attempt(int attempt);
  CommitResult Succeed(Table committed, int attempt);
  CommitResult Repeat(SnapshotId earlier);
  Result<Table> SettleUnknown(const Error& cause);
  Status WaitBeforeRetry(int retry, std::chrono::nanoseconds began, const Error& cause);
  Result<CommitResult> GiveUp(const Error& cause, int attempt);
  void CleanUpAfterSuccess(const Table& committed);

  const CommitContext& context_;
  const CommitTarget& target_;
  SnapshotOperation& operation_;
  CommitFiles files_;
  Table base_table_;
  std::optional<SnapshotId> base_head_id_;
  /// The catalog said no to the last attempt, and nobody has looked since: it may have got the
  /// request twice, and the first one had moved the branch.
  bool was_refused_ = false;
  std::optional<Error> lost_to_;       ///< Why the last attempt must be repeated.
  std::optional<SnapshotId> repeats_;  ///< The snapshot that had done the work before.
};

Result<CommitBase> CommitLoop::LoadBase() {
  FIRN_ASSIGN(base_table_, context_.catalog->Load(target_.table));
  const TableMetadata& metadata = *base_table_.metadata;
  CommitBase base{.table = &base_table_, .head = nullptr, .manifests = {}};
  base_head_id_.reset();
  if (const auto ref = metadata.refs.find(target_.branch); ref != metadata.refs.end()) {
    if (ref->second.type != RefType::kBranch) {
      return MakeError(ErrorCode::kInvalidInput,
                       "'{}' is a tag, expected a branch: a commit cannot move a tag",
                       target_.branch);
    }
    base.head = metadata.FindSnapshot(ref->second.snapshot_id);
    base_head_id_ = ref->second.snapshot_id;
  } else if (target_.branch != kMainBranch) {
    return MakeError(ErrorCode::kNotFound,
                     "branch '{}' does not exist; create it first (create-branch)", target_.branch);
  }
  if (base.head != nullptr) {
    FIRN_ASSIGN(base.manifests, ReadManifests(*base_table_.io, *base.head));
  }
  return base;
}

Result<Snapshot> CommitLoop::Prepare(const CommitBase& base, int attempt) {
  FIRN_RETURN_IF_ERROR(operation_.Validate(base));
  FIRN_ASSIGN(StagedSnapshot staged, operation_.Stage(base, files_));
  const TableMetadata& metadata = *base_table_.metadata;
  const bool has_row_ids = metadata.format_version >= 3;
  Snapshot snapshot;
  snapshot.snapshot_id = target_.snapshot_id;
  snapshot.parent_snapshot_id = base_head_id_;
  snapshot.sequence_number = metadata.format_version >= 2 ? metadata.last_sequence_number + 1 : 0;
  // A writer with a slow clock must not step behind the table's log.
  snapshot.timestamp = std::max(context_.clock->Now(), metadata.last_updated);
  snapshot.manifest_list = files_.ManifestList(metadata, attempt);
  snapshot.operation = operation_.operation();
  snapshot.schema_id = metadata.current_schema_id;
  FIRN_ASSIGN(const int64_t next_row_id,
              WriteManifestList(
                  *base_table_.io, snapshot.manifest_list,
                  {.format_version = metadata.format_version,
                   .snapshot_id = snapshot.snapshot_id,
                   .parent_snapshot_id = snapshot.parent_snapshot_id,
                   .sequence_number = snapshot.sequence_number,
                   .first_row_id = has_row_ids ? std::optional(metadata.next_row_id) : std::nullopt,
                   .compression = metadata.Property("write.manifest.compression-codec", "gzip")},
                  staged.manifests));
  if (has_row_ids) {
    snapshot.first_row_id = metadata.next_row_id;
    snapshot.added_rows = next_row_id - metadata.next_row_id;
  }
  if (target_.idempotency_key) {
    staged.summary.Set(std::string(kIdempotencyKey), *target_.idempotency_key);
  }
  staged.summary.Set("engine-name", "firn");
  staged.summary.Set("engine-version", std::string(Version()));
  snapshot.summary = staged.summary.Build(base.head);
  return snapshot;
}

Result<Table> CommitLoop::SettleUnknown(const Error& cause) {
  const RetryPolicy standard{
      .retry_count_max = 3, .wait_min = milliseconds(1000), .wait_max = milliseconds(60'000)};
  auto policy = ReadPolicy(*base_table_.metadata, "commit.status-check", standard);
  std::optional<Table> found;
  const Status looked = Retry(
      policy.ok() ? *policy : standard, *context_.clock, *context_.random, context_.cancel,
      [&]() -> Status {
        FIRN_ASSIGN(Table table, context_.catalog->Load(target_.table));
        if (table.metadata->FindSnapshot(target_.snapshot_id) == nullptr) {
          return MakeError(ErrorCode::kUnavailable, "snapshot {} is not in table {}",
                           target_.snapshot_id, FormatTableName(target_.table));
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
      target_.snapshot_id, target_.branch, FormatTableName(target_.table), cause.message(),
      looked.ok() ? "" : looked.error().message(), FormatTableName(target_.table));
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
  const Snapshot* snapshot = committed.metadata->FindSnapshot(target_.snapshot_id);
  if (snapshot == nullptr) {
    return;  // Another writer expired it already: what it used is not known, so nothing is deleted.
  }
  const auto manifests = ReadManifests(*committed.io, *snapshot);
  if (!manifests.ok()) {
    Log(LogLevel::kWarning, "files of losing commit attempts stay: {}", manifests.error().Format());
    return;
  }
  std::set<std::string> used = {snapshot->manifest_list};
  for (const ManifestFile& manifest : *manifests) {
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

/// The committed table, or nothing if another writer won and the attempt may be repeated.
Result<std::optional<Table>> CommitLoop::Attempt(int attempt) {
  FIRN_RETURN_IF_ERROR(context_.cancel.Check());
  FIRN_ASSIGN(const CommitBase base, LoadBase());
  if (base_table_.metadata->FindSnapshot(target_.snapshot_id) != nullptr) {
    return std::optional(base_table_);  // A "conflict" that was our own success.
  }
  was_refused_ = false;
  if (target_.idempotency_key) {
    repeats_ = FindIdempotencyKey(*base_table_.metadata, target_.branch, *target_.idempotency_key);
    if (repeats_) return std::optional(base_table_);
  }
  FIRN_ASSIGN(const Snapshot snapshot, Prepare(base, attempt));
  Result<Table> committed =
      CommitSnapshot(*context_.catalog, base_table_, target_.branch, base_head_id_, snapshot);
  if (committed.ok()) {
    return std::optional(*std::move(committed));
  }
  if (committed.error().code() == ErrorCode::kCommitConflict) {
    lost_to_ = committed.error();
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
    Result<Table> table = context_.catalog->Load(target_.table);
    if (!table.ok()) {
      return MakeError(ErrorCode::kCommitUnknown,
                       "snapshot {} is probably not in table {} ({}), but looking for it failed: "
                       "{}; no file was deleted; look for this snapshot id with 'inspect {} "
                       "snapshots' before you run it again",
                       target_.snapshot_id, FormatTableName(target_.table), cause.message(),
                       table.error().message(), FormatTableName(target_.table));
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
  const auto ref = metadata.refs.find(branch);
  if (ref == metadata.refs.end()) return std::nullopt;
  for (const Snapshot* snapshot : AncestorsOf(metadata, ref->second.snapshot_id)) {
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

Result<CommitResult> RunCommitLoop(const CommitContext& context, const CommitTarget& target,
                                   SnapshotOperation& operation) {
  return CommitLoop(context, target, operation).Run();
}

}  // namespace firn
