#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/cancel.h"
#include "firn/base/executor.h"
#include "firn/catalog/catalog.h"
#include "firn/catalog/change_table.h"
#include "firn/format/manifest/manifest.h"
#include "firn/scan/scan.h"

/// Staged changes become one validated snapshot: conflict checks against everything committed since
/// the starting snapshot, manifests written once and reused by retries, and a rule for unknown
/// outcomes: while it is not certain that a commit failed, none of its files is deleted.

namespace firn {

struct CommitContext {
  Catalog* catalog = nullptr;
  Executor* executor = nullptr;
  Clock* clock = nullptr;
  Random* random = nullptr;
  CancelToken cancel;
};

/// How a change becomes a snapshot: every request has these.
struct SnapshotOptions {
  std::string branch = std::string(kMainBranch);
  std::map<std::string, std::string> summary_properties;
  /// Kept in the summary. If a snapshot in the branch's history has the same key, this change is a
  /// repeat of that one and nothing is committed.
  std::optional<std::string> idempotency_key;
  /// Write, audit, publish: the snapshot is added, but no branch moves to it; see cherry_pick.h.
  /// Only on top of `main`.
  bool is_staged = false;
  /// The name, `wap.id`, by which a staged snapshot is published later. The table must have
  /// `write.wap.enabled`; no other snapshot may have the name.
  std::optional<std::string> wap_id;
  /// Other changes of the table that become visible with the snapshot, in one commit of the
  /// catalog. Planned anew by every attempt, so that it must fail with kCommitConflict if the files
  /// of the request do not fit what it makes of newer metadata. Null: none.
  PlanUpdates table_changes;
};

/// Add data files.
struct AppendFilesRequest : SnapshotOptions {
  std::vector<DataFile> data_files;
  /// Leave the manifests that the table has as they are. Otherwise small ones are merged as
  /// `commit.manifest.*` says, which keeps planning fast.
  bool is_fast = false;
};

/// Replace files by others that hold the same rows: compaction.
struct RewriteFilesRequest : SnapshotOptions {
  /// The snapshot that the inputs were planned from.
  SnapshotId starting_snapshot_id = 0;
  std::vector<DataFile> removed_data_files;
  std::vector<DeleteFilePtr> removed_delete_files;
  std::vector<DataFile> added_data_files;
  /// Data sequence number of the added files: keeps equality deletes that arrive meanwhile in
  /// force. Empty: that of the new snapshot.
  std::optional<int64_t> data_sequence_number;
};

struct CommitResult {
  SnapshotId snapshot_id = 0;
  Table table;  ///< After the commit.
  int attempts = 1;
  int64_t removed_delete_files = 0;
  /// A snapshot with the same idempotency key was there: `snapshot_id` is that one's.
  bool is_repeat = false;
};

/// The newest snapshot in the history of `branch` that was committed with this idempotency key:
/// for asking before the work is done.
std::optional<SnapshotId> FindIdempotencyKey(const TableMetadata& metadata,
                                             const std::string& branch, std::string_view key);

/// Append files whose rows fit the current schema of `planned`. Other writers' commits are no
/// conflict. The files stay, whatever the outcome: a caller that wrote them discards them if the
/// append is a repeat or fails, but not after kCommitUnknown.
///
/// Errors  kInvalidInput: no files, or one twice. kNotFound: the branch. kCommitConflict: retries
///         are used up, or the table changed so that the files no longer fit. kCommitUnknown: with
///         the snapshot id and how to check.
Result<CommitResult> CommitAppendFiles(const CommitContext& context, const Table& planned,
                                       const AppendFilesRequest& request);

/// Commit the rewrite of the table that was `planned`, with validation and retries
/// (`commit.retry.*`). The added files stay, whatever the outcome; see CommitAppendFiles.
///
/// Errors  kCommitConflict: an input was removed or rewritten, a new delete applies to an input, or
///         the history cannot be determined; the message names the file and the snapshot.
///         kCommitUnknown: with the snapshot id and how to check.
Result<CommitResult> CommitRewriteFiles(const CommitContext& context, const Table& planned,
                                        const RewriteFilesRequest& request);

/// What a change of rows may overlook of commits that came while it worked.
enum class Isolation {
  kSerializable,  ///< Nothing: new rows that it would have met are a conflict, too.
  kSnapshot,      ///< New rows.
};

/// A partition of one spec.
struct PartitionKey {
  int32_t spec_id = 0;
  StructValue partition;
};

/// Change rows: exchange data files (copy-on-write), or delete rows of files that stay by new
/// delete files (merge-on-read), or both.
struct ChangeFilesRequest : SnapshotOptions {
  /// The snapshot in which the rows were looked for; empty: none was, and nothing that came since
  /// is a conflict, unless the branch had no snapshot then.
  std::optional<SnapshotId> starting_snapshot_id;
  bool starts_empty = false;  ///< The branch had none: all that it has now came since.
  std::vector<DataFile> removed_data_files;
  /// Obsolete with this change: of removed data files, or merged into added delete files.
  std::vector<DeleteFilePtr> removed_delete_files;
  /// Besides, all data and delete files of these partitions, or of the whole table, as they are
  /// when the commit succeeds: what other writers put there meanwhile is overwritten, too.
  std::vector<PartitionKey> replaced_partitions;
  bool replaces_table = false;
  std::vector<DataFile> added_data_files;
  std::vector<DataFile> added_delete_files;  ///< Each one by position names its one data file.
  /// Data files that stay and of which rows are put in again, changed, after `added_delete_files`
  /// take them out: a delete of such a row that came meanwhile would be undone, so it is a
  /// conflict.
  std::vector<DataFile> updated_data_files;
  /// The rows that were looked for, unbound; null: all.
  ExpressionPtr condition;
  Isolation isolation = Isolation::kSerializable;
};

/// Commit the change. The added files stay, whatever the outcome; see CommitAppendFiles.
///
/// Errors  kCommitConflict: as CommitRewriteFiles, or a data file in which rows are deleted was
///         rewritten, or got another deletion vector, or (serializable) new rows may match the
///         condition, or a delete applies to an updated data file. kCommitUnknown: with the
///         snapshot id and how to check.
Result<CommitResult> CommitChangeFiles(const CommitContext& context, const Table& planned,
                                       const ChangeFilesRequest& request);

/// Delete data files that were written for a commit and that no snapshot names; see `DiscardFiles`.
/// Not for the outputs of a commit whose outcome is unknown.
void DiscardOutputs(FileIO& io, const std::vector<DataFile>& files);

}  // namespace firn
