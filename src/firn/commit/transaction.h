#pragma once

#include <memory>
#include <vector>

#include "firn/commit/commit.h"

namespace firn {

/// Several changes of one table that become visible together: each builds on those before it, and
/// all are one commit of the catalog. Nobody sees the table in between, and a failure undoes all.
///
///   Transaction transaction(context, table);
///   FIRN_RETURN_IF_ERROR(transaction.Change(add_column));
///   FIRN_RETURN_IF_ERROR(transaction.Append(files));  // Written for `transaction.table()`.
///   FIRN_ASSIGN(const CommitResult done, transaction.Commit());
class Transaction {
 public:
  Transaction(const CommitContext& context, Table table);
  ~Transaction();

  /// The table as it was planned from, with the changes of `Change` so far; snapshots are made by
  /// `Commit`, so that those of this transaction are not in it.
  const Table& table() const { return table_; }

  /// Change the schema, the layout, properties, refs. Planned once more by every attempt to commit;
  /// see `SnapshotOptions::table_changes`. Errors: those of `plan`.
  Status Change(PlanUpdates plan);

  /// Add a snapshot. Errors: those that the request has by itself; conflicts show at the end.
  Status Append(AppendFilesRequest request);
  Status Change(ChangeFilesRequest request);
  Status Rewrite(RewriteFilesRequest request);

  /// Commit all, with validation and retries; without a snapshot among the changes there are no
  /// files to keep book of, and it is `ChangeTable`. The result tells of the last snapshot. Once.
  /// Errors: those of each change.
  Result<CommitResult> Commit();

 private:
  struct Step;

  const CommitContext& context_;
  Table planned_;
  Table table_;
  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace firn
