#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/change/delete_rows.h"

/// Rows that are too old: counted from when rows last came, not from now, so that a table that
/// nobody fills keeps what it has.

namespace firn {

/// When rows last came to the branch whose head is `head`: the time of the newest snapshot that
/// brought more rows than it took. Rewrites and deletions do not count, those of ExpireRows
/// neither, which note the time for when that snapshot has expired. Nullopt: nothing tells.
std::optional<Timestamp> FindLastIngest(const TableMetadata& metadata, const Snapshot* head);

struct ExpireRowsRequest : SnapshotOptions {
  std::string column;     ///< A date or timestamp.
  int64_t keep_days = 0;  ///< Rows older than so many days before the last ingest go.
  std::optional<WriteMode> mode;
};

struct ExpireRowsResult {
  ReplaceRowsResult deleted;
  Timestamp kept_since;  ///< Rows from then on stay; of dates, from its day on.
};

/// What would be deleted, as far as metadata tells.
struct ExpireRowsPlan {
  Timestamp kept_since;
  std::vector<FileScanTask> whole_files;  ///< All of their rows are too old.
  std::vector<FileScanTask> files;        ///< Some of their rows may be.
  WriteMode mode = WriteMode::kCopyOnWrite;
};

/// Reads manifests only. Errors: as ExpireRows.
Result<ExpireRowsPlan> PlanExpireRows(const ChangeContext& context, const Table& table,
                                      const ExpireRowsRequest& request);

/// Delete rows whose column is before the last ingest by more than `keep_days`; null stays. Errors:
/// kInvalidInput: no such column, or of another type; fewer than 0 days, or beyond all times;
/// nothing tells when rows last came. Those of DeleteRows.
Result<ExpireRowsResult> ExpireRows(const ChangeContext& context, const Table& table,
                                    const ExpireRowsRequest& request);

}  // namespace firn
