#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/row_change_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/where_argument_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  DeleteRowsRequest request;
  FIRN_ASSIGN(request.mode, ParseWriteMode(arguments));
  FIRN_ASSIGN(const auto reference, ResolveRowsToChange(context, arguments));
  FIRN_ASSIGN(request.condition,
              ParseWhere(arguments, *reference.table.metadata->current_schema()));
  FIRN_ASSIGN(static_cast<SnapshotOptions&>(request), ParseSnapshotOptions(arguments, reference));
  FIRN_ASSIGN(const ReplaceRowsResult result,
              DeleteRows(MakeChangeContext(session, reference), reference.table, request));
  TellRowChange(context, result.deleted_rows, 0);
  return FinishChange(context, reference.table.metadata.get(), result.table, result.snapshot_id,
                      MakeRowChangeOutput(result.deleted_rows, 0, result.snapshot_id));
}

}  // namespace

Procedure DescribeDelete() {
  return {.command = {"delete"},
          .call_name = "delete",
          .summary = "Delete the rows for which a condition is true.",
          .arguments = WithSnapshotOptions(
              {TableOrLocationArgument(),
               {.name = "where",
                .type = ArgumentType::kText,
                .is_required = true,
                .help = "Rows for which this SQL predicate is true are deleted."},
               WriteModeArgument("delete")}),
          .can_dry_run = true,
          .can_report = true,
          .run = Run};
}

}  // namespace firn
