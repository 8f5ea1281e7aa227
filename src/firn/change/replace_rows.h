#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/row_stream.h"
#include "firn/change/change_context.h"
#include "firn/data/read/row_positions.h"
#include "firn/expression/expression.h"

/// What deletions, updates and merges have in common: rows of one snapshot go, others come, in one
/// commit.

namespace firn {

/// How rows of a file that stays in part are changed.
enum class WriteMode {
  kCopyOnWrite,  ///< The file is written again without them.
  kMergeOnRead,  ///< Delete files name them: deletion vectors from version 3 on.
};

/// The head of a branch; empty: the table has no snapshot. Errors: kNotFound: no such branch,
/// unless it is `main`.
Result<std::optional<SnapshotId>> FindHead(const TableMetadata& metadata,
                                           const std::string& branch);

struct ReplaceRowsRequest : SnapshotOptions {
  /// The snapshot in which the rows were looked for; empty: the branch had none.
  std::optional<SnapshotId> head;
  std::vector<FileScanTask> whole_files;  ///< All of their live rows go.
  std::vector<FileScanTask> files;        ///< Those of `positions`, in any order.
  PositionsByFile positions;              ///< Live rows that go; a file may be missing.
  RowStream rows;                         ///< That come; null: none.
  /// The columns of `rows` are those of SchemaWithLineage: updated rows carry the `_row_id` that
  /// they had, new ones null. Otherwise they are those of the current schema.
  bool has_lineage = false;
  /// What goes comes back changed: a deletion of the same rows by others, meanwhile, is a conflict.
  bool is_update = false;
  WriteMode mode = WriteMode::kCopyOnWrite;
  Isolation isolation = Isolation::kSerializable;
  ExpressionPtr condition;  ///< The rows that were looked for, unbound; null: all.
};

struct ReplaceRowsResult {
  /// Of the new snapshot; of the head if nothing changes; empty: there is none.
  std::optional<SnapshotId> snapshot_id;
  Table table;  ///< After the commit.
  int64_t deleted_rows = 0;
  int64_t added_rows = 0;          ///< Those of `rows`.
  int64_t removed_data_files = 0;  ///< With all rows, or written again without some.
  int64_t added_data_files = 0;
  int64_t added_delete_files = 0;
  int attempts = 0;
  bool is_repeat = false;  ///< A snapshot with the same idempotency key was there already.
};

/// A request of a command ("delete", "update", "merge") that names no rows yet: the head of its
/// branch, the options of its snapshot, the mode `wanted`, else the table's `write.<command>.mode`,
/// and the isolation of `write.<command>.isolation-level`. Errors: kInvalidInput: a property, or
/// merge-on-read in version 1; those of FindHead.
Result<ReplaceRowsRequest> PrepareReplacement(const TableMetadata& metadata,
                                              std::string_view command,
                                              std::optional<WriteMode> wanted,
                                              const SnapshotOptions& options);

/// Write the rows that come, take those that go out by `mode`, files without a row left by metadata
/// alone, and commit. Nothing to change: no commit. Unless the outcome of the commit is unknown, an
/// error leaves no file behind.
///
/// Errors  those of the stream; kInvalidInput: a required column has a null; those of reading, of
///         writing, and of CommitChangeFiles.
Result<ReplaceRowsResult> ReplaceRows(const ChangeContext& context, const Table& table,
                                      ReplaceRowsRequest request);

}  // namespace firn
