#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/row_change_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/where_argument_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  UpdateRowsRequest request;
  FIRN_ASSIGN(request.mode, ParseWriteMode(arguments));
  for (const std::string& text : arguments.TextList("set")) {
    FIRN_ASSIGN(Assignment assignment, ParseAssignment(text), "set");
    request.assignments.push_back(std::move(assignment));
  }
  FIRN_ASSIGN(const auto reference, ResolveRowsToChange(context, arguments));
  FIRN_ASSIGN(request.condition,
              ParseWhere(arguments, *reference.table.metadata->current_schema()));
  FIRN_ASSIGN(static_cast<SnapshotOptions&>(request), ParseSnapshotOptions(arguments, reference));
  FIRN_ASSIGN(const ReplaceRowsResult result,
              UpdateRows(MakeChangeContext(session, reference), reference.table, request));
  TellRowChange(context, result.deleted_rows, result.added_rows);
  return FinishChange(
      context, reference.table.metadata.get(), result.table, result.snapshot_id,
      MakeRowChangeOutput(result.deleted_rows, result.added_rows, result.snapshot_id));
}

}  // namespace

Procedure DescribeUpdate() {
  return {.command = {"update"},
          .call_name = "update",
          .summary = "Set columns of the rows for which a condition is true.",
          .arguments = WithSnapshotOptions(
              {TableOrLocationArgument(),
               {.name = "set",
                .type = ArgumentType::kTextList,
                .is_required = true,
                .help = "column=expression, once for each column: DuckDB's SQL over the "
                        "columns of the row as it was. The value is cast to the column's "
                        "type; one that does not fit is an error.",
                .has_commas = true},
               {.name = "where",
                .type = ArgumentType::kText,
                .is_required = true,
                .help = "Rows for which this SQL predicate is true are changed; true: all."},
               WriteModeArgument("update")}),
          .can_dry_run = true,
          .can_report = true,
          .run = Run};
}

}  // namespace firn
