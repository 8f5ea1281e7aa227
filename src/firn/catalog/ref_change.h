#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/base/clock.h"
#include "firn/catalog/table_update.h"

/// Branches and tags, as updates for `Catalog::Commit`. Pure, like the plans of table_evolution.h.

namespace firn {

/// A branch or tag to be made or moved.
struct RefChange {
  enum class Mode { kCreate, kCreateIfMissing, kReplace };
  std::string name;
  RefType type = RefType::kBranch;
  Mode mode = Mode::kCreate;
  std::optional<SnapshotId> snapshot_id;  ///< Else the head of `main`.
  // Retention; if a ref is replaced, what is not said stays.
  std::optional<int64_t> max_ref_age_ms;
  std::optional<int32_t> min_snapshots_to_keep;  ///< Of a branch.
  std::optional<int64_t> max_snapshot_age_ms;    ///< Of a branch.
};

/// Errors: kAlreadyExists; kNotFound: no ref to replace, or no such snapshot; kInvalidInput: it is
/// a branch and not a tag or the reverse, the table has no snapshot, retention is not above 0.
Result<std::vector<TableUpdate>> PlanSetRef(const TableMetadata& metadata, const RefChange& change);

/// Errors: kNotFound unless `is_missing_fine`; kInvalidInput: it is `main`, or of the other type.
Result<std::vector<TableUpdate>> PlanDropRef(const TableMetadata& metadata, const std::string& name,
                                             RefType type, bool is_missing_fine);

/// Move `branch` back to `snapshot_id`. Errors: kNotFound: no such branch or snapshot;
/// kInvalidInput: the snapshot is no ancestor of the branch's head.
Result<std::vector<TableUpdate>> PlanRollback(const TableMetadata& metadata,
                                              const std::string& branch, SnapshotId snapshot_id);

/// Move `branch` back to its newest snapshot that is older than `time`. Errors: kNotFound: no such
/// branch; kInvalidInput: there is no such snapshot.
Result<std::vector<TableUpdate>> PlanRollbackToTime(const TableMetadata& metadata,
                                                    const std::string& branch, Timestamp time);

/// Move `main` to any snapshot. Errors: kNotFound.
Result<std::vector<TableUpdate>> PlanSetCurrent(const TableMetadata& metadata,
                                                SnapshotId snapshot_id);

/// Move `branch`, which is made if it is missing, forward to the snapshot of the ref `to`.
/// Errors: kNotFound: no such ref; kInvalidInput: `branch` is a tag, or its head is no ancestor of
/// that snapshot.
Result<std::vector<TableUpdate>> PlanFastForward(const TableMetadata& metadata,
                                                 const std::string& branch, const std::string& to);

/// True if `ancestor_id` is `snapshot_id` or before it.
bool IsAncestor(const TableMetadata& metadata, SnapshotId ancestor_id, SnapshotId snapshot_id);

}  // namespace firn
