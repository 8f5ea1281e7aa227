#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/maintain/maintain_context.h"
#include "firn/scan/scan.h"

namespace firn {

struct DanglingDeletes {
  std::vector<DeleteFilePtr> files;
  int64_t used_count = 0;  ///< Delete files that apply to some data file.
  std::string reason;      ///< Why there are none; for people.
};

/// Live delete files of `branch` that apply to no live data file, going by what a scan of its head
/// pairs: position and equality deletes and deletion vectors of any spec, in order of their paths.
/// Global equality deletes apply to files of every spec. Errors: kNotFound: the branch.
Result<DanglingDeletes> FindDanglingDeletes(const MaintainContext& context, const Table& table,
                                            const std::string& branch);

struct RemoveDanglingDeletesResult {
  int64_t removed_delete_files_count = 0;
  std::optional<SnapshotId> snapshot_id;  ///< Empty: there was none.
  std::string reason;                     ///< See DanglingDeletes.
};

/// Take them out of the table in one commit; data that others add meanwhile is younger than they
/// are. Files stay on disk until the snapshots before are expired. Errors: also kCommitConflict,
/// kCommitUnknown.
Result<RemoveDanglingDeletesResult> RemoveDanglingDeletes(const MaintainContext& context,
                                                          const Table& table,
                                                          const std::string& branch);

}  // namespace firn
