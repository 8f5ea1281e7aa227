#include "firn/maintain/compaction/rewrite_data_files.h"

#include "firn/procedure/compaction_rows_internal.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rewrite_options_internal.h"
#include "firn/procedure/table_argument_internal.h"

namespace firn {
namespace {

// What the rewrite takes out of the table.
std::vector<FileToDelete> FilesOf(const CompactionPlan& plan) {
  std::vector<FileToDelete> files;
  for (const FileGroup& group : plan.groups) {
    for (const FileScanTask& task : group.inputs)
      files.push_back(DescribeFile(task.file));
  }
  if (files.empty()) return files;  // Then nothing is committed.
  for (const DeleteFilePtr& file : plan.obsolete_deletes)
    files.push_back(DescribeFile(file->file));
  return files;
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const RewriteCall call, BeginRewrite(context, arguments));
  const TableMetadata& metadata = *call.table().metadata;
  FIRN_ASSIGN(const RewriteOrder order,
              ParseRewriteOrder(metadata, arguments.OptionalText("strategy"),
                                arguments.OptionalText("sort_order")));
  FIRN_ASSIGN(auto options,
              ParseRewriteDataFilesOptions(metadata, arguments.TextMap("options"), order));
  if (arguments.Has("resume")) options.has_journal = arguments.Boolean("resume");
  if (context.is_dry_run) {
    FIRN_ASSIGN(const auto plan,
                PlanCompaction(call.maintain, call.table(), call.branch, call.where, options));
    const bool lists_files = arguments.Boolean("list_files");
    const std::string reason =
        plan.groups.empty() ? DescribeNothingToDo(plan.survey, options) : std::string();
    if (context.notice && reason.empty()) context.notice(DescribePlan(plan));
    if (!lists_files) TellNothingToDo(context, reason);
    if (!lists_files) return MakePlanRows(plan);
    const int64_t commits =
        CountCommits(plan.groups.size(), options.has_partial_progress, options.max_commits);
    return MakeTakenOutRows(context, call.maintain, call.table(), FilesOf(plan), commits, reason);
  }
  const Clock& clock = *call.maintain.commit.clock;
  const auto began = clock.Elapsed();
  FIRN_ASSIGN(const auto result,
              RewriteDataFiles(call.maintain, call.table(), call.branch, call.where, options));
  if (context.notice && result.rewritten_data_files_count > 0) {
    context.notice(DescribeRewrite(result, clock.Elapsed() - began));
  }
  TellNothingToDo(context, result.reason);
  return MakeResultRows(result);
}

}  // namespace

Procedure DescribeRewriteDataFiles() {
  return {.command = {"rewrite-data-files"},
          .call_name = "rewrite_data_files",
          .summary = "Merge small data files and apply deletes to them.",
          .arguments = {TableOrLocationArgument(),
                        {.name = "strategy",
                         .type = ArgumentType::kText,
                         .help = "How rows are arranged: binpack keeps their order; sort follows "
                                 "sort_order, or else the table's own. Sort is taken where only "
                                 "sort_order is given.",
                         .default_text = "binpack"},
                        {.name = "sort_order",
                         .type = ArgumentType::kText,
                         .help = "Columns with directions, such as 'id DESC NULLS LAST, days(ts)'; "
                                 "or zorder(a, b); or hilbert(a, b), which scales each column by "
                                 "its quantiles.",
                         .default_text = "the table's sort order"},
                        RewriteOptionsArgument("rewrite_data_files"),
                        {.name = "where",
                         .type = ArgumentType::kText,
                         .help = "Rewrite only files that may hold rows of this SQL predicate."},
                        RewrittenBranchArgument(),
                        {.name = "verify",
                         .type = ArgumentType::kText,
                         .help = "What is compared before the commit: counts of rows; content, for "
                                 "which all rows are read again and hashed; or off.",
                         .default_text = "counts"},
                        {.name = "resume",
                         .type = ArgumentType::kBoolean,
                         .help = "Keep a journal beside the table's metadata, so that a run that "
                                 "was killed or failed is taken up by the next one, and take up "
                                 "such runs.",
                         .default_text = "true for jobs over 1 GiB"},
                        {.name = "list_files",
                         .type = ArgumentType::kBoolean,
                         .help = "In a dry run: a row for each file that would leave the table, "
                                 "rather than for each group.",
                         .default_text = "false"}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
