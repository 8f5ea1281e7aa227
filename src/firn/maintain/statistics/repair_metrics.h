#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "firn/maintain/maintain_context.h"

/// What manifests tell of data files, compared with what the files tell themselves.

namespace firn {

struct RepairMetricsOptions {
  /// Compare with all rows of the files rather than their footers: counts of NaN too, and files
  /// whose footers tell nothing. Costs a reading of the whole table.
  bool reads_rows = false;
};

/// Something that a manifest tells wrongly of a data file, or not at all.
struct MetricsDifference {
  std::string file_path;
  std::string column;    ///< Full name; empty: it is about the file.
  std::string metric;    ///< "record_count", "lower_bound", as files tables call it.
  std::string recorded;  ///< In the manifest, as text; empty: nothing.
  std::string found;     ///< In the file; empty: nothing.
};

struct RepairMetricsResult {
  int64_t checked_files_count = 0;
  int64_t wrong_files_count = 0;
  int64_t rewritten_manifests_count = 0;
  std::optional<SnapshotId> snapshot_id;  ///< Empty: all was right, or nothing was to be changed.
  Table table;                            ///< After the commit.
};

/// Called with each difference, one at a time.
using VisitDifference = std::function<Status(const MetricsDifference&)>;

/// Compare all live data files of `main`; change nothing. A bound is wrong if a value of the file
/// lies outside, not if it is wider than need be; a metric is missing if the table wants it
/// (`write.metadata.metrics.*`) and the file tells it. Columns that the table has no more are not
/// looked at. Errors: kNotFound: a data file is gone; kCorrupt, naming the file.
Result<RepairMetricsResult> CheckMetrics(const MaintainContext& context, const Table& table,
                                         const RepairMetricsOptions& options,
                                         const VisitDifference& visit);

/// Write those manifests anew that tell something wrong, or too little, as a snapshot that changes
/// no file. Errors: as above; kCommitConflict, kCommitUnknown.
Result<RepairMetricsResult> RepairMetrics(const MaintainContext& context, const Table& table,
                                          const RepairMetricsOptions& options);

}  // namespace firn
