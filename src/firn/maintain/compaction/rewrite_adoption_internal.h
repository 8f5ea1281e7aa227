#pragma once

#include <string>
#include <vector>

#include "firn/maintain/compaction/rewrite_journal_internal.h"

namespace firn {

/// Look for journals of runs that ended before they committed, take over the groups that `plan`
/// would write alike, from the very same inputs and deletes, and delete what else those runs left.
/// In the plan, a group taken over is one of the last groups, and its inputs are in no other one.
/// What is taken over is verified as if it had been written now, and goes into `journal`. What goes
/// wrong with other runs' journals is logged, never an error: the groups are written again.
std::vector<GroupResult> AdoptFinishedGroups(const MaintainContext& context, const Table& table,
                                             const RewriteDataFilesOptions& options,
                                             CompactionPlan& plan, const std::string& signature,
                                             RewriteJournal& journal);

}  // namespace firn
