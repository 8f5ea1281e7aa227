#pragma once

#include <optional>
#include <string>
#include <vector>

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

}  // namespace firn
