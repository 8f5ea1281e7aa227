#include "firn/maintain/deletes/remove_dangling_deletes.h"

#include <utility>

#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference,
              ResolveChangeableTable(*context.session, arguments.Text("table")));
  const std::string branch = arguments.Text("branch", std::string(kMainBranch));
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  if (context.is_dry_run) {
    FIRN_ASSIGN(const auto found, FindDanglingDeletes(maintain, reference.table, branch));
    std::vector<FileToDelete> files;
    for (const DeleteFilePtr& file : found.files)
      files.push_back(DescribeFile(file->file));
    return MakeTakenOutRows(context, maintain, reference.table, std::move(files), 1, found.reason);
  }
  FIRN_ASSIGN(const auto result, RemoveDanglingDeletes(maintain, reference.table, branch));
  TellNothingToDo(context, result.reason);
  return MakeOutput(MakeRowType({{"removed_delete_files_count", LongType()}}),
                    {{{result.removed_delete_files_count}}});
}

}  // namespace

Procedure DescribeRemoveDanglingDeletes() {
  return {.command = {"remove-dangling-deletes"},
          .call_name = "remove_dangling_deletes",
          .summary = "Take delete files that apply to no data file out of a table.",
          .arguments = {TableOrLocationArgument(),
                        {.name = "branch",
                         .type = ArgumentType::kText,
                         .help = "The branch that is looked at.",
                         .default_text = "main"}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
