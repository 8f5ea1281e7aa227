#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "firn/maintain/compaction/obsolete_deletes_internal.h"
#include "firn/maintain/compaction/rewrite_data_files.h"
#include "firn/maintain/live_branch_internal.h"

namespace firn {

/// What the branch has of the inputs of groups, at present.
struct LiveInputs {
  LiveBranch branch;
  std::unordered_map<std::string, FileScanTask> tasks;  ///< By path.
  DeleteUses uses;                                      ///< By all data files of the branch.

  /// The input as it is now; null: it is gone, or has come back as another file.
  const FileScanTask* Find(const FileScanTask& planned) const;
};

/// How a group that was written stands to the table as it is now.
enum class GroupStanding {
  kUpToDate,  ///< All deletes that apply to its inputs were read.
  kBehind,    ///< But for equality deletes, which stay in force for its outputs.
  kConflict,  ///< An input is gone, or has a delete that was not read.
};

/// `read_sequence_number`: of the snapshot in which its inputs were read. `keeps_number`: outputs
/// get an old data sequence number.
GroupStanding StandingOf(const FileGroup& group, int64_t read_sequence_number, bool keeps_number,
                         const LiveInputs& live);

/// Look for the inputs of `groups`. Errors: those of LoadLiveBranch and of planning.
Result<LiveInputs> ReadLiveInputs(const MaintainContext& context, const Table& planned,
                                  const std::string& branch, SnapshotId starting_snapshot_id,
                                  const std::vector<const FileGroup*>& groups);

}  // namespace firn
