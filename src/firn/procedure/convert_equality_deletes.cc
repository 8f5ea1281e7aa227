#include "firn/maintain/deletes/convert_equality_deletes.h"

#include "firn/catalog/dropped_metadata.h"
#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rewrite_options_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"

namespace firn {
namespace {

// Which vectors are merged into new ones, only the rows tell: so it is done, and nothing kept.
Result<ProcedureOutput> Preview(ProcedureContext& context, RewriteCall call,
                                ConvertEqualityDeletesOptions options) {
  const Table before = call.table();
  FIRN_RETURN_IF_ERROR(PrepareDryRun(context, call.reference));
  call.maintain = MakeMaintainContext(context, call.reference);
  FIRN_ASSIGN(const auto plan, PlanEqualityDeleteConversion(call.maintain, call.table(),
                                                            call.branch, call.where, options));
  if (plan.groups.empty()) TellNothingToDo(context, plan.reason);
  const int64_t commits =
      CountCommits(plan.groups.size(), options.has_partial_progress, options.max_commits);
  options.has_partial_progress = false;  // One commit is reported on.
  FIRN_ASSIGN(const auto result, ConvertEqualityDeletes(call.maintain, call.table(), call.branch,
                                                        call.where, options));
  FIRN_ASSIGN(const Table after, call.reference.catalog->Load(call.reference.name));
  return MakeChangeReport(context, PredictDroppedMetadata(before, result.snapshot_id ? commits : 0),
                          after, result.snapshot_id);
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(RewriteCall call, BeginRewrite(context, arguments));
  FIRN_ASSIGN(const auto options, ParseConvertEqualityDeletesOptions(arguments.TextMap("options")));
  if (context.is_dry_run) return Preview(context, std::move(call), options);
  FIRN_ASSIGN(const auto result, ConvertEqualityDeletes(call.maintain, call.table(), call.branch,
                                                        call.where, options));
  TellNothingToDo(context, result.reason);
  return MakeOutput(
      MakeRowType({{"converted_equality_delete_files_count", IntType()},
                   {"rewritten_position_delete_files_count", IntType()},
                   {"added_position_delete_files_count", IntType()},
                   {"rewritten_bytes_count", LongType()},
                   {"added_bytes_count", LongType()}}),
      {{{result.converted_equality_deletes, result.rewritten_position_deletes,
         result.added_position_deletes, result.rewritten_bytes, result.added_bytes}}});
}

}  // namespace

Procedure DescribeConvertEqualityDeletes() {
  return {.command = {"convert-equality-deletes"},
          .call_name = "convert_equality_deletes",
          .summary =
              "Turn deletes by value into deletes by position, in version 3 into deletion "
              "vectors, which cost readers little.",
          .arguments = {TableOrLocationArgument(),
                        RewriteOptionsArgument("convert_equality_deletes"),
                        {.name = "where",
                         .type = ArgumentType::kText,
                         .help = "Convert only deletes that apply to data files that may hold rows "
                                 "of this SQL predicate, and those that share files with them."},
                        RewrittenBranchArgument(),
                        {.name = "verify",
                         .type = ArgumentType::kText,
                         .help = "What is compared before the commit: counts of positions; "
                                 "content, for which all rows are read with either deletes and "
                                 "hashed; or off.",
                         .default_text = "counts"}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
