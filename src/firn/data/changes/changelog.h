#pragma once

#include <functional>
#include <string>
#include <vector>

#include "firn/data/read/reader.h"
#include "firn/scan/snapshot_changes.h"

/// The changes of a table as rows: those that snapshots added and deleted, with what was done, by
/// which snapshot.

namespace firn {

/// What is made of the rows that snapshots added and deleted.
struct ChangelogOptions {
  SchemaPtr schema;  ///< Columns of the rows; they may hold values of any type.
  /// Rows of one snapshot with equal values here are the images of one row before and after an
  /// update. Empty: updates are told as a deletion and an insertion.
  std::vector<int32_t> identifier_ids;
  /// Leave out rows that are added and deleted again, over all snapshots.
  bool is_net = false;
  std::string spill_folder;  ///< For rows that are sorted; see ScratchFile.
};

/// The columns of the schema and behind them `_change_type` ("INSERT", "DELETE", "UPDATE_BEFORE",
/// "UPDATE_AFTER"), `_change_ordinal` (of the snapshot, from 0) and `_commit_snapshot_id`.
/// Errors: kInvalidInput: the table has a column of such a name.
Result<SchemaPtr> ChangelogSchema(const Schema& schema);

/// What a snapshot changed; see PlanSnapshotChanges.
using PlanChanges = std::function<Result<SnapshotChanges>(const Snapshot&)>;

/// The changes of `snapshots`, one after the other; each is planned when the one before it is read.
/// A row that a snapshot both deletes and adds, such as one that was copied into a new file, is
/// left out: each deleted row takes away one equal added row. Where rows must be compared, they are
/// sorted, on disk if they exceed a share of the budget. Rows are equal if their values have the
/// same bits. `snapshots` and what `context` refers to outlive the stream.
/// Errors (in the stream too): those of ReadTasks and of `plan`; kInvalidInput: two deleted rows of
/// a snapshot have the same identifier.
Result<RowStream> ReadChangelog(const ReadContext& context, std::vector<const Snapshot*> snapshots,
                                PlanChanges plan, const ChangelogOptions& options);

}  // namespace firn
