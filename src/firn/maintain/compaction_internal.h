#pragma once

#include <vector>

#include "firn/maintain/rewrite_data_files.h"

namespace firn {

/// A group for some of the inputs of `group`, which go to the same place.
FileGroup MakePartOfGroup(const FileGroup& group, std::vector<FileScanTask> inputs,
                          const RewriteDataFilesOptions& options);

/// Number the groups anew.
void RenumberGroups(CompactionPlan& plan);

/// Compare what a group wrote with its inputs, as far as `context.verification` asks for. Errors:
/// kCorrupt: the counts of rows do not agree; kInternal: the rows do not.
Status VerifyGroup(const MaintainContext& context, const Table& table, const FileGroup& group,
                   const std::vector<DataFile>& outputs);

}  // namespace firn
