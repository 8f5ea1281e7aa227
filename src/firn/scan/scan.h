#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/cancel.h"
#include "firn/base/executor.h"
#include "firn/base/result.h"
#include "firn/expression/expression.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/table_metadata.h"

/// Which data and delete files a read needs. Reads manifests only.

namespace firn {

/// A live delete file (or deletion vector) with its data sequence number.
struct DeleteFile {
  DataFile file;
  int64_t sequence_number = 0;
};
using DeleteFilePtr = std::shared_ptr<const DeleteFile>;

/// One whole data file with all deletes that apply to it. Copies share the delete files.
struct FileScanTask {
  DataFile file;
  int64_t sequence_number = 0;                  ///< Data sequence number, inheritance applied.
  std::optional<SnapshotId> added_snapshot_id;  ///< Snapshot id of the manifest entry.
  std::vector<DeleteFilePtr> deletes;           ///< Deletion vector, position deletes, equality.
  ExpressionPtr residual;                       ///< Bound; true if the partition decides.
};

/// Which state of the table, and which rows of it.
struct ScanOptions {
  std::optional<SnapshotId> snapshot_id;  ///< Empty: the current snapshot.
  SchemaPtr schema;                       ///< To bind `filter`; see `ResolveSnapshot`.
  ExpressionPtr filter;                   ///< Unbound; null: all rows.
  bool is_case_sensitive = true;
  bool with_metrics = false;   ///< Keep column metrics in the tasks.
  bool with_residuals = true;  ///< False: tasks carry `true`.
  size_t parallel_max = 0;     ///< Manifests read at once; 0: the executor's concurrency.
};

/// What to read: `--snapshot-id`, `--as-of`, `--ref` (a branch or a tag); at most one is set.
struct SnapshotSelector {
  std::optional<SnapshotId> snapshot_id;
  std::optional<Timestamp> as_of;
  std::optional<std::string> ref;
};

/// The snapshot that a selector names and the schema to read it with: a branch (and no selector)
/// reads with the table's current schema, all else with the snapshot's own.
struct ResolvedSnapshot {
  const Snapshot* snapshot = nullptr;  ///< Null: the table is empty.
  SchemaPtr schema;
};
/// Errors: kNotFound, naming the refs or the time range that exist; kInvalidInput if two are set.
Result<ResolvedSnapshot> ResolveSnapshot(const TableMetadata& metadata,
                                         const SnapshotSelector& selector);

/// What planning did, for reports.
struct ScanStatistics {
  int64_t manifests_total = 0;
  int64_t manifests_read = 0;
  int64_t files_matched = 0;
  int64_t files_skipped = 0;
};

/// Call `visit` with every task, in no order, one call at a time; memory does not grow with the
/// number of data files, but with that of delete files. `visit` may move from the task; its error
/// ends the planning. Errors: kCorrupt, kNotFound, kInvalidInput (filter), kCancelled.
Result<ScanStatistics> PlanFiles(FileIO& io, const TableMetadata& metadata,
                                 const ScanOptions& options, Executor& executor,
                                 const CancelToken& cancel,
                                 const std::function<Status(FileScanTask&&)>& visit);

/// As above, all tasks in the order of manifests and entries: for plans that must not vary.
Result<std::vector<FileScanTask>> PlanAllFiles(FileIO& io, const TableMetadata& metadata,
                                               const ScanOptions& options, Executor& executor,
                                               const CancelToken& cancel);

/// Number of rows that match, where manifests alone tell it exactly: no filter but one that
/// partitions and metrics decide, no equality or v2 position deletes. Nullopt: rows must be read.
Result<std::optional<int64_t>> CountFromMetadata(FileIO& io, const TableMetadata& metadata,
                                                 const ScanOptions& options, Executor& executor,
                                                 const CancelToken& cancel);

}  // namespace firn
