#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firn/commit/commit.h"
#include "firn/commit/commit_files_internal.h"
#include "firn/commit/snapshot_summary_internal.h"

namespace firn {

/// What one attempt works on: the table as just loaded and the head of the target branch.
struct CommitBase {
  const Table* table = nullptr;
  const Snapshot* head = nullptr;       ///< Null: the branch has no snapshot yet.
  std::vector<ManifestFile> manifests;  ///< Of the head.

  std::vector<ManifestFile> ManifestsOf(ManifestContent content) const;
};

/// What the operation makes of it.
struct StagedSnapshot {
  std::vector<ManifestFile> manifests;  ///< New ones first.
  SnapshotSummary summary;
};

/// An operation that becomes one snapshot. The loop calls `Validate` and `Stage` once per attempt,
/// with the newest table; manifests already written are reused.
class SnapshotOperation {
 public:
  virtual ~SnapshotOperation() = default;
  /// "append", "replace", "overwrite" or "delete".
  virtual std::string operation() const = 0;
  /// Errors: kCommitConflict ends the commit; it is not retried.
  virtual Status Validate(const CommitBase& base) = 0;
  virtual Result<StagedSnapshot> Stage(const CommitBase& base, CommitFiles& files) = 0;
};

/// A snapshot of a commit. What it refers to outlives it.
struct CommitStep {
  SnapshotId snapshot_id = 0;  ///< Kept over retries.
  const SnapshotOptions& options;
  SnapshotOperation* operation = nullptr;  ///< Null: there is none, only `options.table_changes`.
};

/// A random positive id that no snapshot of `metadata` has.
SnapshotId NewSnapshotId(const TableMetadata& metadata, Random& random);

/// Refresh, validate, stage, swap; retry conflicts by the table's `commit.retry.*`, settle unknown
/// outcomes by looking for the snapshot id (`commit.status-check.*`).
///
/// Errors  kCommitUnknown: nothing was deleted. All others: the commit did not happen and the
///         manifests and lists it wrote are gone.
Result<CommitResult> RunCommitLoop(const CommitContext& context, const Table& planned,
                                   const CommitStep& step);

/// The same for several changes that become visible together: one step builds on what those before
/// it made of the table. One of them at least has an operation; the result is of the last such one.
Result<CommitResult> RunCommitLoop(const CommitContext& context, const Table& planned,
                                   std::span<const CommitStep> steps);

}  // namespace firn
