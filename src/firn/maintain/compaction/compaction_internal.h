#pragma once

#include <vector>

#include "firn/data/arrow/row_hash.h"
#include "firn/data/read/reader.h"
#include "firn/data/write/writer.h"
#include "firn/maintain/compaction/rewrite_data_files.h"

namespace firn {

/// A group for some of the inputs of `group`, which go to the same place.
FileGroup MakePartOfGroup(const FileGroup& group, std::vector<FileScanTask> inputs,
                          const RewriteDataFilesOptions& options);

/// Whether the planner would choose the group.
bool IsWorthRewriting(const FileGroup& group, const RewriteDataFilesOptions& options);

/// Number the groups anew.
void RenumberGroups(CompactionPlan& plan);

/// Compare what a group wrote with its inputs, as far as `context.verification` asks for. Errors:
/// kCorrupt: the counts of rows do not agree; kInternal: the rows do not.
Status VerifyGroup(const MaintainContext& context, const Table& table, const FileGroup& group,
                   const std::vector<DataFile>& outputs);

/// To read the table's rows, and to write some. Both hold what `context` refers to.
ReadContext ReadContextOf(const MaintainContext& context, const Table& table);
WriteContext WriteContextOf(const MaintainContext& context, const Table& table);

/// Over the live rows of `tasks`, whatever their order. Errors: those of ReadTasks.
Result<RowsHash> HashTasks(const MaintainContext& context, const Table& table,
                           const std::vector<FileScanTask>& tasks, const SchemaPtr& schema);

}  // namespace firn
