#include "firn/procedure/compaction_rows_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {

Result<ProcedureOutput> MakePlanRows(const CompactionPlan& plan) {
  std::vector<StructValue> rows;
  for (const FileGroup& group : plan.groups) {
    int64_t delete_files = 0;
    for (const FileScanTask& task : group.inputs) {
      delete_files += static_cast<int64_t>(task.deletes.size());
    }
    rows.push_back({{group.index, group.partition_path, group.output_spec_id,
                     static_cast<int64_t>(group.inputs.size()), group.input_bytes, delete_files,
                     group.expected_outputs}});
  }
  return MakeOutput(MakeRowType({{"group", LongType()},
                                 {"partition", TextType()},
                                 {"spec_id", IntType()},
                                 {"input_files", LongType()},
                                 {"input_bytes", LongType()},
                                 {"delete_files", LongType()},
                                 {"expected_outputs", LongType()}}),
                    std::move(rows));
}

Result<ProcedureOutput> MakeResultRows(const RewriteDataFilesResult& result) {
  return MakeOutput(MakeRowType({{"rewritten_data_files_count", IntType()},
                                 {"added_data_files_count", IntType()},
                                 {"rewritten_bytes_count", LongType()},
                                 {"failed_data_files_count", IntType()},
                                 {"removed_delete_files_count", IntType()}}),
                    {{{result.rewritten_data_files_count, result.added_data_files_count,
                       result.rewritten_bytes_count, result.failed_data_files_count,
                       result.removed_delete_files_count}}});
}

}  // namespace firn
