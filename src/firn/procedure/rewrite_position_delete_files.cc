#include "firn/maintain/deletes/rewrite_position_deletes.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rewrite_options_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const RewriteCall call, BeginRewrite(context, arguments));
  FIRN_ASSIGN(const auto options, ParseRewritePositionDeletesOptions(*call.table().metadata,
                                                                     arguments.TextMap("options")));
  if (context.is_dry_run) {
    FIRN_ASSIGN(const auto plan, PlanPositionDeleteRewrite(call.maintain, call.table(), call.branch,
                                                           call.where, options));
    const int64_t commits =
        CountCommits(plan.groups.size(), options.has_partial_progress, options.max_commits);
    return MakeTakenOutRows(context, call.maintain, call.table(), DescribeInputs(plan), commits,
                            plan.reason);
  }
  FIRN_ASSIGN(const auto result, RewritePositionDeletes(call.maintain, call.table(), call.branch,
                                                        call.where, options));
  TellNothingToDo(context, result.reason);
  return MakeOutput(MakeRowType({{"rewritten_delete_files_count", IntType()},
                                 {"added_delete_files_count", IntType()},
                                 {"rewritten_bytes_count", LongType()},
                                 {"added_bytes_count", LongType()}}),
                    {{{result.rewritten_position_deletes, result.added_position_deletes,
                       result.rewritten_bytes, result.added_bytes}}});
}

}  // namespace

Procedure DescribeRewritePositionDeleteFiles() {
  return {.command = {"rewrite-position-delete-files"},
          .call_name = "rewrite_position_delete_files",
          .summary =
              "Put position delete files together, in version 3 into deletion vectors, and "
              "leave out what they say of files that are gone.",
          .arguments = {TableOrLocationArgument(),
                        RewriteOptionsArgument("rewrite_position_delete_files"),
                        {.name = "where",
                         .type = ArgumentType::kText,
                         .help = "Rewrite only delete files of partitions that may hold rows of "
                                 "this SQL predicate."},
                        RewrittenBranchArgument(),
                        {.name = "verify",
                         .type = ArgumentType::kText,
                         .help = "What is compared before the commit: counts of positions; "
                                 "content, for which the new files are read again; or off.",
                         .default_text = "counts"}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
