#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/procedure/procedure.h"

/// What a change did, or in a dry run would do, to the files of a table: {action, kind, path,
/// bytes, dry_run}, as `--dry-run` prints and `--report` writes it. A new file has no name before
/// it is written: a dry run tells its folder and suffix.

namespace firn {

/// True if somebody will read the report.
bool WantsChangeReport(const ProcedureContext& context);

/// Files that came and went by the snapshot `snapshot_id` of `after`, in the order of its
/// manifests, and old metadata files that its commit deletes and that are still there. Empty:
/// nothing changed, no rows but those. Tells the totals.
Result<ProcedureOutput> MakeChangeReport(ProcedureContext& context,
                                         const std::vector<std::string>& dropped_metadata,
                                         const Table& after, std::optional<SnapshotId> snapshot_id);

/// In a dry run, tell how many rows would go and come.
void TellRowChange(const ProcedureContext& context, int64_t deleted_rows, int64_t added_rows);

/// Finish an operation: in a dry run the report takes the place of `output`; else it is written
/// where `--report` says. `before` is the table as it was loaded: a snapshot that it has is not
/// new.
Result<ProcedureOutput> FinishChange(ProcedureContext& context, const TableMetadata* before,
                                     const Table& after, std::optional<SnapshotId> snapshot_id,
                                     Result<ProcedureOutput> output);

/// Let an operation on `reference` be tried: in a dry run its catalog and its files take no change.
Status PrepareDryRun(const ProcedureContext& context, TableReference& reference);

}  // namespace firn
