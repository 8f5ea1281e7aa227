#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/commit/commit.h"

namespace firn {

/// The snapshots after `starting_id` up to and including `head`, newest first.
/// Errors: kCommitConflict if `starting_id` is no ancestor of `head` (rolled back, or expired): the
/// history cannot be determined.
Result<std::vector<const Snapshot*>> HistorySince(const TableMetadata& metadata,
                                                  const Snapshot* head, SnapshotId starting_id);

/// All snapshots up to and including `head` (null: none), newest first. Errors: kCommitConflict if
/// some of them expired: the history cannot be determined.
Result<std::vector<const Snapshot*>> WholeHistory(const TableMetadata& metadata,
                                                  const Snapshot* head);

/// Which deletes count as new for a set of data files that a commit replaces.
struct NewDeletesCheck {
  int64_t starting_sequence_number = 0;  ///< Deletes numbered at or below were read.
  /// True if the replacement keeps an old data sequence number, so that equality deletes committed
  /// meanwhile stay in force for it.
  bool ignores_equality_deletes = false;
};

/// Fail if a delete that is live among `manifests` (of the branch's head) came after the start and
/// applies to one of `data_files`. A position delete without a single referenced file counts for
/// every file of its partition. Errors: kCommitConflict naming both files.
Status CheckNoNewDeletes(const CommitContext& context, const Table& base,
                         const std::vector<ManifestFile>& manifests,
                         const std::vector<DataFile>& data_files, const NewDeletesCheck& check);

/// Rows were written with the columns of `written`, for a branch whose head was `planned_head`. A
/// column that was dropped meanwhile is no conflict, but where the table was replaced by one
/// without some of them, the rows would lose their values. Errors: kCommitConflict, naming the
/// column.
Status CheckNotReplaced(const TableMetadata& now, const Snapshot* head, const Schema& written,
                        std::optional<SnapshotId> planned_head);

/// Rows that move to another file take their row ids along, unless these came only after they were
/// read: with the first snapshot of version 3. Errors: kCommitConflict if that is so of one of
/// `moved`, which were read in the snapshot `start` or, with ids, later.
Status CheckRowIdsStay(const Snapshot* head, const Snapshot& start,
                       const std::vector<DataFile>& moved);

/// Version 3 takes no new position delete files. Errors: kCommitConflict if the table was upgraded
/// after one of `added` was written.
Status CheckDeletesFit(const TableMetadata& metadata, const std::vector<DataFile>& added);

}  // namespace firn
