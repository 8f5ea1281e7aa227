#include "firn/commit/cherry_pick.h"
#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

// `cherrypick-snapshot` and `publish-changes`.

namespace firn {
namespace {

Result<ProcedureOutput> Pick(ProcedureContext& context, const TableReference& reference,
                             SnapshotId source) {
  Table table = reference.table;
  table.name = reference.name;
  FIRN_ASSIGN(const CommitResult result,
              CherryPickSnapshot(MakeCommitContext(*context.session, reference), table, source));
  return FinishChange(context, table.metadata.get(), result.table, result.snapshot_id,
                      MakeOutput(MakeRowType({{"source_snapshot_id", LongType()},
                                              {"current_snapshot_id", LongType()}}),
                                 {{{Value(source), Value(result.snapshot_id)}}}));
}

Result<TableReference> Resolve(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(TableReference reference,
              ResolveChangeableTable(*context.session, arguments.Text("table")));
  FIRN_RETURN_IF_ERROR(PrepareDryRun(context, reference));
  return reference;
}

Result<ProcedureOutput> RunCherrypick(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const TableReference reference, Resolve(context, arguments));
  return Pick(context, reference, *arguments.Integer("snapshot_id"));
}

Result<ProcedureOutput> RunPublish(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const TableReference reference, Resolve(context, arguments));
  FIRN_ASSIGN(const SnapshotId source,
              FindStagedSnapshot(*reference.table.metadata, arguments.Text("wap_id")));
  return Pick(context, reference, source);
}

}  // namespace

Procedure DescribeCherrypickSnapshot() {
  return {.command = {"cherrypick-snapshot"},
          .call_name = "cherrypick_snapshot",
          .summary = "Bring the changes of a snapshot that is not in main to main.",
          .arguments = {ChangedTableArgument(),
                        {.name = "snapshot_id",
                         .type = ArgumentType::kInteger,
                         .is_required = true,
                         .help = "The snapshot: if main is at its parent, main moves to it; else "
                                 "its files are added once more, which works for appends and "
                                 "overwrites of whole partitions."}},
          .can_dry_run = true,
          .can_report = true,
          .run = RunCherrypick};
}

Procedure DescribePublishChanges() {
  return {.command = {"publish-changes"},
          .call_name = "publish_changes",
          .summary = "Bring the changes that were staged under a WAP id to main.",
          .arguments = {ChangedTableArgument(),
                        {.name = "wap_id",
                         .type = ArgumentType::kText,
                         .is_required = true,
                         .help = "The name, wap.id, of the staged snapshot."}},
          .can_dry_run = true,
          .can_report = true,
          .run = RunPublish};
}

}  // namespace firn
