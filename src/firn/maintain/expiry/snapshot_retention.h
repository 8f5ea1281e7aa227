#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/clock.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// What a call of expiry says; the table's properties and refs say the rest.
struct RetentionOptions {
  Timestamp now{};
  /// Cut-off for branches without an age of their own and for snapshots that no ref leads to.
  /// Empty: `history.expire.max-snapshot-age-ms` (5 days) before `now`.
  std::optional<Timestamp> older_than;
  /// Kept of branches without a number of their own. Empty:
  /// `history.expire.min-snapshots-to-keep` (1).
  std::optional<int64_t> retain_last;
  std::vector<SnapshotId> snapshot_ids;  ///< These go, whatever their age. Unknown ones are fine.
};

/// What the table's properties say.
struct RetentionLimits {
  std::chrono::milliseconds age{};  ///< `history.expire.max-snapshot-age-ms`
  int64_t count = 1;                ///< `history.expire.min-snapshots-to-keep`
};

/// Errors: kInvalidInput: a property is no number.
Result<RetentionLimits> RetentionLimitsOf(const TableMetadata& metadata);

/// What goes; everything else stays.
struct ExpiredHistory {
  std::vector<SnapshotId> snapshot_ids;  ///< In the order of the metadata.
  std::vector<std::string> refs;
};

/// "2 branches and tags dropped: audit, old", with so many names as can be read; empty if there are
/// none.
std::string DescribeDroppedRefs(const std::vector<std::string>& refs);

/// Decide what of the history of a table is over. Pure.
///
/// Shape   `main` stays, other refs while the snapshot they name is not older than their maximum
///         age (`history.expire.max-ref-age-ms`; default: for ever). Of a branch stay its newest
///         snapshots, as many as it asks for, and those younger than the cut-off, up to the first
///         one that is neither; of a tag its own. Snapshots that no ref leads to stay while they
///         are younger than the cut-off.
/// Errors  kInvalidInput: a listed id is the head of a ref that stays (naming the refs), or an
///         option or a property is out of range.
Result<ExpiredHistory> PlanRetention(const TableMetadata& metadata,
                                     const RetentionOptions& options);

}  // namespace firn
