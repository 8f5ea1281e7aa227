#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/maintain/compaction/rewrite_data_files.h"
#include "firn/maintain/cycle/maintenance_policy.h"
#include "firn/maintain/expiry/snapshot_retention.h"
#include "firn/maintain/maintain_context.h"

namespace firn {

/// How a table's `main` is, going by its metadata alone, and what maintenance would find to do, by
/// the same limits. The score is that of the table, also where the policy leaves it as it is.
struct TableHealth {
  int score = 100;          ///< 0 to 100.
  int64_t small_files = 0;  ///< Data files below the least size that compaction would merge.
  int64_t data_files = 0;
  double delete_ratio = 0;  ///< Deleted rows per row, as delete files count them.
  int64_t manifests = 0;
  int64_t snapshots = 0;
  /// Worst first, each with the limits by which it was judged, and whether the policy has switched
  /// the step off; empty: nothing pays.
  std::vector<std::string> advice;

  CompactionPlan compaction;
  int64_t compaction_files = 0;  ///< All that it would rewrite, for whatever reason.
  int64_t compaction_bytes = 0;
  int64_t expected_outputs = 0;
  bool has_open_outputs = false;     ///< There may be more: rows of other specs go to many places.
  int64_t manifests_to_rewrite = 0;  ///< 0 where they are too few (kManifestsWorthIt).
  int64_t expired_snapshots = 0;     ///< 0 where files of the table may not be deleted.
  std::string deletes_to_maintain;   ///< What would be done about delete files; empty: nothing.
};

/// A commit of its own is not worth it for fewer manifests.
inline constexpr int64_t kManifestsWorthIt = 5;

/// How many files compaction of `groups` makes, in words: "about 3"; "at least 3" where rows of
/// other partition specs go to nobody knows how many partitions.
std::string DescribeOutputs(int64_t outputs, bool is_open);

/// What a policy means for a table.
Result<RewriteDataFilesOptions> CompactionOptionsOf(const TableMetadata& metadata,
                                                    const MaintenancePolicy& policy);
RetentionOptions RetentionOf(const MaintenancePolicy& policy, Timestamp now);

/// Reads manifests only. Errors: those of reading; kInvalidInput: an option of the policy.
Result<TableHealth> AssessTable(const MaintainContext& context, const Table& table,
                                const MaintenancePolicy& policy);

}  // namespace firn
