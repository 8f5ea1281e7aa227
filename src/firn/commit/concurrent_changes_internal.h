#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "firn/commit/commit_loop_internal.h"

/// What other writers committed since a starting snapshot, and whether it is in the way.

namespace firn {

/// Snapshots after the starting one, newest first; see `HistorySince`.
using History = std::vector<const Snapshot*>;

/// Entries to look for.
struct ChangeQuery {
  ManifestContent content = ManifestContent::kData;
  EntryStatus status = EntryStatus::kAdded;
  std::vector<std::string_view> operations;  ///< Only in snapshots of these.
  ManifestReadOptions options;
};

/// Call `visit` for the entries that each snapshot of the history itself made, from the manifests
/// that it wrote. Calls may be parallel.
Status VisitChanges(const CommitContext& context, const Table& base, const History& history,
                    const ChangeQuery& query,
                    const std::function<Status(const Snapshot&, ManifestEntry&)>& visit);

/// Fail if a data file that the snapshots added by append or overwrite may hold a row that matches
/// `filter` (unbound, in the names of `planned`; null: every row does). Errors: kCommitConflict,
/// naming the file, or the column that is called otherwise since then or gone.
Status CheckNoConflictingData(const CommitContext& context, const Table& base,
                              const History& history, const ExpressionPtr& filter,
                              const Schema& planned);

/// What to do with rows of data files that others took out as a whole, by a delete.
enum class DeletedFiles {
  kIgnore,    ///< The rows were to be deleted: they are.
  kConflict,  ///< The rows were to be updated, and would come back.
};

/// Fail if the snapshots took one of the data files out of the table: by a rewrite, or, as
/// `deleted` says, by a delete of whole files. Errors: kCommitConflict, naming the file.
Status CheckDataFilesStay(const CommitContext& context, const Table& base, const History& history,
                          const std::unordered_set<std::string_view>& paths, DeletedFiles deleted);

/// Fail if the snapshots added a deletion vector for one of the data files.
/// Errors: kCommitConflict, naming the file.
Status CheckNoNewVectors(const CommitContext& context, const Table& base, const History& history,
                         const std::unordered_set<std::string_view>& paths);

/// Fail if the snapshots added a data file that one of the equality deletes `deletes` applies to:
/// one that holds rows from before the delete, as a rewrite leaves them.
/// Errors: kCommitConflict, naming both files.
Status CheckNoDataUnderDeletes(const CommitContext& context, const Table& base,
                               const History& history, const std::vector<DeleteFilePtr>& deletes);

}  // namespace firn
