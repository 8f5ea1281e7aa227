#include "firn/change/expire_rows.h"

#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/row_change_internal.h"
#include "firn/procedure/table_argument_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  ExpireRowsRequest request;
  FIRN_ASSIGN(request.mode, ParseWriteMode(arguments));
  FIRN_ASSIGN(const auto reference, ResolveRowsToChange(context, arguments));
  FIRN_ASSIGN(static_cast<SnapshotOptions&>(request), ParseSnapshotOptions(arguments, reference));
  request.column = arguments.Text("column");
  request.keep_days = arguments.Integer("keep_days").value_or(0);
  FIRN_ASSIGN(const ExpireRowsResult result,
              ExpireRows(MakeChangeContext(*context.session, reference), reference.table, request));
  const ReplaceRowsResult& deleted = result.deleted;
  TellRowChange(context, deleted.deleted_rows, 0);
  return FinishChange(context, reference.table.metadata.get(), deleted.table, deleted.snapshot_id,
                      MakeRowChangeOutput(deleted.deleted_rows, 0, deleted.snapshot_id));
}

}  // namespace

Procedure DescribeExpireRows() {
  return {.command = {"expire-rows"},
          .call_name = "expire_rows",
          .summary = "Delete rows that are older than some days before rows last came.",
          .arguments = WithSnapshotOptions(
              {TableOrLocationArgument(),
               {.name = "column",
                .is_required = true,
                .help = "A column of type date, timestamp or timestamptz that tells how old a row "
                        "is; where it is null, the row stays."},
               {.name = "keep_days",
                .type = ArgumentType::kInteger,
                .is_required = true,
                .help = "Rows stay from so many days (of 24 hours, in UTC) before the last "
                        "snapshot that brought rows on; of a date column, the whole day."},
               WriteModeArgument("delete")}),
          .can_dry_run = true,
          .can_report = true,
          .run = Run};
}

}  // namespace firn
