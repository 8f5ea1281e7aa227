#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/io/metered_file_io.h"
#include "firn/maintain/expiry/snapshot_retention.h"
#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/maintain_context.h"

/// Expiry: snapshots that are over leave the table's metadata; then files go that nothing which is
/// left can reach.

namespace firn {

struct ExpireSnapshotsOptions {
  RetentionOptions retention;
  /// Also forget partition specs and schemas that neither the table nor a kept snapshot uses.
  bool cleans_metadata = false;
  /// Requests of deletion at the same time; 0: as many as the executor runs.
  int64_t max_concurrent_deletes = 0;
};

/// Counts are of deleted files, with those that were gone already. A deletion vector file counts as
/// a position delete file, once.
struct ExpireSnapshotsResult {
  int64_t deleted_data_files_count = 0;
  int64_t deleted_position_delete_files_count = 0;
  int64_t deleted_equality_delete_files_count = 0;
  int64_t deleted_manifest_files_count = 0;
  int64_t deleted_manifest_lists_count = 0;
  int64_t deleted_statistics_files_count = 0;

  std::vector<std::string> dropped_refs;
  int64_t expired_snapshots_count = 0;
  int64_t already_gone_count = 0;
  /// Content that nothing needs any more, but that others put where it is
  /// (`firn.adopted-folders`): it stays.
  int64_t left_files_count = 0;
  /// Files that should have gone but could not be deleted; removing orphans finds them.
  int64_t failed_files_count = 0;
  std::optional<Error> first_failure;
  IoTotals estimate;  ///< As EstimateExpiry would have told before.
};

/// Commit the expiry, then delete what it made unreachable. Reachability is computed over all
/// snapshots, statistics and metadata files of the table as committed; memory stays within the
/// budget.
///
/// Errors  kInvalidInput: gc.enabled is false, or as PlanRetention; nothing changed.
///         kCommitConflict: nothing changed. kCommitUnknown: no file was deleted.
///         Others, after the commit: what was left undone is for removing orphans to do, and the
///         message says so. Files that could not be deleted are counted, not an error.
Result<ExpireSnapshotsResult> ExpireSnapshots(const MaintainContext& context, const Table& table,
                                              const ExpireSnapshotsOptions& options);

/// What ExpireSnapshots reads and asks for. Reads lists of manifests: how much of the work is done
/// for each snapshot, and what they share, stands nowhere else. Errors: as ExpireSnapshots, before
/// the commit.
Result<IoTotals> EstimateExpiry(const MaintainContext& context, const Table& table,
                                const ExpireSnapshotsOptions& options);

/// What ExpireSnapshots would do to a table as it is.
class ExpiryPreview {
 public:
  virtual ~ExpiryPreview() = default;
  virtual const ExpiredHistory& history() const = 0;
  /// The files that would go, in no order.
  virtual Status VisitFiles(const std::function<Status(FileToDelete)>& visit) = 0;
};
Result<std::unique_ptr<ExpiryPreview>> PreviewExpireSnapshots(
    const MaintainContext& context, const Table& table, const ExpireSnapshotsOptions& options);

}  // namespace firn
